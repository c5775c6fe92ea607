"""EM over remembered documents, against the plain E-step of a smoothed model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents, Reservoir, TopicModel
from spectralleader.documents import DocumentView
from spectralleader.em.columns import Columns, Smoothing, work_space
from spectralleader.em.passes import (
    EVERY,
    SWEEP_POWER,
    batch_pass,
    log_probs,
    sweep,
    visit_changes,
)
from spectralleader.em.statistics import Statistics, read_off, with_words
from spectralleader.learners.hedged.sample_topics import arrays_of
from tests.factories import blocks, documents, model

SEEN = np.array([3.0, 1.0, 2.0, 2.0, 2.0])
SMOOTHING = Smoothing(SEEN, 10.0, 0.7)
ROUNDED = 1e-6  # posteriors are remembered in float32


def start(seed=0, n_topics=3, n_docs=1.0):
    one = Statistics.one_document(model(n_topics, 5, seed=seed), 30.0)
    return Statistics(n_docs * one.totals, n_docs * one.words)


def columns(statistics, before=0):
    """Statistics after some columns of another's, which must stay 7."""
    k = statistics.totals.shape[1]
    words, totals = np.full((len(statistics.words), before + k), 7.0), np.full((2, before + k), 7.0)
    words[:, before:], totals[:, before:] = statistics.words, statistics.totals
    return Columns(words, totals, before, k)


def model_of(statistics):
    return read_off(statistics.columns, SMOOTHING)


def statistics_of(block, posterior):
    statistics = Statistics.zero(posterior.shape[1], block.n_words)
    statistics.add(block, posterior.astype(float))
    return statistics


def weights_and_sizes(statistics):
    """Eq. 27: smoothed weights of the topics, and their numbers of words."""
    weights = statistics.totals[0] + 1 / 3
    return weights / weights.sum(), statistics.totals[1] + SMOOTHING.strength


def posterior_of(one, statistics, weights, sizes):
    topics = (statistics.words + SMOOTHING.strength * SEEN[:, None] / 10.0) / sizes
    row = weights * np.exp((one.counts[:, None] * np.log(topics[one.words])).sum(axis=0))
    return row / row.sum()


def assert_sums(found, block, posterior):
    """The statistics are those of the documents by these posteriors; other columns stayed."""
    expected, at = statistics_of(block, posterior), slice(found.first, None)
    np.testing.assert_allclose(found.words[:, at], expected.words, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.totals[:, at], expected.totals, rtol=1e-9, atol=1e-9)
    assert (found.words[:, : found.first] == 7.0).all()


@given(block=blocks(5), n_topics=st.integers(1, 20))
def test_a_pass_is_the_e_step_of_the_smoothed_model(block, n_topics):
    block, given = with_words(block), start(n_topics=n_topics)
    target = columns(Statistics.zero(n_topics, 5), before=2)
    posterior = np.empty((block.n_docs, n_topics), np.float32)
    how = (SMOOTHING, target, posterior, work_space(n_topics))
    batch_pass(DocumentView.of(block), columns(given, 1), *how)
    meant = model_of(given)
    np.testing.assert_allclose(posterior, meant.posterior(block), atol=ROUNDED)
    assert_sums(target, block, posterior)
    found = log_probs(DocumentView.of(block), columns(given, 1), SMOOTHING)
    np.testing.assert_allclose(found, meant.log_prob(block), atol=1e-9)


@pytest.mark.parametrize("n_topics", [1, 5, 30])
def test_long_documents_and_large_counts_do_not_underflow(n_topics):
    counts = np.array([[200, 1, 0, 0, 3], [1, 2, 1, 900, 0], [1, 1, 7, 0, 0], [10**6, 1, 2, 3, 4]])
    block, given = Documents.from_matrix(counts), start(n_topics=n_topics)
    found = log_probs(DocumentView.of(block), columns(given), SMOOTHING)
    np.testing.assert_allclose(found, model_of(given).log_prob(block), rtol=1e-9)


def test_long_documents_are_visited_and_swept_by_the_posteriors_of_the_smoothed_model():
    counts = np.array([[200, 150, 90, 40, 3], [1, 2, 1, 3, 0], [190, 160, 80, 45, 5]])
    block = Documents.from_matrix(counts)
    words = np.tile([[8.0, 8.2]], (5, 1))
    words[0, 0] += 0.1  # topics so close that two hundred words leave both of them possible
    given = Statistics(np.array([[9.0, 8.0], words.sum(axis=0)]), words)
    meant = model_of(given).posterior(block)
    assert meant[0].min() > 0.01
    posterior, found = np.zeros((3, 2), np.float32), columns(given)
    visit(block, np.arange(1), posterior, found, 0.0)
    np.testing.assert_allclose(posterior[0], meant[0], atol=ROUNDED)
    found = columns(given)
    sweep(DocumentView.of(block), found, SMOOTHING, 3, 1)
    step = 2.0**-SWEEP_POWER
    expected = (1.0 - step) * given.words + step * statistics_of(block, meant).words
    np.testing.assert_allclose(found.words, expected, rtol=1e-9)


