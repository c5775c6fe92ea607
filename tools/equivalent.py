"""Mutants that no test can kill, each with the reason.

A key is the function and the line that differs, as ``python -m tools.mutate`` prints them.
"""

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "learners/hedged/mixing.py weigh",
        "relative = np.empty(n + 1) -> relative = np.empty(n + 2)",
    ): "a longer buffer",
}
