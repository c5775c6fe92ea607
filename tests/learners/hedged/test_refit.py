"""When the topics that are read are replaced, and what is noted of it."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from spectralleader import Documents, HedgedLeader, Reservoir
from spectralleader.documents import DocumentView
from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics
from spectralleader.evaluation.metrics import matched_accuracy
from spectralleader.learners.events import EventKind
from spectralleader.learners.hedged import refit
from spectralleader.learners.hedged.experts import Experts
from spectralleader.learners.hedged.race import Outcome, restart_topics
from spectralleader.learners.hedged.sample_topics import SampleTopics
from spectralleader.learners.hedged.schedule import Compare, Race, Rescue, Search
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.samples.subsamples import interleave
from study.sources.synthetic import random_problem
from tests.factories import same_state

PROBLEM = random_problem(3, 20, lengths=8, seed=1)


def learned(n_docs, learner=None, seed=0, settings=SETTINGS):
    learner = learner or HedgedLeader(3, n_words=20, settings=settings)
    for block in PROBLEM.blocks(block_size=50, n_steps=n_docs // 50, seed=seed):
        learner.learn(block.documents)
    return learner


def soon(**settings):
    """Few documents are many: races become rare after 200."""
    return replace(SETTINGS, **{"early": 200, **settings})


def learned_with_one_topic_first(n_first, n_then, seed, settings):
    """Return a learner, the documents after those of one topic, and their topics."""
    rng = np.random.default_rng(seed)
    problem = random_problem(6, 60, lengths=8, seed=3)
    labels = np.concatenate([np.zeros(n_first, int), rng.integers(1, 6, n_then)])
    counts = np.array([rng.multinomial(8, problem.truth.topics[label]) for label in labels])
    documents = Documents.from_matrix(counts)
    learner = HedgedLeader(6, n_words=60, seed=seed, settings=settings)
    for block in documents.blocks(50):
        learner.learn(block)
    return learner, documents[n_first:], labels[n_first:]


@pytest.mark.parametrize("seed", [0, 1])
def test_topics_that_fail_the_documents_since_a_change_are_raced_again_soon(seed):
    # The next race would be due after 16,000 documents: all topics but one or two would stay parts
    # of the first.
    settings = soon(early=4000)
    learner, later, labels = learned_with_one_topic_first(4500, 4500, seed, settings)
    assert matched_accuracy(learner.model.posterior(later).argmax(axis=1), labels) > 0.85
    assert [event.kind for event in learner.events][-1] is EventKind.REPLACED


def test_without_such_a_race_they_keep_to_the_first_topic():
    settings = soon(early=4000, outdated=9.0)
    learner, later, labels = learned_with_one_topic_first(4500, 4500, 0, settings)
    assert matched_accuracy(learner.model.posterior(later).argmax(axis=1), labels) < 0.8


def test_a_late_newcomer_that_wins_is_noted_with_the_documents_moved(monkeypatch):
    learner = learned(450, settings=soon())
    assert learner.events == ()
    winner = Statistics.one_document(random_problem(3, 20, lengths=8, seed=5).truth, 8.0)
    monkeypatch.setattr(refit, "race", lambda *_, **__: Outcome(winner, is_new=True, strength=2.0))
    before = learner._refit.overall.posterior.argmax(axis=1)
    n_races = learner.info.n_races
    learned(1500, learner, seed=1)
    (event, *_) = learner.events
    assert learner.info.n_races > n_races
    assert event.kind is EventKind.REPLACED
    assert event.topics == (0, 1, 2)
    assert 0.0 <= event.moved <= 1.0  # EM may find the same topics again
    assert len(before) < event.n_docs <= 1950


def n_in_use(learner):
    """Number of topics that at least a tenth of an even share of the documents prefers."""
    preferred = learner._refit.overall.posterior.argmax(axis=1)
    n_of_each = np.bincount(preferred, minlength=learner.n_topics)
    return int((n_of_each >= 0.1 * n_of_each.mean()).sum())


def collapse(learner, n_left, kept=0.0):
    """Give documents to the first topics, in the statistics and in the posteriors.

    The other topics keep a share of theirs.
    """
    overall = learner._refit.overall
    for table in (overall.statistics.words, overall.statistics.totals, overall.posterior):
        table[:, 0] += (1.0 - kept) * table[:, n_left:].sum(axis=1)
        table[:, n_left:] *= kept
    assert n_in_use(learner) == n_left


def test_a_topic_that_dies_is_restarted_and_that_is_noted_once_in_a_doubling():
    # without a race for what the collapse looks like: a change
    learner = learned(300, settings=soon(outdated=9.0))
    assert learner.settles_at is None
    assert learner.events == ()
    collapse(learner, 2)
    learned(50, learner, seed=1)  # more than a step
    (event,) = learner.events
    assert event.n_docs == 350
    assert event.kind is EventKind.RESTARTED
    assert event.topics == (2,)
    assert 0.1 < event.moved < 0.6
    assert n_in_use(learner) == 3
    collapse(learner, 2)
    learned(300, learner, seed=2)
    assert learner._refit.overall.statistics.totals[0, 2] == 0.0  # so soon, it stays closed
    assert n_in_use(learner) == 2
    learned(50, learner, seed=3)
    restarts = [one.n_docs for one in learner.events if one.kind is EventKind.RESTARTED]
    assert restarts == [350, 700]
    assert n_in_use(learner) == 3


def test_a_dead_topic_that_is_not_restarted_is_closed_and_gives_its_documents_away():
    learner = learned(300, settings=soon())
    collapse(learner, 2, kept=0.001)
    refitted = learner._refit
    refitted.schedule.next_revival = 10**6
    refitted._update_average(300)
    assert learner.events == ()
    assert (refitted.overall.statistics.totals[:, 2] == 0.0).all()
    assert refitted.overall.statistics.totals[0].sum() == pytest.approx(300, rel=1e-5)
    assert (refitted.overall.posterior[:, 2] == 0.0).all()
    assert learner.model.weights[2] == 0.0  # at once, not in the long run


def test_what_is_shown_moves_in_steps_and_averages_the_stream():
    # settled since the race at 250, and moved last at 300
    learner = learned(300, settings=soon(step=0.3, inertia=0.8))
    assert learner.settles_at is None
    before = learner._refit.averaged.statistics.words.copy()
    model = learner.model
    learned(50, learner, seed=1)
    assert learner.model is model
    np.testing.assert_array_equal(learner._refit.averaged.statistics.words, before)
    learned(50, learner, seed=2)
    assert learner.model is not model
    rate, now = 100 / (0.8 * 400), learner._refit.overall.statistics.words
    kept = (1 - rate) * 400 / 300
    np.testing.assert_allclose(
        learner._refit.averaged.statistics.words, kept * before + rate * now, rtol=1e-6
    )


def test_until_topics_are_settled_those_that_are_shown_are_the_current_ones():
    learner = learned(500, settings=soon(early=10_000, step=0.0))  # shown anew with every block
    shown, now = learner._refit.averaged.statistics, learner._refit.overall.statistics
    np.testing.assert_array_equal(shown.words, now.words)
    np.testing.assert_array_equal(shown.totals, now.totals)


def topics_of_a_sample(sample):
    """Topics of the sample over 20 words, all alike in the background."""
    return SampleTopics(sample, Experts(3, 20))


def test_a_restart_numbers_topics_as_before_and_counts_what_moved():
    topics = topics_of_a_sample(Reservoir(300, n_words=20))
    truth = Statistics.one_document(PROBLEM.truth, 8.0)
    topics.learn(PROBLEM.truth.sample(300, 8, seed=1)[0], 0.0)
    assert topics.restart(truth.columns, 3) > 0.0
    before = topics.statistics.words.copy()
    again = truth.reorder(np.array([2, 0, 1]))
    assert topics.restart(again.columns, 3) < 0.02
    np.testing.assert_allclose(topics.statistics.words, before, atol=0.5)
    assert topics.restart(again.columns, 3, renumber=False) > 0.9
    np.testing.assert_allclose(topics.statistics.words, before[:, [2, 0, 1]], atol=0.5)


def test_statistics_stay_the_sums_of_the_remembered_documents():
    learner = learned(5000)
    for topics in (learner._refit.overall, learner._refit.recent):
        expected = Statistics.zero(3, 20)
        expected.add(topics.sample.documents, topics.posterior.astype(float))
        np.testing.assert_allclose(topics.statistics.words, expected.words, atol=1e-6)
        np.testing.assert_allclose(topics.statistics.totals, expected.totals, atol=1e-6)


def test_the_topics_that_are_read_count_every_document_also_those_forgotten():
    learner, words = HedgedLeader(3, n_words=20, reservoir_size=100), np.zeros(20)
    for block in PROBLEM.truth.sample(3000, 8, seed=1)[0].blocks(70):
        learner.learn(block)
        words += np.bincount(block.words, block.counts, minlength=20)
    found = learner._refit.overall.statistics
    assert found.totals[0].sum() == pytest.approx(3000, rel=1e-5)
    assert found.totals[1].sum() == pytest.approx(8 * 3000, rel=1e-5)
    # up to the races, after which the sample stood for all documents
    np.testing.assert_allclose(found.words.sum(axis=1), words, rtol=0.2)
    again = HedgedLeader.from_state(learner.to_state())
    assert same_state(again.to_state(), learner.to_state())


def test_after_a_restart_the_sample_stands_for_all_documents():
    topics = topics_of_a_sample(Reservoir(100, n_words=20))
    topics.learn(PROBLEM.truth.sample(400, 8, seed=1)[0], 0.0)
    topics.restart(Statistics.one_document(PROBLEM.truth, 8.0).columns, 2)
    expected = Statistics.zero(3, 20)
    expected.add(topics.sample.documents, topics.posterior.astype(float))
    np.testing.assert_allclose(topics.statistics.words, 4.0 * expected.words, atol=1e-4)
    np.testing.assert_allclose(topics.statistics.totals, 4.0 * expected.totals, atol=1e-4)


def test_events_are_stored():
    settings = soon()
    learner = learned(300, settings=settings)
    collapse(learner, 2)
    learned(300, learner, seed=1)
    again = HedgedLeader.from_state(learner.to_state(), settings=settings)
    assert again.events == learner.events != ()
    assert same_state(again.to_state(), learner.to_state())
    for one in (learner, again):
        learned(500, one, seed=2)
    assert same_state(again.to_state(), learner.to_state())


def test_a_restarted_topic_has_an_even_share_of_the_documents_counted():
    """Not of those remembered, which are fewer."""
    block, _ = PROBLEM.truth.sample(300, 8, seed=1)
    statistics = Statistics.one_document(PROBLEM.truth, 8.0)
    counted = Statistics(5000.0 * statistics.totals, 5000.0 * statistics.words)
    smoothing = Smoothing(np.ones(block.n_words), float(block.n_words), 1.0)
    restart_topics(
        counted, np.array([2]), DocumentView.of(block), smoothing, np.random.default_rng(0)
    )
    assert counted.totals[0, 2] == pytest.approx(5000 / 3)


def heavily(monkeypatch):
    """Let every race choose a heavy smoothing; return the strengths that it would have chosen."""
    race, chosen = refit.race, []

    def choose(*given, **more):
        outcome = race(*given, **more)
        chosen.append(outcome.strength)
        return outcome._replace(strength=1e6)

    monkeypatch.setattr(refit, "race", choose)
    return chosen


def test_what_a_race_chose_to_read_with_changes_nothing_that_is_fitted(monkeypatch):
    """Not even in the next race: chosen with few documents it is heavy, and would stay so."""
    plain = learned(1000)
    chosen = heavily(monkeypatch)
    read_heavily = learned(1000)
    assert len(chosen) == plain.info.n_races > 4
    assert read_heavily._refit.overall.strength == 1e6 > max(chosen)
    for a, b in (
        (plain._refit.overall, read_heavily._refit.overall),
        (plain._refit.recent, read_heavily._refit.recent),
    ):
        np.testing.assert_array_equal(a.posterior, b.posterior)
    a, b = (one._experts.estimates.statistics for one in (plain, read_heavily))
    np.testing.assert_array_equal(a.words, b.words)
    np.testing.assert_array_equal(a.totals, b.totals)
    # it is read with, though, as far as topics have as many words of their own
    assert read_heavily._refit.overall.read_strength == pytest.approx(8 * 1000 / 3)
    moved = read_heavily.model.topics - plain.model.topics
    background = read_heavily._experts.background.prior - plain.model.topics
    assert (np.abs(moved) > 0.4 * np.abs(background)).all()
    assert (np.abs(moved) < 0.6 * np.abs(background)).all()


def test_every_fit_is_by_the_rule_of_the_documents_counted(monkeypatch):
    chosen, fitted, learn = heavily(monkeypatch), [], SampleTopics.learn

    def note(self, block, n_visits):
        fitted.append((self.smoothing.strength, self.statistics.totals.copy()))
        learn(self, block, n_visits)

    monkeypatch.setattr(SampleTopics, "learn", note)
    learned(500)
    assert chosen
    for strength, (n_docs, n_words) in fitted:
        rule = SETTINGS.fit_strength(float(n_words.sum()), np.count_nonzero(n_docs), 20)
        assert strength == rule


TEN = random_problem(10, 60, lengths=12, seed=4)


@pytest.mark.parametrize("n_left", [1, 2])
def test_topics_that_collapsed_are_raced_for_again_and_that_is_noted(n_left):
    learner = HedgedLeader(10, n_words=60)
    blocks = iter(TEN.truth.sample(5000, 12, seed=0)[0].blocks(50))
    n_races = 0
    while learner.n_docs < 2000 or learner.info.n_races == n_races:  # just after a race
        n_races = learner.info.n_races
        learner.learn(next(blocks))
    collapse(learner, n_left)
    n, n_races, next_race = learner.n_docs, learner.info.n_races, learner._refit.schedule.next_race
    while not learner.events:
        learner.learn(next(blocks))
    assert n < learner.n_docs <= n + SETTINGS.step * n + 50 < next_race  # at the next check
    assert learner.info.n_races == n_races + 1
    (event,) = learner.events
    assert (event.kind, event.n_used) == (EventKind.RESCUED, n_left)
    assert event.n_docs == learner.n_docs
    assert event.topics == tuple(range(10))
    assert event.moved > 0.5
    assert n_in_use(learner) >= 9
    assert learner.model.n_used >= 9


def test_few_texts_repeated_are_raced_for_in_vain_once_in_a_doubling(monkeypatch):
    """Of three texts no more than three topics can be in use, so that nothing is noted."""
    texts, rng = [[0, 1, 2], [3, 4, 5, 6], [7, 8]], np.random.default_rng(0)
    which = rng.integers(3, size=4000)
    learner, race, undefended = HedgedLeader(10, n_words=9), refit.race, []

    def note(documents, n_topics, incumbents, *rest, **more):
        if len(incumbents) == 0:
            undefended.append(learner.n_docs)
        return race(documents, n_topics, incumbents, *rest, **more)

    monkeypatch.setattr(refit, "race", note)
    for block in Documents.from_tokens([texts[i] for i in which], 9).blocks(50):
        learner.learn(block)
    assert n_in_use(learner) == 3
    first, *in_vain = undefended
    assert first == 50  # the first race of all has nobody to defend
    assert 3 <= len(in_vain) <= 5
    assert all(later >= 2 * earlier for earlier, later in pairwise(in_vain))
    assert not [event for event in learner.events if event.kind is EventKind.RESCUED]


OWN_WORDS = 5  # of each kind of documents


def of_kinds(n_kinds, n_docs=100):
    """Documents of kinds that share no word, and the kind of each."""
    rng, kinds = np.random.default_rng(1), np.arange(n_kinds * n_docs) % n_kinds
    tokens = OWN_WORDS * kinds[:, None] + rng.integers(OWN_WORDS, size=(len(kinds), 6))
    return Documents.from_tokens(tokens.tolist(), OWN_WORDS * n_kinds), kinds


def test_documents_of_each_topic_in_turn_are_learned_as_in_any_other_order():
    """Remembered in the order of the stream, every tenth of them has the same topic."""
    block, kinds = of_kinds(10, n_docs=600)
    learner = HedgedLeader(10, n_words=block.n_words)
    for part in block.blocks(50):
        learner.learn(part)
    assert learner.events == ()
    np.testing.assert_allclose(learner.model.weights, 0.1, atol=0.01)
    assert matched_accuracy(learner.model.posterior(block).argmax(axis=1), kinds) > 0.99


@pytest.mark.parametrize("dead", [[1], [1, 4], [1, 3, 4]])
@pytest.mark.parametrize("seed", range(3))
def test_dead_topics_are_restarted_each_with_documents_of_its_own_that_no_topic_explains(
    dead, seed
):
    """Topics that are alive have the first two kinds; there is a kind for each dead one."""
    n_kinds = 2 + len(dead)
    block, kinds = of_kinds(n_kinds)
    posterior, alive = np.zeros((block.n_docs, 5)), np.setdiff1d(range(5), dead)
    posterior[kinds == 0, alive[0]] = posterior[kinds == 1, alive[1]] = 1.0
    found = Statistics.zero(5, block.n_words)
    found.add(block, posterior)
    before = found.copy()
    smoothing = Smoothing(np.ones(block.n_words), float(block.n_words), 1.0)
    rng = np.random.default_rng(seed)
    restart_topics(found, np.array(dead), DocumentView.of(block), smoothing, rng)
    np.testing.assert_array_equal(found.words[:, alive], before.words[:, alive])
    np.testing.assert_array_equal(found.totals[:, alive], before.totals[:, alive])
    assert (found.words[: 2 * OWN_WORDS, dead] == 0.0).all()  # of nothing that was explained
    np.testing.assert_allclose(found.totals[0, dead], before.totals[0].mean())
    np.testing.assert_allclose(found.totals[1], found.words.sum(axis=0))
    # a kind for each, and a topic for each kind
    by_kind = found.words.reshape(n_kinds, OWN_WORDS, 5).sum(axis=1)[2:, dead]
    shares = by_kind / by_kind.sum(axis=0)
    np.testing.assert_allclose(shares.max(axis=0), 1.0, atol=0.05)
    np.testing.assert_allclose(shares.max(axis=1), 1.0, atol=0.05)


class Noted:
    """Takes the place of `race`: notes its arguments, and returns this outcome."""

    def __init__(self, monkeypatch, *, is_new=True, strength=2.5, truth=PROBLEM.truth):
        one = Statistics.one_document(truth, 8.0)
        winner = Statistics(500 * one.totals, 500 * one.words)
        self.outcome, self.calls = Outcome(winner, is_new, strength), []
        monkeypatch.setattr(refit, "race", self)

    def __call__(self, documents, n_topics, incumbents, background, seed, settings, margin, **how):
        copies = [(one.scale * one.words).copy() for one in incumbents]
        self.calls.append((documents, n_topics, copies, seed, margin, how))
        return self.outcome


def refitted(n_docs=300, reservoir_size=4000, **settings):
    """A Refit that has learned documents, and the experts; with topics, but without any race."""
    settings = replace(SETTINGS, **settings)
    experts = Experts(3, 20, settings=settings)
    one = refit.Refit(experts, reservoir_size, 0, settings)
    for block in PROBLEM.truth.sample(n_docs, 8, seed=1)[0].blocks(50):
        experts.background.add(block)
        one.learn(block)
    for topics, seed in ((one.overall, 5), (one.recent, 6)):
        other = random_problem(3, 20, lengths=8, seed=seed).truth
        topics.restart(Statistics.one_document(other, 8.0).columns, 1)
    for name, memory in experts.table.memories.items():
        some = Statistics.one_document(random_problem(3, 20, lengths=8, seed=7).truth, 8.0)
        experts.estimates.replace(name, Statistics(memory * some.totals, memory * some.words))
    return one, experts


def words_of(experts, *names):
    views = [experts.estimates.view(name) for name in names]
    return [(view.scale * view.words).copy() for view in views]


def assert_posterior(topics, statistics, n_passes):
    """The topics were restarted from these statistics, in their order."""
    twin = SampleTopics(topics.sample, Experts(3, 20), topics._settings)
    twin._experts.background = topics._experts.background
    twin.restart(statistics.columns, n_passes, renumber=False)
    order = np.argsort(twin.posterior.sum(axis=0))
    mine = np.argsort(topics.posterior.sum(axis=0))
    np.testing.assert_allclose(topics.posterior[:, mine], twin.posterior[:, order], atol=1e-5)


def test_the_first_race_has_nothing_to_defend_and_later_ones_the_topics_of_all_documents(
    monkeypatch,
):
    noted, (one, experts) = Noted(monkeypatch), refitted()
    (before,) = words_of(experts, "reservoir")
    assert one._race(0.0, is_late=False)
    assert one._race(0.25, is_late=True)
    (_, n_topics, none, first, *_), (_, _, incumbents, second, margin, how) = noted.calls
    assert (n_topics, none, margin, how) == (3, [], 0.25, {"thorough": True})
    assert len(incumbents) == 1
    assert np.abs(incumbents[0] - before).max() > 1.0  # those of the first race's winner
    assert (first, second) == ([0, 1, 1], [0, 2, 1])
    assert [event.kind for event in one.events] == [EventKind.REPLACED]  # not of the early one
    assert one.events[0].n_docs == 300
    assert one.averaged is None
    assert_posterior(one.overall, noted.outcome.winner, SETTINGS.n_passes)


@pytest.mark.parametrize(("is_late", "strength"), [(False, 2.5), (True, 1.5)])
def test_topics_that_are_defended_are_read_anew_while_races_are_early(
    is_late, strength, monkeypatch
):
    Noted(monkeypatch, is_new=False)
    one, experts = refitted()
    one.overall.strength, before = 1.5, words_of(experts, "reservoir", "window")
    assert not one._race(0.1, is_late=is_late)
    assert one.overall.strength == strength
    np.testing.assert_array_equal(words_of(experts, "reservoir", "window"), before)
    assert one.events == []
    assert one.n_races == 1


@pytest.mark.parametrize("reservoir_size", [4000, 400])
def test_a_window_of_all_documents_gets_the_topics_of_a_race_too(reservoir_size, monkeypatch):
    noted, (one, experts) = Noted(monkeypatch), refitted(reservoir_size=reservoir_size)
    (before,) = words_of(experts, "window")
    one._race(0.0, is_late=False)
    is_whole = reservoir_size == 4000
    assert (one.recent.strength, one.overall.strength) == (2.5 if is_whole else 0.0, 2.5)
    if is_whole:
        assert_posterior(one.recent, noted.outcome.winner, SETTINGS.n_passes)
    else:
        np.testing.assert_array_equal(words_of(experts, "window")[0], before)


@pytest.mark.parametrize(("raced", "n"), [(50, 90), (50, 300), (10, 60)])
def test_a_race_is_of_some_remembered_documents_that_its_number_chooses(raced, n, monkeypatch):
    noted, (one, _) = Noted(monkeypatch), refitted(raced=raced, raced_per_topic=n // 3)
    one._race(0.0, is_late=False)
    one._race(0.0, is_late=False)
    first, second = (call[0] for call in noted.calls)
    chosen = np.random.default_rng([0, 0]).permutation(300)[:n]
    assert first == one.reservoir.view.gather(chosen)
    assert first.n_docs == second.n_docs == n
    assert first != second


def test_a_search_is_of_the_last_documents_and_leaves_the_window_with_them_alone(monkeypatch):
    noted, (one, experts) = Noted(monkeypatch), refitted()
    last, names = one.window.last(80), ("window", "reservoir", experts.table.shortest)
    before, kept = words_of(experts, *names), one.overall.posterior.copy()
    one._search(80)
    ((documents, _, incumbents, seed, margin, how),) = noted.calls
    assert (documents, seed, margin, how) == (last, [0, 1, 1], 0.0, {"thorough": False})
    np.testing.assert_array_equal(incumbents, before)
    assert (one.window.documents, one.window.capacity) == (last, 1000)
    assert (one.recent.strength, one.overall.strength) == (2.5, 0.0)
    assert_posterior(one.recent, noted.outcome.winner, SETTINGS.n_passes)
    np.testing.assert_array_equal(one.overall.posterior, kept)
    # numbered like the topics of all documents
    order = refit.match(noted.outcome.winner, one.overall.statistics)
    found = one.recent.statistics.words / one.recent.statistics.totals[1]
    truth = PROBLEM.truth.topics[order].T
    assert np.abs(found - truth).sum() < 0.5 * np.abs(found[:, [1, 2, 0]] - truth).sum()
    # EMs that forget start again from the topics that predict best, here those of all documents
    everything, *forgetting = words_of(experts, "reservoir", *experts.table.memories)
    for words in forgetting:
        np.testing.assert_allclose(words / words.sum(), everything / everything.sum(), rtol=1e-9)


@pytest.mark.parametrize("is_worse", [True, False])
def test_the_windows_topics_restart_from_those_of_all_documents_if_these_predict_better(is_worse):
    one, experts = refitted()
    one.overall.strength, one.recent.strength = 3.0, 4.0
    experts.losses[:] = 3.0
    experts.losses[experts.table.column["window"]] = 2.0 if is_worse else 1.0
    experts.losses[experts.table.column["reservoir"]] = 1.0 if is_worse else 2.0
    before, (everything,) = one.recent.posterior.copy(), words_of(experts, "reservoir")
    one._compare()
    assert one.recent.strength == (3.0 if is_worse else 4.0)
    assert np.array_equal(one.recent.posterior, before) == (not is_worse)
    np.testing.assert_array_equal(words_of(experts, "reservoir")[0], everything)
    # and the EMs that forget from the better ones
    leader = one.overall if is_worse else one.recent
    for name in experts.table.memories:
        found = experts.estimates.view(name)
        np.testing.assert_array_equal(found.words, leader.statistics.words)


def test_until_a_race_chose_a_strength_topics_are_read_with_that_of_the_fit():
    one, _ = refitted()
    assert one.overall.read_strength == one.overall.smoothing.strength == 2.0  # 0.1 per known word


def test_topics_that_no_start_uses_more_of_stay(monkeypatch):
    noted, (one, experts) = Noted(monkeypatch), refitted()
    before = words_of(experts, "reservoir", "window")
    assert not one._rescue()
    assert noted.calls[0][2] == []
    np.testing.assert_array_equal(words_of(experts, "reservoir", "window"), before)
    assert one.events == []
    one.overall.posterior = np.tile(np.float32([1.0, 0.0, 0.0]), (300, 1))
    assert one._rescue()
    (event,) = one.events
    assert (event.kind, event.n_used, event.topics) == (EventKind.RESCUED, 1, (0, 1, 2))
    assert one.overall.strength == 2.5


def test_topics_have_collapsed_if_fewer_than_half_of_those_that_can_be_filled_are_used():
    one, _ = refitted(collapsed=0.5)
    posterior = np.tile(np.float32([1.0, 0.0, 0.0]), (300, 1))
    one.overall.posterior = posterior
    assert one._has_collapsed()  # 1 of 3
    posterior[:100] = [0.0, 1.0, 0.0]
    assert not one._has_collapsed()
    one, _ = refitted(n_docs=100)
    one.overall.posterior = posterior[100:200]
    assert not one._has_collapsed()  # 1 of 2


def test_dead_topics_are_restarted_as_far_as_documents_fill_them():
    """Of three topics 149 documents fill two, and 150 all."""
    for n, n_open in ((149, 2), (150, 3)):
        one, experts = refitted(n_docs=n)
        posterior = one.overall.posterior
        for table in (one.overall.statistics.words, one.overall.statistics.totals, posterior):
            table[:, 0] += table[:, 1:].sum(axis=1)
            table[:, 1:] = 0.0
        assert one._tend(n)
        assert np.count_nonzero(one.overall.statistics.totals[0]) == n_open
        assert one.events == []  # topics are not settled yet
        assert experts.estimates.view("reservoir").totals[0].sum() == pytest.approx(n, rel=1e-4)


@pytest.mark.parametrize(
    ("due", "run"),
    [
        (Race(0.1, is_late=True), ("_race", (0.1,), {"is_late": True})),
        (Rescue(), ("_rescue", (), {})),
        (Search(7), ("_search", (7,), {})),
        (Compare(), ("_compare", (), {})),
    ],
)
def test_what_is_due_is_run(due, run, monkeypatch):
    (one, _), calls = refitted(), []
    monkeypatch.setattr(one.schedule, "due", lambda *_: due)
    for name in ("_race", "_rescue", "_search", "_compare"):
        note = partial(lambda name, *given, **named: calls.append((name, given, named)), name)
        monkeypatch.setattr(one, name, note)
    one.renew(None)
    assert calls == [run]


def test_words_of_the_topics_that_are_read_are_renumbered_too():
    one, _ = refitted()
    ids = np.roll(np.arange(20), 3)
    one.recode(ids, 20)  # nothing is shown yet
    one.renew(None)
    before = one.averaged.model.topics
    one.recode(ids, 20)
    np.testing.assert_allclose(one.averaged.model.topics[:, ids], before, rtol=1e-12)


def test_merged_samples_have_the_topics_of_one_race_in_the_order_of_the_first(monkeypatch):
    noted, (one, experts), (other, _) = Noted(monkeypatch), refitted(), refitted(200)
    turned = other.overall.statistics.reorder(np.array([1, 2, 0]))
    other.overall.restart(turned.columns, 1, renumber=False)
    first = one.overall.statistics.copy()
    before = [*words_of(experts, "reservoir"), *words_of(other._experts, "reservoir")]
    latest = one.latest([other], np.random.default_rng(3))
    assert latest.n_docs == 500
    one.merge([other], np.random.default_rng(3))
    ((documents, _, incumbents, seed, margin, how),) = noted.calls
    np.testing.assert_array_equal(incumbents, before)
    assert (seed, margin, how, documents.n_docs) == ([0, 1, 1], 0.0, {"thorough": True}, 500)
    winner = noted.outcome.winner
    order, of_other = (refit.match(winner, each) for each in (first, turned))
    assert order.tolist() != of_other.tolist()
    for topics in (one.overall, one.recent):
        assert refit.match(topics.statistics, winner.reorder(order)).tolist() == [0, 1, 2]
    assert one.window.documents == latest
    assert (one.reservoir.n_seen, len(one.reservoir)) == (500, 500)
    assert (one.overall.strength, one.recent.strength) == (2.5, 2.5)
    for topics in (one.overall, one.recent):
        assert_posterior(topics, noted.outcome.winner, SETTINGS.n_passes)
        assert topics.statistics.totals[0].sum() == pytest.approx(500, rel=1e-4)
    assert (one.schedule.n_raced, one.schedule.next_race, one.averaged) == (500, 750, None)


def test_the_latest_documents_of_merged_streams_are_in_proportion_to_them():
    """A window of 500 of 900 and 100 documents, of which the second has only its last ten."""
    one, other = refitted(900, reservoir_size=2000)[0], refitted(100)[0]
    latest = one.latest([other], np.random.default_rng(0))
    n_mine = int((interleave([900, 100], 500, np.random.default_rng(0)) == 0).sum())
    assert 430 < n_mine < 470  # 450 are expected, with a standard deviation of 5
    assert latest.n_docs == 500
    other._forget_all_but(other.window.last(10))
    assert one.latest([other], np.random.default_rng(0)).n_docs == n_mine + 10