def objective(block, statistics):
    """What EM climbs: likelihood, and the prior that the smoothing is."""
    found = model_of(statistics)
    prior = SMOOTHING.strength * (SEEN / 10.0 * np.log(found.topics)).sum()
    weights = np.log(found.weights).sum() / len(found.weights)
    return found.log_prob(block).sum() + prior + weights


def test_visits_never_lower_what_em_climbs():
    block, slots = documents(200, 5), np.arange(200)
    posterior = model_of(start(seed=4)).posterior(block).astype(np.float32)
    found = columns(statistics_of(block, posterior))
    view = (block, slots, posterior)
    before = objective(block, Statistics(found.totals, found.words))
    for _ in range(20):
        visit(*view, found, 0.0)
        after = objective(block, Statistics(found.totals, found.words))
        assert after >= before - 1e-3  # weights and sizes are those of up to 32 documents ago
        before = after
    assert_sums(found, block, posterior)


def test_a_visit_that_moves_little_adds_nothing():
    block, slots = documents(50, 5), np.arange(50)
    posterior = model_of(start()).posterior(block).astype(np.float32)
    found = columns(statistics_of(block, posterior))
    kept = found.words.copy()
    visit(block, slots, posterior, found, 2.0)
    np.testing.assert_array_equal(found.words, kept)


def test_a_document_that_enters_is_added_however_even_its_posterior_is():
    block = Documents.from_tokens([[0], [1]], n_words=5)
    posterior, found = np.zeros((2, 1500), np.float32), columns(Statistics.zero(1500, 5))
    visit(block, np.arange(2), posterior, found, 1e-3)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-4)


def topics_of(found):
    return tuple(found), tuple(SMOOTHING)


def visit(block, slots, posterior, found, least):
    """Visit documents in some slots, as if they had just entered."""
    view, chosen = tuple(DocumentView.of(block)), np.stack([slots, slots], axis=1)
    none_left, work = (view, view, chosen, 0, arrays_of(block)), work_space(found.n_topics)
    visit_changes(none_left, False, (0, 0), posterior, topics_of(found), least, work)


def follow(block, size, seed, *, keeps):
    """Follow a small reservoir; return it with its posteriors, and the statistics."""
    sample = Reservoir(25, n_words=5, seed=seed)
    posterior = np.zeros((25, 3), np.float32)
    found, n_next = columns(Statistics.zero(3, 5), before=2), 0
    for part in block.blocks(size):
        n_before, change = len(sample), sample.add(part)
        moved = (tuple(sample.view), tuple(change.moved), change.chosen, n_before, arrays_of(part))
        how = posterior, topics_of(found), 0.0, work_space(3)
        visit_changes(moved, keeps, (n_next, 4), *how)
        n_next = (n_next + 4) % len(sample)
    return sample, posterior[: len(sample)], found


@given(seed=st.integers(0, 30), size=st.integers(1, 40))
def test_following_a_sample_keeps_the_sums_of_its_documents(seed, size):
    block = with_words(documents(120, 5, seed=seed))
    sample, posterior, found = follow(block, size, seed, keeps=False)
    assert_sums(found, sample.documents, posterior)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=1e-5)


@given(seed=st.integers(0, 30), size=st.integers(1, 40))
def test_following_a_stream_counts_every_document_once(seed, size):
    block = with_words(documents(120, 5, seed=seed))
    sample, posterior, found = follow(block, size, seed, keeps=True)
    totals, words = found.totals[:, 2:], found.words[:, 2:]
    np.testing.assert_allclose(totals.sum(axis=1), [block.n_docs, block.lengths.sum()], rtol=1e-5)
    expected = np.bincount(block.words, block.counts, minlength=5)
    np.testing.assert_allclose(words.sum(axis=1), expected, rtol=1e-5)
    np.testing.assert_allclose(words.sum(axis=0), totals[1], rtol=1e-5)
    # what those that are remembered add is still theirs alone, so that it can be replaced
    others = statistics_of(sample.documents, posterior.astype(float))
    assert (words >= others.words - 1e-5).all()


