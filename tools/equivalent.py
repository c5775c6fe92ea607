"""Mutants that no test can kill, each with the reason.

A key is the function and how the change begins, as ``python -m tools.mutate`` prints them; with
nothing after the arrow it stands for all mutants of that line.
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
    (
        "models/assignment.py match",
        "of_row, of_column = (np.zeros(k), np.zeros(k + 1)) ->",
    ): "any prices will do at first, and longer buffers",
    (
        "models/assignment.py match",
        "holder = np.full(k + 1, -1, np.int64) -> holder = np.full(k + 2",
    ): "a longer buffer",
    (
        "models/assignment.py match",
        "holder = np.full(k + 1, -1, np.int64) -> holder = np.full(k + 1, -2",
    ): "any number below 0",
    (
        "models/assignment.py match",
        "reached = np.zeros(k + 1, np.bool_) -> reached = np.zeros(k + 2",
    ): "a longer buffer",
    (
        "models/assignment.py match",
        "i, nearest, step = (holder[column], -1, np.inf) ->",
    ): "always found, since all similarities are finite",
    (
        "models/assignment.py match",
        "if cost < distance[j]: -> if cost <=",
    ): "of equally good matchings any will do",
    (
        "models/assignment.py match",
        "if distance[j] < step: -> if distance[j] <=",
    ): "of equally good matchings any will do",
    (
        "models/alignment.py best_order",
        "order[:] = best if differ else match(similarity) -> order[:] = best if False",
    ): "best rows that differ are what `match` finds, slowly",
    (
        "models/likelihood.py log_sum",
        "finite = np.where(np.isfinite(largest), largest, 0.0) -> finite = np.where(np.isfinite(largest), largest, 1.0)",
    ): "any finite number: the row is all -inf",
    (
        "models/likelihood.py softmax",
        "likelihood = np.exp(joint - np.where(ruled_out, 0.0, largest)[:, None]) -> likelihood = np.exp(joint - np.where(ruled_out, 1.0",
    ): "any finite number: the row is replaced",
    (
        "models/model.py TopicModel._log_joint",
        "if len(words) < self.n_words: ->",
    ): "which road is faster",
    (
        "models/model.py TopicModel._log_joint",
        "words.setflags(write=False) ->",
    ): "which kernel is compiled, and here none is",
    (
        "documents/csr.py from_tokens",
        "return from_words(np.concatenate([np.zeros(0, np.int64), *arrays]), lengths, n_words) -> return from_words(np.concatenate([np.ones(0",
    ): "no entries",
    ("documents/csr.py _as_ids", "return np.zeros(0, np.int64) -> return np.ones(0"): "no entries",
    (
        "documents/csr.py _as_ids",
        "array = np.zeros((1, 1)) ->",
    ): "anything with two dimensions is refused",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts > 0)",
    ): "zeros have been dropped",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts >= 1)",
    ): "zeros have been dropped",
    (
        "documents/csr.py _check_counts",
        "whole = np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)) -> whole = np.isfinite(counts) & (counts >= 0) & (counts == np.ceil",
    ): "the same integers",
    (
        "documents/documents.py Documents.empty",
        "return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), check_n_words(n_words)) -> return cls(np.zeros(1, np.int64), np.ones(0",
    ): "no entries",
    (
        "documents/documents.py Documents.empty",
        "return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), check_n_words(n_words)) -> return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.ones(0",
    ): "no entries",
    (
        "documents/documents.py Documents.widen",
        "if n_words < self.n_words: -> if n_words <=",
    ): "equal sizes have returned",
    (
        "documents/recoding.py check_recoding",
        "if new_ids is None and n_before <= n_words: -> if False",
    ): "a short cut",
    (
        "documents/recoding.py check_recoding",
        "if new_ids is None and n_before <= n_words: -> if new_ids is None and n_before < n_words",
    ): "a short cut",
    (
        "documents/recoding.py check_recoding",
        "taken = np.bincount(ids[ids >= 0], minlength=1) -> taken = np.bincount(ids[ids >= 0], minlength=2",
    ): "one 0 more",
    (
        "models/model.py TopicModel.recode",
        "topics = np.where(mass > 0, topics / np.where(mass > 0, mass, 1.0), uniform) -> topics = np.where(mass > 0, topics / np.where(mass > 0, mass, 2.0)",
    ): "any number but 0: the row is replaced",
    (
        "models/model.py _check_distribution",
        "if abs(sums[worst] - 1.0) > SUM_TOLERANCE: -> if abs(sums[worst] - 1.0) >=",
    ): "a tolerance, to the last bit",
    (
        "documents/documents.py Documents.concatenate",
        "return Documents(np.concatenate([np.zeros(1, np.int64), *indptr]), np.concatenate([part.words for part in parts]), np.concatenate([part.counts for part in parts]), parts[0].n_words) -> return Documents(np.concatenate([np.zeros(1, np.int64), *indptr]), np.concatenate([part.words for part in parts]), np.concatenate([part.counts for part in parts]), parts[1]",
    ): "all parts have the same, and there are two or more",
}
