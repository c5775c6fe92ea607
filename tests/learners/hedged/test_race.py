"""Races: the truth wins, compared on held-out documents."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.race import fit, make_starts, race, split_documents
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.sources.synthetic import random_problem

PROBLEM = random_problem(4, 30, lengths=8, seed=3)
SAMPLE, _ = PROBLEM.truth.sample(2000, 8, seed=1)
FRESH, _ = PROBLEM.truth.sample(2000, 8, seed=2)
SMOOTHING = Smoothing(np.ones(30), 30.0, 3.0)


def as_statistics(model, n_docs=2000.0):
    one = Statistics.one_document(model, 8.0)
    return Statistics(n_docs * one.totals, n_docs * one.words)


def loss(statistics):
    return -float(smooth(statistics.columns, np.full(30, 1 / 30), 3.0).log_prob(FRESH).mean())


def run(documents=SAMPLE, incumbents=(), seed=0, **settings):
    return race(documents, 4, incumbents, SMOOTHING, [0, seed], **settings)


def test_the_truth_is_found():
    outcome = run()
    assert outcome.incumbent == -1
    assert loss(outcome.winner) < -float(PROBLEM.truth.log_prob(FRESH).mean()) + 0.05


def test_the_better_incumbent_wins_against_the_worse():
    bad = as_statistics(random_problem(4, 30, lengths=8, seed=9).truth)
    good = as_statistics(PROBLEM.truth)
    assert run(incumbents=[good, bad], margin=0.01).incumbent == 0
    assert run(incumbents=[bad, good], margin=0.01).incumbent == 1


def test_a_newcomer_must_be_better_by_the_margin():
    """Topics at the truth stay, and so does nearly everything if the margin is large."""
    mixed = PROBLEM.truth.topics.copy()
    mixed[0] = mixed[1] = (mixed[0] + mixed[1]) / 2  # two topics that are one
    stuck = as_statistics(type(PROBLEM.truth)(PROBLEM.truth.weights, mixed))
    assert run(incumbents=[stuck]).incumbent == -1
    assert run(incumbents=[stuck], margin=0.9).incumbent == 0
    assert run(incumbents=[as_statistics(PROBLEM.truth)], margin=1e-6).incumbent == 0


def test_the_smoothing_is_chosen_by_the_documents_that_judge():
    """Documents that were fitted, too, say nothing."""
    few, _ = PROBLEM.truth.sample(120, 8, seed=4)
    little = SMOOTHING._replace(strength=0.01)
    assert race(few, 4, [], little, [0], strengths=[0.1]).strength > 2.0
    assert race(few[: SETTINGS.few - 1], 4, [], little, [0], strengths=[0.1]).strength == 0.01
    assert run(SAMPLE, strengths=[10.0]).strength == 3.0


def test_incumbents_are_left_alone():
    given = as_statistics(PROBLEM.truth)
    kept = given.copy()
    run(incumbents=[given])
    np.testing.assert_array_equal(given.words, kept.words)
    np.testing.assert_array_equal(given.totals, kept.totals)


def test_documents_are_either_fitted_or_held_out_unless_they_are_few():
    split = split_documents(SAMPLE, SMOOTHING, np.random.default_rng(0))
    assert split.held_out.n_docs == 400
    assert split.train.n_docs == 1600
    few = split_documents(SAMPLE[: SETTINGS.few - 1], SMOOTHING, np.random.default_rng(0))
    assert few.held_out == few.train


def test_a_split_is_over_the_words_that_its_documents_have():
    order = np.arange(30) * 3
    spread = SAMPLE[:50].recode(order, 100)
    smoothing = Smoothing(1.0 + np.arange(100), 5050.0, 3.0)
    split = split_documents(spread, smoothing, np.random.default_rng(0))
    assert split.word_ids.tolist() == np.unique(spread.words).tolist()
    np.testing.assert_array_equal(split.smoothing.seen, smoothing.seen[split.word_ids])
    winner = race(spread, 4, [], smoothing, [0]).winner
    assert winner.words.shape == (100, 4)
    unknown = np.setdiff1d(np.arange(100), split.word_ids)
    assert (winner.words[unknown] == 0.0).all()


def split_of(documents):
    return split_documents(documents, SMOOTHING, np.random.default_rng(0))


@pytest.mark.parametrize(("n_docs", "n_starts"), [(30, 2), (100, 3), (400, 2)])
def test_starts_are_tried_that_the_documents_are_enough_for(n_docs, n_starts):
    found = list(make_starts(split_of(SAMPLE[:n_docs]), 4, np.random.default_rng(0)))
    assert len(found) == n_starts
    assert all(one.words.shape[1] == 4 for one in found)


def test_starts_that_are_too_much_work_are_not_tried(monkeypatch):
    bounded = replace(SETTINGS, work=1.0)
    monkeypatch.setattr("spectralleader.learners.hedged.race.SETTINGS", bounded)
    found = list(make_starts(split_of(SAMPLE), 4, np.random.default_rng(0)))
    assert len(found) == SETTINGS.n_random


def test_starts_differ_and_depend_on_their_seed_alone():
    split = split_of(SAMPLE)
    a, b, c = (list(make_starts(split, 4, np.random.default_rng(seed))) for seed in (0, 0, 1))
    for one, same in zip(a, b, strict=True):
        np.testing.assert_array_equal(one.words, same.words)
    assert not np.array_equal(a[-1].words, a[-2].words)
    assert not np.array_equal(a[-1].words, c[-1].words)


def test_the_over_complete_start_has_the_statistics_of_all_documents():
    split = split_of(SAMPLE)
    merged = list(make_starts(split, 4, np.random.default_rng(0)))[1]
    assert merged.totals[0].sum() == pytest.approx(1600, rel=0.05)
    np.testing.assert_allclose(merged.totals[1], merged.words.sum(axis=0))
    assert loss(expand(fit(split, merged), split)) < loss(as_statistics(PROBLEM.truth)) + 0.1


def expand(statistics, split):
    words = np.zeros((30, 4))
    words[split.word_ids] = statistics.words
    return Statistics(statistics.totals, words)


def test_a_random_start_is_renamed_with_the_words():
    order = np.random.default_rng(0).permutation(30)
    few = SAMPLE[:100]
    splits = [split_of(block) for block in (few, few.recode(order, 30))]
    a, b = (
        expand(list(make_starts(split, 4, np.random.default_rng(0)))[-1], split) for split in splits
    )
    np.testing.assert_array_equal(a.words, b.words[order])