def test_documents_that_do_not_enter_are_added_by_their_posteriors():
    """Weights and sizes of topics are those of up to 32 documents ago, words are up to date."""
    sample, block = Reservoir(9, n_words=5), documents(80, 5, seed=4)
    change = sample.add(documents(9, 5, seed=5))
    posterior = model_of(start()).posterior(sample.documents).astype(np.float32)
    found = columns(statistics_of(sample.documents, posterior))
    expected = Statistics(found.totals.copy(), found.words.copy())
    chosen, none_moved = np.array([[2, 5]]), change.moved._replace(bounds=change.moved.bounds[:2])
    nothing_left = (tuple(sample.view), tuple(none_moved), chosen, 0, arrays_of(block))
    visit_changes(nothing_left, True, (0, 0), posterior, topics_of(found), 2.0, work_space(3))
    for i in range(80):
        if i % EVERY == EVERY - 1 or i == 0:
            weights, sizes = weights_and_sizes(expected)
        if i != 2:
            expected.add(block[i], posterior_of(block[i], expected, weights, sizes)[None])
    np.testing.assert_allclose(found.words, expected.words)
    np.testing.assert_allclose(found.totals, expected.totals)


@given(seed=st.integers(0, 30))
def test_a_sweep_stays_in_the_unit_of_all_documents_and_gains(seed):
    block, found = documents(300, 5, seed=seed), columns(start(seed, n_docs=300.0), before=1)
    sweep(DocumentView.of(block), found, SMOOTHING, 15, 3)
    after = Statistics(found.totals[:, 1:], np.ascontiguousarray(found.words[:, 1:]))
    assert after.totals[0].sum() == pytest.approx(300, rel=0.05)
    np.testing.assert_allclose(after.totals[1], after.words.sum(axis=0))
    assert model_of(after).log_prob(block).mean() > model_of(start(seed)).log_prob(block).mean()
    assert (found.words[:, 0] == 7.0).all()


def test_a_sweep_is_stepwise_em_as_it_is_written():
    """Blocks of 15, the last one shorter: ``mu <- (1 - eta) mu + eta s'``, mu of all documents."""
    block = documents(40, 5, seed=3)
    found = columns(start(1, n_docs=40.0), before=1)
    mu, n_steps = start(1, n_docs=40.0), 0
    for _ in range(2):
        for part in block.blocks(15):
            eta, n_steps = (n_steps + 2.0) ** -0.6, n_steps + 1
            added = statistics_of(part, model_of(mu).posterior(part))
            share = eta * 40 / part.n_docs
            mu = Statistics(
                (1 - eta) * mu.totals + share * added.totals,
                (1 - eta) * mu.words + share * added.words,
            )
    sweep(DocumentView.of(block), found, SMOOTHING, 15, 2)
    np.testing.assert_allclose(found.words[:, 1:], mu.words, rtol=1e-9)
    np.testing.assert_allclose(found.totals[:, 1:], mu.totals, rtol=1e-9)


def test_a_visit_replaces_a_documents_posterior_by_that_under_all_the_statistics():
    block = documents(6, 5, seed=2)
    posterior = model_of(start()).posterior(block).astype(np.float32)
    found, before = columns(statistics_of(block, posterior)), posterior.copy()
    expected = model_of(Statistics(found.totals.copy(), found.words.copy())).posterior(block[4])
    visit(block, np.array([4]), posterior, found, 0.0)
    np.testing.assert_allclose(posterior[4], expected[0], atol=ROUNDED)
    np.testing.assert_array_equal(np.delete(posterior, 4, axis=0), np.delete(before, 4, axis=0))
    assert_sums(found, block, posterior)


def test_the_next_documents_in_turn_are_visited_again():
    sample = Reservoir(9, n_words=5)
    change = sample.add(documents(9, 5, seed=4))
    posterior = np.full((9, 3), 1 / 3, np.float32)
    found = columns(statistics_of(sample.documents, posterior))
    none_moved = change.moved._replace(bounds=change.moved.bounds[:0])
    none = arrays_of(documents(0, 5))
    moved = (tuple(sample.view), tuple(none_moved), change.chosen[:0], 9, none)
    found.words[0, 0] += 1.0  # or all topics would be alike
    visit_changes(moved, False, (7, 3), posterior, topics_of(found), 0.0, work_space(3))
    visited = (np.abs(posterior - np.float32(1 / 3)).max(axis=1) > 0).nonzero()[0]
    assert set(visited.tolist()) <= {7, 8, 0}
    assert {7, 8} & set(visited.tolist())


