"""Products of many small probabilities, without underflow."""

import numpy as np
import pytest

from spectralleader.learners.hedged.groups import LANES, group, grouped, long_posterior
from spectralleader.learners.hedged.products import lines, multiply_words, normalise, safe_length

N_WORDS, STRENGTH = 600, 5.0


def long_document(n_topics):
    # its first half is all but impossible in the odd topics, its second in the even ones
    rng = np.random.default_rng(n_topics)
    table = rng.random((N_WORDS, n_topics))
    table[: N_WORDS // 2, 1::2] = table[N_WORDS // 2 :, ::2] = 0.0
    words, counts = np.arange(N_WORDS, dtype=np.int32), rng.integers(1, 4, N_WORDS).astype(float)
    background = rng.dirichlet(np.ones(N_WORDS)) * 0.9 + 0.1 / N_WORDS
    return words, counts, table, background, rng.dirichlet(np.ones(n_topics))


@pytest.mark.parametrize("n_topics", [1, 2, 5, LANES, 20])
def test_a_topic_far_behind_halfway_may_still_win(n_topics):
    words, counts, table, background, prior = long_document(n_topics)
    slope, offset = lines(table.sum(axis=0), STRENGTH)
    safe = safe_length(offset, background.min())
    assert safe < 100
    logs = np.log(prior) + counts @ np.log(slope * table + np.outer(background, offset))
    meant, row, rest = logs.max() + np.log(np.exp(logs - logs.max()).sum()), prior.copy(), 0 * prior
    document = (0, N_WORDS, words, counts)
    is_long = multiply_words(*document, table, background, slope, offset, safe, row, rest)
    assert is_long
    assert normalise(row, rest, is_long) == pytest.approx(meant, rel=1e-12)
    np.testing.assert_allclose(row, np.exp(logs - meant), rtol=1e-8, atol=1e-80)
    if n_topics <= LANES:
        lanes, topics = np.empty(LANES), grouped(table, background, slope, offset)
        found = long_posterior(*document, topics, group(prior), lanes, rest, safe)
        assert found == pytest.approx(meant, rel=1e-12)
        np.testing.assert_allclose(lanes[:n_topics], row, rtol=1e-8, atol=1e-80)
