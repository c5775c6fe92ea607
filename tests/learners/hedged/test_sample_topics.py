"""Which topics are in use, by the posteriors of documents; and what SampleTopics makes of them."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader import Reservoir, Window
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.hedged.experts import ALL, RECENT, Experts
from spectralleader.learners.hedged.sample_topics import (
    COPY,
    MATCHED,
    N_COUNTED,
    AveragedTopics,
    SampleTopics,
    count_preferred,
    count_used,
    find_dead,
    match_posteriors,
    some_of,
)
from spectralleader.learners.hedged.settings import LEAST, SETTINGS
from tests.factories import documents, model

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


def test_only_topics_below_the_fraction_are_dead_and_only_those_from_it_are_in_use():
    """Of 40 documents and 4 topics an even share is 10."""
    posterior = np.eye(4, dtype=np.float32)[np.repeat(range(4), [20, 14, 5, 1])]
    assert find_dead(posterior, 0.5).tolist() == [False, False, False, True]
    assert find_dead(posterior, 0.51).tolist() == [False, False, True, True]
    posterior[-1] = [0.4, 0.0, 0.0, 0.6]  # of a tenth, by which documents prefer it, it has less
    assert find_dead(posterior, 0.1).tolist() == [False] * 4
    assert (count_used(posterior, 0.5), count_used(posterior, 0.51)) == (3, 2)


@pytest.mark.parametrize(("cosine", "is_dead"), [(COPY - 0.01, False), (COPY + 0.01, True)])
def test_a_copy_is_as_alike_as_the_cosine_says(cosine, is_dead):
    """Two topics without a document that prefers them, whose shares have this cosine."""
    a, b = 0.2 * np.ones(200), 0.2 * cosine * np.ones(200)
    b += 0.2 * np.sqrt(1 - cosine**2) * np.where(np.arange(200) % 2, 1.0, -1.0)
    a[::4] = a[1::4] = b[::4] = b[1::4] = 0.0  # or the first topic would be much like them, too
    posterior = np.stack([1.0 - a - b, a, b], axis=1).astype(np.float32)
    assert posterior.argmax(axis=1).max() == 0
    assert find_dead(posterior, 0.2).tolist() == [False, False, is_dead]


def test_a_part_of_many_posteriors_is_counted_and_always_the_same():
    posterior = np.random.default_rng(0).dirichlet(np.ones(3), size=1000).astype(np.float32)
    few = posterior[: 3 * N_COUNTED]
    assert some_of(few) is few
    assert count_preferred(few).tolist() == np.bincount(few.argmax(axis=1)).tolist()
    assert some_of(posterior).shape == few.shape
    np.testing.assert_array_equal(some_of(posterior), some_of(posterior))
    assert count_preferred(posterior).sum() == 3 * N_COUNTED
    assert count_preferred(np.eye(3, dtype=np.float32)[:1]).tolist() == [1, 0, 0]


@pytest.mark.parametrize("n", [3, 10, MATCHED, MATCHED + 1])
def test_topics_are_matched_by_the_documents_they_share(n):
    before = np.eye(3, dtype=np.float32)[np.arange(n) % 3]
    assert match_posteriors(before[:, [1, 2, 0]], before).tolist() == [2, 0, 1]


BLOCK = documents(200, 5, seed=3)


def following(kind=Window, size=300, n_topics=3, **settings):
    """A sample over 5 words, with topics once it restarts, and the experts."""
    experts = Experts(n_topics, 5)
    experts.background.add(BLOCK)
    settings = replace(SETTINGS, **settings)
    return SampleTopics(kind(size, n_words=5), experts, settings), experts


def started(n_docs=60, **how):
    """The same, after a restart from some topics with n_docs documents."""
    topics, experts = following(**how)
    topics.learn(BLOCK[:n_docs], 0.0)
    topics.restart(some(topics.posterior.shape[1]).columns, 1)
    return topics, experts


def some(n_topics=3, seed=0):
    one = Statistics.one_document(model(n_topics, 5, seed=seed), 30.0)
    return Statistics(100 * one.totals, 100 * one.words)


def test_a_sample_has_no_topics_until_it_restarts():
    topics, _ = following()
    topics.learn(BLOCK[:60], 5.0)
    assert len(topics.sample) == 60
    assert not topics.statistics.totals.any()
    assert not topics.posterior.any()
    assert topics._due == 0.0


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_other_estimates_are_left_alone(kind):
    topics, experts = started(kind=kind)
    topics.learn(BLOCK[60:90], 2.0)
    mine = ALL if kind is Reservoir else RECENT
    assert topics.statistics.totals[0].sum() == pytest.approx(90, rel=1e-5)
    for name in experts.table.estimates:
        assert experts.estimates.view(name).totals.any() == (name == mine)


def test_remembered_documents_are_visited_in_turn_and_fractions_carry_over(monkeypatch):
    topics, _ = started(10)
    visited = []
    monkeypatch.setattr(
        "spectralleader.learners.hedged.sample_topics.visit_changes",
        lambda changes, keeps, revisited, *rest: visited.append(revisited),
    )
    for i in range(6):
        topics.learn(BLOCK[10 + i], 2.5)
    # 2 or 3 in turn, of 11 to 16 documents
    assert visited == [(0, 2), (2, 3), (5, 2), (7, 3), (10, 2), (12, 3)]
    assert topics._next == 15
    topics.learn(BLOCK[16:18], 2.0)
    assert visited[-1] == (15, 4)
    assert topics._next == 1  # of 18
    topics.learn(BLOCK[18], 1000.0)
    assert visited[-1] == (1, 19)  # each at most once


@pytest.mark.parametrize("kind", [Reservoir, Window])
def test_posteriors_have_room_for_twice_the_documents_and_no_more_than_the_sample(kind):
    topics, _ = started(10, kind=kind, size=30)
    before = topics.posterior.copy()
    assert len(topics._room) == 20
    topics.learn(BLOCK[10:12], 0.0)
    assert len(topics._room) == 20
    np.testing.assert_array_equal(topics.posterior[:10], before)
    np.testing.assert_allclose(topics.posterior.sum(axis=1), 1.0, atol=1e-5)
    topics.learn(BLOCK[12:21], 0.0)
    assert len(topics._room) == 30
    np.testing.assert_array_equal(topics.posterior[:10], before)
    topics.learn(BLOCK[21:90], 0.0)
    assert topics.posterior.shape == (30, 3)
    np.testing.assert_allclose(topics.posterior.sum(axis=1), 1.0, atol=1e-5)


def test_topics_are_fitted_by_the_rule_of_their_words_and_open_topics():
    topics, experts = started()
    n_docs, n_words = topics.statistics.totals.sum(axis=1)
    smoothing = topics.smoothing
    assert n_docs == pytest.approx(60, rel=1e-5)
    assert smoothing.strength == SETTINGS.fit_strength(n_words, 3, 5)
    assert smoothing.seen is experts.background.roots
    assert smoothing.n_seen == experts.background.n_roots


def test_a_restart_is_an_e_step_and_as_many_visits_of_all_documents():
    topics, experts = following(size=60)
    topics.learn(BLOCK[:60], 0.0)
    start = some()
    rule = SETTINGS.fit_strength(float(start.totals[1].sum()), 3, 5)
    fitted = read_off(start.columns, experts.background.smoothing(rule))
    topics.restart(start.columns, 0)
    np.testing.assert_allclose(topics.posterior, fitted.posterior(BLOCK[:60]), atol=1e-6)
    expected = Statistics.zero(3, 5)
    expected.add(BLOCK[:60], topics.posterior.astype(float))
    np.testing.assert_allclose(topics.statistics.words, expected.words, rtol=1e-6)
    once = topics.posterior.copy()
    given = experts.background.smoothing(50.0)
    topics.restart(start.columns, 0, smoothing=given)
    other = read_off(start.columns, given).posterior(BLOCK[:60])
    np.testing.assert_allclose(topics.posterior, other, atol=1e-6)
    topics.restart(start.columns)
    five = topics.posterior.copy()
    topics.restart(start.columns, SETTINGS.n_passes)
    np.testing.assert_array_equal(topics.posterior, five)
    assert np.abs(five - once).max() > 0.01


def test_a_restart_returns_the_share_of_documents_that_changed_topic():
    topics, _ = started()
    before = topics.posterior.argmax(axis=1)
    other = some(seed=7)
    moved = topics.restart(other.columns, 1, renumber=False)
    assert moved == (topics.posterior.argmax(axis=1) != before).mean() > 0.0


@pytest.mark.parametrize("chosen", [0.0, 0.5, 1e6])
def test_topics_are_read_with_the_chosen_strength_up_to_the_words_of_a_topic(chosen):
    topics, experts = started()
    topics.strength = chosen
    own = topics.statistics.totals[1].sum() / 3
    expected = min(chosen or topics.smoothing.strength, own)
    assert topics.read_strength == pytest.approx(expected)
    read = read_off(topics.columns, experts.background.smoothing(topics.read_strength))
    np.testing.assert_array_equal(topics.model.topics, read.topics)
    np.testing.assert_array_equal(topics.model.weights, read.weights)


def test_topics_without_words_are_read_with_the_least_strength():
    topics, _ = following()
    assert topics.read_strength == LEAST
    np.testing.assert_array_equal(topics.model.weights, 1 / 3)


def test_closed_topics_give_their_documents_away_and_are_closed_once():
    topics, _ = started(kind=Reservoir)
    second = np.array([False, True, False])
    assert not topics.close(np.zeros(3, bool))
    assert topics.close(second)
    (closed,) = np.flatnonzero(topics.statistics.totals[0] == 0.0)
    assert topics.statistics.totals[1, closed] == topics.model.weights[closed] == 0.0
    assert (topics.posterior[:, closed] == 0.0).all()
    assert topics.statistics.totals[0].sum() == pytest.approx(60, rel=1e-5)
    before = topics.statistics.words.copy()
    assert not topics.close(np.arange(3) == closed)
    np.testing.assert_array_equal(topics.statistics.words, before)


def test_dead_and_used_topics_are_those_of_the_posteriors():
    topics, _ = started(dead=0.5, used=0.9)
    topics.posterior = np.eye(3, dtype=np.float32)[np.repeat(range(3), [40, 15, 5])]
    assert topics.is_dead.tolist() == [False, False, True]
    assert topics.n_used == 1


@pytest.mark.parametrize(("n_docs", "rate"), [(120, 2 / 3), (200, 1.0)])
def test_an_average_takes_its_share_of_the_current_topics(n_docs, rate):
    """20 of 120 documents over 0.25 of 120, or all of 200; rescaled to the documents counted."""
    experts, before, now = Experts(3, 5), some(seed=1), some(seed=2)
    averaged = AveragedTopics(before.copy(), experts.background, 7.0, 100)
    now = Statistics(4.0 * now.totals, 4.0 * now.words)
    found = averaged.average(now, n_docs, 0.25)
    np.testing.assert_allclose(found.words, (1 - rate) * 4 * before.words + rate * now.words)
    n_words = (1 - rate) * 4 * before.totals[1] + rate * now.totals[1]
    np.testing.assert_allclose(found.totals[1], n_words)
    # weights are shares of all documents, which an average would follow late
    np.testing.assert_array_equal(found.totals[0], now.totals[0])


def test_averaged_topics_are_read_with_the_background_of_their_time():
    _, experts = started()
    averaged = AveragedTopics(some(), experts.background, 7.0, 100)
    expected = read_off(some().columns, experts.background.smoothing(7.0))
    experts.background.add(BLOCK)
    np.testing.assert_array_equal(averaged.model.topics, expected.topics)
    assert averaged.model is averaged.model
    averaged.recode(np.array([1, 0, 2, 3, 4]), 5)
    np.testing.assert_allclose(averaged.model.topics, expected.topics[:, [1, 0, 2, 3, 4]])


def test_documents_of_a_new_sample_have_no_posteriors_nor_numbers_to_keep():
    window = Window(60, n_words=5)
    window.add(BLOCK[:60])
    topics = SampleTopics(window, following()[1])
    assert topics.strength == 0.0
    assert not topics.posterior.any()
    start = some().reorder(np.array([2, 0, 1]))
    topics.restart(start.columns, 0)
    expected = read_off(start.columns, topics._smoothing(start.columns)).posterior(BLOCK[:60])
    np.testing.assert_allclose(topics.posterior, expected, atol=1e-6)


def test_a_restart_keeps_the_numbers_of_the_topics_before_or_of_the_start():
    topics, _ = following(size=60)
    topics.learn(BLOCK[:60], 0.0)
    start, order = some(), np.array([2, 0, 1])
    topics.restart(start.columns, 0)
    before = topics.posterior.copy()
    topics.restart(start.reorder(order).columns, 0)
    np.testing.assert_allclose(topics.posterior, before, atol=1e-6)
    topics.restart(start.reorder(order).columns, 0, renumber=False)
    np.testing.assert_allclose(topics.posterior, before[:, order], atol=1e-6)


@pytest.mark.parametrize(("kind", "n"), [(Reservoir, 60), (Window, 30)])
def test_the_topics_of_a_reservoir_are_those_of_all_documents_and_of_a_window_its_own(kind, n):
    topics, _ = started(kind=kind, size=30)
    remembered = topics.sample.documents
    words = remembered.lengths.sum() * (n / 30)
    np.testing.assert_allclose(topics.statistics.totals.sum(axis=1), [n, words], rtol=1e-6)
    topics.learn(BLOCK[60:100], 0.0)
    assert topics.statistics.totals[0].sum() == pytest.approx(n + (40 if n == 60 else 0), rel=1e-5)


def test_closing_visits_every_document_once():
    (topics, _), (twin, _) = started(), started()
    second = np.array([False, True, False])
    start = twin.statistics.copy()
    start.totals[:, second], start.words[:, second] = 0.0, 0.0
    twin.restart(start.columns, 1)
    topics.close(second)
    np.testing.assert_array_equal(topics.posterior, twin.posterior)