@pytest.mark.parametrize("least", [0.0, 0.05])
def test_visits_are_incremental_em_as_it_is_written(least):
    """Weights and sizes of topics are those of up to 32 documents ago, words are up to date."""
    block = documents(80, 5, seed=6)
    posterior = model_of(start(seed=4)).posterior(block).astype(np.float32)
    found, expected = columns(statistics_of(block, posterior)), posterior.copy()
    now = statistics_of(block, posterior)
    for i in range(80):
        if i % EVERY == EVERY - 1 or i == 0:
            weights, sizes = weights_and_sizes(now)
        row = posterior_of(block[i], now, weights, sizes)
        change = row.astype(np.float32).astype(float) - expected[i].astype(float)
        if np.abs(change).max() > least:
            now.add(block[i], change[None])
            expected[i] = (expected[i] + change).astype(np.float32)
    visit(block, np.arange(80), posterior, found, least)
    np.testing.assert_allclose(posterior, expected, atol=1e-6)
    np.testing.assert_allclose(found.words, now.words, atol=1e-5)


def closed(which, n_topics=4, n_docs=20.0):
    """Statistics of which some topics have no documents."""
    statistics = start(n_topics=n_topics, n_docs=n_docs)
    statistics.totals[:, which], statistics.words[:, which] = 0.0, 0.0
    return statistics


@given(block=blocks(5), which=st.sets(st.integers(0, 3), min_size=1, max_size=3))
def test_a_topic_without_documents_has_no_weight(block, which):
    block, given_ones, which = with_words(block), closed(list(which)), list(which)
    weights = np.where(given_ones.totals[0] > 0, given_ones.totals[0] + 1 / 4, 0.0)
    posterior, work = np.empty((block.n_docs, 4), np.float32), work_space(4)
    target = columns(Statistics.zero(4, 5), before=2)
    batch_pass(DocumentView.of(block), columns(given_ones, 1), SMOOTHING, target, posterior, work)
    np.testing.assert_allclose(work[2, 0], weights / weights.sum())
    assert (work[2, 0, which] == 0.0).all()
    assert (posterior[:, which] == 0.0).all()
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, atol=ROUNDED)
    assert_sums(target, block, posterior)
    # nor has it in what is predicted
    rest, topics = np.setdiff1d(range(4), which), model_of(given_ones).topics
    alone = TopicModel(weights[rest] / weights.sum(), topics[rest])
    found = log_probs(DocumentView.of(block), columns(given_ones, 1), SMOOTHING)
    np.testing.assert_allclose(found, alone.log_prob(block), atol=1e-9)


def test_long_documents_do_not_underflow_where_a_topic_without_documents_expects_them():
    counts = np.array([[0, 900, 0, 0, 0], [0, 10**6, 1, 0, 0], [0, 1, 1, 0, 0]])
    words = np.array([[1e5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0, 0, 1e5], [0, 0, 0]])
    given_ones = Statistics(np.array([[1e4, 0.0, 1e4], words.sum(axis=0)]), words)
    block, posterior = Documents.from_matrix(counts), np.empty((3, 3), np.float32)
    target = columns(Statistics.zero(3, 5))
    batch_pass(
        DocumentView.of(block), columns(given_ones), SMOOTHING, target, posterior, work_space(3)
    )
    np.testing.assert_allclose(posterior, np.tile([0.5, 0.0, 0.5], (3, 1)), atol=ROUNDED)


def test_a_topic_without_documents_gets_none_in_later_visits_and_sweeps():
    block = documents(200, 5, seed=3)
    posterior = np.zeros((200, 4), np.float32)
    posterior[:, [0, 2]] = model_of(start(n_topics=2)).posterior(block)
    found = columns(statistics_of(block, posterior), before=1)
    before = posterior.copy()
    for _ in range(3):
        visit(block, np.arange(200), posterior, found, 0.0)
    assert np.abs(posterior - before).max() > 0.01  # the others have moved
    assert (posterior[:, [1, 3]] == 0.0).all()
    assert_sums(found, block, posterior)
    sweep(DocumentView.of(block), found, SMOOTHING, 15, 2)
    assert (found.totals[0, [1, 3]] > 0).all()
    assert (found.totals[:, [2, 4]] == 0.0).all()
    assert (found.words[:, [2, 4]] == 0.0).all()


def test_topics_none_of_which_has_documents_weigh_the_same():
    block, nothing = with_words(documents(20, 5)), columns(Statistics.zero(3, 5), before=1)
    target, posterior = columns(Statistics.zero(3, 5)), np.empty((block.n_docs, 3), np.float32)
    batch_pass(DocumentView.of(block), nothing, SMOOTHING, target, posterior, work_space(3))
    np.testing.assert_array_equal(posterior, np.float32(1 / 3))
    expected = (block.counts * np.log(SEEN[block.words] / 10.0)).sum()
    assert log_probs(DocumentView.of(block), nothing, SMOOTHING).sum() == pytest.approx(expected)
