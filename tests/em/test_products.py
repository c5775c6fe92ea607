"""Products of many small probabilities, without underflow."""

import numpy as np
import pytest

from spectralleader.em.products import Chances, multiply_words, normalise, safe_length

N_WORDS, STRENGTH = 600, 5.0


def long_document(n_topics):
    # its first half is all but impossible in the odd topics, its second in the even ones
    rng = np.random.default_rng(n_topics)
    table = rng.random((N_WORDS, n_topics + 3))
    table[: N_WORDS // 2, 3 + 1 :: 2] = table[N_WORDS // 2 :, 3::2] = 0.0
    words, counts = np.arange(N_WORDS, dtype=np.int32), rng.integers(1, 4, N_WORDS).astype(float)
    seen = 0.5 + rng.integers(0, 5, N_WORDS)
    return words, counts, table, seen, rng.dirichlet(np.ones(n_topics))


@pytest.mark.parametrize("n_topics", [1, 2, 5, 20])
def test_a_topic_far_behind_halfway_may_still_win(n_topics):
    words, counts, table, seen, prior = long_document(n_topics)
    slope = 1.0 / (table[:, 3:].sum(axis=0) + STRENGTH)
    offset = STRENGTH * slope / seen.sum()
    safe = safe_length(offset[None], seen.min())
    assert safe < 100
    logs = np.log(prior) + counts @ np.log(slope * table[:, 3:] + np.outer(seen, offset))
    meant, rows, rest = logs.max() + np.log(np.exp(logs - logs.max()).sum()), prior[None], 0 * prior
    two = Chances(table, 3, seen, np.stack([slope] * 2), np.stack([offset] * 2), safe)
    rows, rest = np.repeat(rows, 2, axis=0), np.stack([rest] * 2)  # the same smoothing twice
    is_long = multiply_words(0, N_WORDS, words, counts, two, rows, rest)
    assert is_long
    for row, left in zip(rows, rest, strict=True):
        assert normalise(row, left, is_long) == pytest.approx(meant, rel=1e-12)
        np.testing.assert_allclose(row, np.exp(logs - meant), rtol=1e-8, atol=1e-80)
