"""When the topics that are read are replaced, and what is noted of it."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from spectralleader import Documents, HedgedLeader, Reservoir
from spectralleader.documents import DocumentView
from spectralleader.em.columns import Columns, Smoothing
from spectralleader.em.statistics import Statistics
from spectralleader.evaluation.metrics import matched_accuracy
from spectralleader.learners.events import EventKind
from spectralleader.learners.hedged import background, refit
from spectralleader.learners.hedged.background import fit_strength
from spectralleader.learners.hedged.experts import ALL, Experts
from spectralleader.learners.hedged.race import (
    N_COUNTED,
    Outcome,
    count_used,
    find_dead,
    restart_topics,
)
from spectralleader.learners.hedged.refit import next_race
from spectralleader.learners.hedged.sample_em import SampleEM
from spectralleader.learners.hedged.settings import SETTINGS
from study.sources.synthetic import random_problem
from tests.factories import same_state

PROBLEM = random_problem(3, 20, lengths=8, seed=1)


def learned(n_docs, learner=None, seed=0):
    learner = learner or HedgedLeader(3, n_words=20)
    for block in PROBLEM.blocks(block_size=50, n_steps=n_docs // 50, seed=seed):
        learner.learn(block.documents)
    return learner


@pytest.fixture
def soon(monkeypatch):
    """Few documents are many: races become rare after 200."""

    def change(**settings):
        changed = replace(SETTINGS, **{"early": 200, **settings})
        for module in (refit, background):
            monkeypatch.setattr(module, "SETTINGS", changed)

    change()
    return change


def test_races_are_thick_at_first_and_then_rare():
    assert next_race(100, 5, is_settled=False) == 150
    assert next_race(100, 100, is_settled=False) == 150
    assert next_race(99, 100, is_settled=False) == 396  # fewer documents than topics
    assert next_race(1000, 5, is_settled=False) == 1500
    assert next_race(5000, 5, is_settled=True) == 20_000
    early = SETTINGS.early
    assert next_race(early - 1, 5, is_settled=False) == early  # after which topics are settled
    assert next_race(early, 5, is_settled=True) == SETTINGS.late_growth * early


def learned_with_one_topic_first(n_first, n_then, seed):
    """Return a learner, the documents after those of one topic, and their topics."""
    rng = np.random.default_rng(seed)
    problem = random_problem(6, 60, lengths=8, seed=3)
    labels = np.concatenate([np.zeros(n_first, int), rng.integers(1, 6, n_then)])
    counts = np.array([rng.multinomial(8, problem.truth.topics[label]) for label in labels])
    documents, learner = Documents.from_matrix(counts), HedgedLeader(6, n_words=60, seed=seed)
    for block in documents.blocks(50):
        learner.learn(block)
    return learner, documents[n_first:], labels[n_first:]


@pytest.mark.parametrize("seed", [0, 1])
def test_topics_that_fail_the_documents_since_a_change_are_raced_again_soon(soon, seed):
    # The next race would be due after 16,000 documents: all topics but one or two would stay parts
    # of the first.
    soon(early=4000)
    learner, later, labels = learned_with_one_topic_first(4500, 4500, seed)
    assert matched_accuracy(learner.model.posterior(later).argmax(axis=1), labels) > 0.85
    assert [event.kind for event in learner.events][-1] is EventKind.REPLACED


def test_without_such_a_race_they_keep_to_the_first_topic(soon):
    soon(early=4000, outdated=9.0)
    learner, later, labels = learned_with_one_topic_first(4500, 4500, seed=0)
    assert matched_accuracy(learner.model.posterior(later).argmax(axis=1), labels) < 0.8


def test_a_late_newcomer_that_wins_is_noted_with_the_documents_moved(soon, monkeypatch):
    learner = learned(450)
    assert learner.events == ()
    winner = Statistics.one_document(random_problem(3, 20, lengths=8, seed=5).truth, 8.0)
    monkeypatch.setattr(refit, "race", lambda *_, **__: Outcome(winner, -1, 2.0))
    before = learner._refit.sample_ems[ALL].posterior.argmax(axis=1)
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
    preferred = learner._refit.sample_ems[ALL].posterior.argmax(axis=1)
    n_of_each = np.bincount(preferred, minlength=learner.n_topics)
    return int((n_of_each >= 0.1 * n_of_each.mean()).sum())


def collapse(learner, n_left, kept=0.0):
    """Give documents to the first topics, in the statistics and in the posteriors.

    The other topics keep a share of theirs.
    """
    estimates, posterior = learner._experts.estimates, learner._refit.sample_ems[ALL].posterior
    for table in (estimates.view(ALL).words, estimates.view(ALL).totals, posterior):
        table[:, 0] += (1.0 - kept) * table[:, n_left:].sum(axis=1)
        table[:, n_left:] *= kept
    assert n_in_use(learner) == n_left


def test_a_topic_that_dies_is_restarted_and_that_is_noted_once_in_a_doubling(soon):
    soon(outdated=9.0)  # without a race for what the collapse looks like: a change
    learner = learned(300)
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
    assert learner._experts.estimates[ALL].totals[0, 2] == 0.0  # so soon, it stays closed
    assert n_in_use(learner) == 2
    learned(50, learner, seed=3)
    restarts = [one.n_docs for one in learner.events if one.kind is EventKind.RESTARTED]
    assert restarts == [350, 700]
    assert n_in_use(learner) == 3


def test_a_dead_topic_that_is_not_restarted_is_closed_and_gives_its_documents_away(soon):
    learner = learned(300)
    collapse(learner, 2, kept=0.001)
    refitted, experts = learner._refit, learner._experts
    refitted._next_revival = 10**6
    refitted._update_average(experts)
    assert learner.events == ()
    assert (experts.estimates[ALL].totals[:, 2] == 0.0).all()
    assert experts.estimates[ALL].totals[0].sum() == pytest.approx(300, rel=1e-5)
    assert (refitted.sample_ems[ALL].posterior[:, 2] == 0.0).all()
    assert learner.model.weights[2] == 0.0  # at once, not in the long run


def test_what_is_shown_moves_in_steps_and_averages_the_stream(soon):
    soon(step=0.3, inertia=0.8)
    learner = learned(300)  # settled since the race at 250, and moved last at 300
    assert learner.settles_at is None
    before = learner._refit.averaged.statistics.words.copy()
    model = learner.model
    learned(50, learner, seed=1)
    assert learner.model is model
    np.testing.assert_array_equal(learner._refit.averaged.statistics.words, before)
    learned(50, learner, seed=2)
    assert learner.model is not model
    rate, now = 100 / (0.8 * 400), learner._experts.estimates[ALL].words
    kept = (1 - rate) * 400 / 300
    np.testing.assert_allclose(
        learner._refit.averaged.statistics.words, kept * before + rate * now, rtol=1e-6
    )


def test_until_topics_are_settled_those_that_are_shown_are_the_current_ones(soon):
    soon(early=10_000, step=0.0)  # shown anew with every block
    learner = learned(500)
    shown, now = learner._refit.averaged.statistics, learner._experts.estimates[ALL]
    np.testing.assert_array_equal(shown.words, now.words)
    np.testing.assert_array_equal(shown.totals, now.totals)


def test_a_restart_numbers_topics_as_before_and_counts_what_moved():
    sample = Reservoir(300, n_words=20)
    sample_em = SampleEM(sample, 3, keeps=True)
    columns = Columns(np.zeros((20, 3)), np.zeros((2, 3)), 0, 3)
    smoothing = Smoothing(np.ones(20), 20.0, 2.0)
    truth = Statistics.one_document(PROBLEM.truth, 8.0)
    sample_em.learn(PROBLEM.truth.sample(300, 8, seed=1)[0], columns, smoothing, 0.0)
    assert sample_em.restart(truth.columns, columns, smoothing, 3) > 0.0
    before = columns.words.copy()
    again = truth.reorder(np.array([2, 0, 1]))
    assert sample_em.restart(again.columns, columns, smoothing, 3) < 0.02
    np.testing.assert_allclose(columns.words, before, atol=0.5)


def test_statistics_stay_the_sums_of_the_remembered_documents():
    learner = learned(5000)
    for estimate, sample_em in enumerate(learner._refit.sample_ems):
        expected = Statistics.zero(3, 20)
        expected.add(sample_em.sample.documents, sample_em.posterior.astype(float))
        found = learner._experts.estimates[estimate]
        np.testing.assert_allclose(found.words, expected.words, atol=1e-6)
        np.testing.assert_allclose(found.totals, expected.totals, atol=1e-6)


def test_the_topics_that_are_read_count_every_document_also_those_forgotten():
    learner, words = HedgedLeader(3, n_words=20, reservoir_size=100), np.zeros(20)
    for block in PROBLEM.truth.sample(3000, 8, seed=1)[0].blocks(70):
        learner.learn(block)
        words += np.bincount(block.words, block.counts, minlength=20)
    found = learner._experts.estimates[ALL]
    assert found.totals[0].sum() == pytest.approx(3000, rel=1e-5)
    assert found.totals[1].sum() == pytest.approx(8 * 3000, rel=1e-5)
    # up to the races, after which the sample stood for all documents
    np.testing.assert_allclose(found.words.sum(axis=1), words, rtol=0.2)
    again = HedgedLeader.from_state(learner.to_state())
    assert same_state(again.to_state(), learner.to_state())


def test_after_a_restart_the_sample_stands_for_all_documents():
    sample = Reservoir(100, n_words=20)
    sample_em = SampleEM(sample, 3, keeps=True)
    columns = Columns(np.zeros((20, 3)), np.zeros((2, 3)), 0, 3)
    smoothing = Smoothing(np.ones(20), 20.0, 2.0)
    sample_em.learn(PROBLEM.truth.sample(400, 8, seed=1)[0], columns, smoothing, 0.0)
    start = Statistics.one_document(PROBLEM.truth, 8.0)
    sample_em.restart(start.columns, columns, smoothing, 2)
    expected = Statistics.zero(3, 20)
    expected.add(sample.documents, sample_em.posterior.astype(float))
    np.testing.assert_allclose(columns.words, 4.0 * expected.words, atol=1e-4)
    np.testing.assert_allclose(columns.totals, 4.0 * expected.totals, atol=1e-4)


def test_events_are_stored(soon):
    learner = learned(300)
    collapse(learner, 2)
    learned(300, learner, seed=1)
    again = HedgedLeader.from_state(learner.to_state())
    assert again.events == learner.events != ()
    assert same_state(again.to_state(), learner.to_state())


def searches(monkeypatch, n_topics, n_steps):
    """The documents of each search when a change after 100 is suspected all the time."""
    found = []

    def run(self, documents, *rest, **more):
        found.append(documents.n_docs)
        raise StopIteration

    one = refit.Refit(n_topics, 20, 4000, 0)
    experts = Experts(n_topics, 20)
    suspicion = SimpleNamespace(suspected_since=100)
    monkeypatch.setattr(refit.Refit, "_run", run)
    one._next_race = one._next_rescue = 10**6  # neither is a search
    for block in PROBLEM.blocks(block_size=50, n_steps=n_steps, seed=0):
        one.learn(block.documents, experts)
        try:
            one.renew(experts, suspicion)
        except StopIteration:
            one._next_fresh = 2 * found[-1]
    return found


@pytest.mark.parametrize(("n_topics", "at"), [(3, [50, 100, 200, 400]), (20, [200, 400])])
def test_a_change_is_looked_into_with_at_least_ten_documents_a_topic(
    soon, monkeypatch, n_topics, at
):
    """As many documents after it, then twice as many, until the window is full of them."""
    soon(searched=10.0)
    assert searches(monkeypatch, n_topics, 12) == at


@pytest.mark.parametrize(("share", "at"), [(0.3, []), (0.6, [50]), (0.9, [50, 100])])
def test_searches_for_a_change_take_a_share_of_the_stream(soon, monkeypatch, share, at):
    soon(searched=share)  # 50 of 150 documents, 100 more of 200, 200 more of 300
    assert searches(monkeypatch, 3, 12) == at


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
    assert read_heavily._refit.strengths[ALL] == 1e6 > max(chosen)
    for a, b in zip(plain._refit.sample_ems, read_heavily._refit.sample_ems, strict=True):
        np.testing.assert_array_equal(a.posterior, b.posterior)
    a, b = (one._experts.estimates.stacked for one in (plain, read_heavily))
    np.testing.assert_array_equal(a.words, b.words)
    np.testing.assert_array_equal(a.totals, b.totals)
    # it is read with, though, as far as topics have as many words of their own
    refitted, experts = read_heavily._refit, read_heavily._experts
    assert refitted.read_strength(ALL, experts) == pytest.approx(8 * 1000 / 3)
    moved = read_heavily.model.topics - plain.model.topics
    background = experts.background.prior - plain.model.topics
    assert (np.abs(moved) > 0.4 * np.abs(background)).all()
    assert (np.abs(moved) < 0.6 * np.abs(background)).all()


def test_every_fit_is_by_the_rule_of_the_documents_counted(monkeypatch):
    chosen, fitted, learn = heavily(monkeypatch), [], SampleEM.learn

    def note(self, block, columns, smoothing, n_visits):
        totals = columns.totals[:, columns.first : columns.first + columns.n_topics].copy()
        fitted.append((smoothing.strength, totals))
        learn(self, block, columns, smoothing, n_visits)

    monkeypatch.setattr(SampleEM, "learn", note)
    learned(500)
    assert chosen
    for strength, (n_docs, n_words) in fitted:
        assert strength == fit_strength(float(n_words.sum()), np.count_nonzero(n_docs), 20)


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
    n, n_races, next_race = learner.n_docs, learner.info.n_races, learner._refit._next_race
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


def test_few_texts_repeated_are_raced_for_in_vain_once_in_a_doubling(soon, monkeypatch):
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


def test_topics_in_use_are_counted_whatever_the_order_of_the_documents():
    """Such as three sources in turn, of which any third document is from the first."""
    for n in (300, 3 * 10 * N_COUNTED, 20_000):
        posterior = np.zeros((n, 10), np.float32)
        posterior[np.arange(n), np.arange(n) % 3] = 1.0
        assert count_used(posterior) == 3


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


def test_a_topic_is_dead_without_documents_or_as_a_copy_and_not_because_none_prefers_it():
    share = np.random.default_rng(0).uniform(0.5, 1.0, size=200)
    overlapping = np.stack([share, 1.0 - share, np.zeros(200)], axis=1).astype(np.float32)
    assert find_dead(overlapping).tolist() == [False, False, True]
    own = (np.arange(200) % 2).astype(np.float32)
    copied = np.stack([0.6 * own, 1.0 - own, 0.4 * own], axis=1)
    assert find_dead(copied).tolist() == [False, False, True]
    assert find_dead(np.eye(3, dtype=np.float32)[np.arange(200) % 3]).tolist() == [False] * 3
    assert find_dead(np.ones((9, 1), np.float32)).tolist() == [False]


def test_of_two_copies_that_no_document_prefers_one_is_dead():
    """Together they have a third of the documents, which a third topic merely overlaps."""
    share = np.random.default_rng(0).uniform(0.0, 0.32, size=200)
    posterior = np.stack([1.0 - 2.0 * share, share, share], axis=1).astype(np.float32)
    assert find_dead(posterior).tolist() == [False, False, True]


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
