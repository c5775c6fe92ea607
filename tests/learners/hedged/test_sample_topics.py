"""Which topics are in use, by the posteriors of documents; and what SampleTopics makes of them."""

import numpy as np

from spectralleader.learners.hedged.sample_topics import N_COUNTED, count_used, find_dead
from spectralleader.learners.hedged.settings import SETTINGS

DEAD = SETTINGS.dead


def test_topics_in_use_are_counted_whatever_the_order_of_the_documents():
    """Such as three sources in turn, of which any third document is from the first."""
    for n in (300, 3 * 10 * N_COUNTED, 20_000):
        posterior = np.zeros((n, 10), np.float32)
        posterior[np.arange(n), np.arange(n) % 3] = 1.0
        assert count_used(posterior, 0.1) == 3


def test_a_topic_is_dead_without_documents_or_as_a_copy_and_not_because_none_prefers_it():
    share = np.random.default_rng(0).uniform(0.5, 1.0, size=200)
    overlapping = np.stack([share, 1.0 - share, np.zeros(200)], axis=1).astype(np.float32)
    assert find_dead(overlapping, DEAD).tolist() == [False, False, True]
    own = (np.arange(200) % 2).astype(np.float32)
    copied = np.stack([0.6 * own, 1.0 - own, 0.4 * own], axis=1)
    assert find_dead(copied, DEAD).tolist() == [False, False, True]
    assert find_dead(np.eye(3, dtype=np.float32)[np.arange(200) % 3], DEAD).tolist() == [False] * 3
    assert find_dead(np.ones((9, 1), np.float32), DEAD).tolist() == [False]


def test_of_two_copies_that_no_document_prefers_one_is_dead():
    """Together they have a third of the documents, which a third topic merely overlaps."""
    share = np.random.default_rng(0).uniform(0.0, 0.32, size=200)
    posterior = np.stack([1.0 - 2.0 * share, share, share], axis=1).astype(np.float32)
    assert find_dead(posterior, DEAD).tolist() == [False, False, True]
