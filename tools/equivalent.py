"""Mutants that no test can kill, each with the reason.

A key is the function and the line that differs, as ``python -m tools.mutate`` prints them.
"""

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "learners/hedged/mixing.py weigh",
        "relative = np.empty(n + 1) -> relative = np.empty(n + 2)",
    ): "a longer buffer",
    (
        "evaluation/diagnosis.py split",
        "starts = np.cumsum(lengths) - lengths -> starts = np.cumsum(lengths) + lengths",
    ): "larger by twice a length, and only even or odd is asked for",
    (
        "evaluation/diagnosis.py split",
        "is_second = (np.arange(len(words)) - starts[rows]) % 2 == 1 -> "
        "is_second = (np.arange(len(words)) + starts[rows]) % 2 == 1",
    ): "larger by twice a start, and only even or odd is asked for",
    (
        "evaluation/noise_free.py reservoir_means",
        "entered = np.flatnonzero(filling | (draws[:, 0] * t <= reservoir_size)) -> "
        "entered = np.flatnonzero(filling | (draws[:, 0] * t < reservoir_size))",
    ): "a draw is equal to the limit with probability 2^-53",
    (
        "evaluation/regret.py learner_excess",
        "if learner.model is not judged: -> if True:",
    ): "the same numbers, computed again",
}
