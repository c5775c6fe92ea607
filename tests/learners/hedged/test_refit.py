"""When the topics that are read are replaced, and what is noted of it."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from spectralleader import HedgedLeader, Reservoir
from spectralleader.documents.views import DocumentView
from spectralleader.em.columns import Columns, Smoothing
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged import averaged_topics, refit
from spectralleader.learners.hedged.experts import ALL, Experts
from spectralleader.learners.hedged.race import Outcome
from spectralleader.learners.hedged.refit import next_race
from spectralleader.learners.hedged.revival import restart_topic
from spectralleader.learners.hedged.sample_em import SampleEM
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.sources.synthetic import random_problem
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
        for module in (refit, averaged_topics):
            monkeypatch.setattr(module, "SETTINGS", changed)

    change()
    return change


def test_races_are_thick_at_first_and_then_rare():
    assert next_race(100, 5, is_settled=False) == 150
    assert next_race(100, 100, is_settled=False) == 150
    assert next_race(99, 100, is_settled=False) == 396  # fewer documents than topics
    assert next_race(1000, 5, is_settled=False) == 2000
    assert next_race(5000, 5, is_settled=True) == 20_000


def test_a_late_newcomer_that_wins_is_noted_with_the_documents_moved(soon, monkeypatch):
    learner = learned(450)
    assert learner.info.events == ()
    winner = Statistics.one_document(random_problem(3, 20, lengths=8, seed=5).truth, 8.0)
    monkeypatch.setattr(refit, "race", lambda *_, **__: Outcome(winner, -1, 2.0))
    before = learner._refit.sample_ems[ALL].posterior.argmax(axis=1)
    n_races = learner.info.n_races
    learned(1500, learner, seed=1)
    (event, *_) = learner.info.events
    assert learner.info.n_races > n_races
    assert event.what == "replaced by a newcomer"
    assert event.topics == (0, 1, 2)
    assert 0.0 <= event.moved <= 1.0  # EM may find the same topics again
    assert len(before) < event.n_docs <= 1950


def test_a_topic_that_dies_is_restarted_and_that_is_noted_once_in_a_doubling(soon):
    soon(dead=2.0)  # the smallest topic always counts as dead
    learner = learned(1000)
    numbers = [event.n_docs for event in learner.info.events]
    assert all(event.what.startswith("had died") for event in learner.info.events)
    assert all(len(event.topics) == 1 for event in learner.info.events)
    assert 1 <= len(numbers) <= 3
    assert all(later >= 2 * earlier for earlier, later in pairwise(numbers))


def test_what_is_shown_moves_in_steps_and_averages_the_stream(soon):
    soon(step=0.2, inertia=0.8)
    learner = learned(250)  # the last early race is at 250
    before = learner._refit.averaged.statistics.words.copy()
    model = learner.model
    learned(50, learner, seed=1)
    assert learner.model is model
    np.testing.assert_array_equal(learner._refit.averaged.statistics.words, before)
    learned(50, learner, seed=2)
    assert learner.model is not model
    rate, now = 100 / (0.8 * 350), learner._experts.estimates[ALL].words
    kept = (1 - rate) * 350 / 250
    np.testing.assert_allclose(
        learner._refit.averaged.statistics.words, kept * before + rate * now, rtol=1e-6
    )


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
    soon(dead=2.0)
    learner = learned(600)
    again = HedgedLeader.from_state(learner.to_state())
    assert again.info.events == learner.info.events != ()
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
    one._next_race = 10**6
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
    restart_topic(counted, 2, DocumentView.of(block), smoothing)
    assert counted.totals[0, 2] == pytest.approx(5000 / 3)
