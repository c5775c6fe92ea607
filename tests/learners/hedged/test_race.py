"""Races: the truth wins, compared on held-out documents."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader.em.background import Background
from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.hedged import race as race_module
from spectralleader.learners.hedged.race import (
    Contender,
    close_topics,
    contend,
    fit,
    make_starts,
    race,
    random_start,
    score,
    split_documents,
    standard_error,
)
from spectralleader.learners.hedged.sample_topics import n_open
from spectralleader.learners.hedged.settings import LEAST, SETTINGS
from study.sources.synthetic import random_problem

PROBLEM = random_problem(4, 30, lengths=8, seed=3)
SAMPLE, _ = PROBLEM.truth.sample(2000, 8, seed=1)
FRESH, _ = PROBLEM.truth.sample(2000, 8, seed=2)
BACKGROUND = Background(30)


def as_statistics(model, n_docs=2000.0):
    one = Statistics.one_document(model, 8.0)
    return Statistics(n_docs * one.totals, n_docs * one.words)


def loss(statistics):
    return -float(
        read_off(statistics.columns, Smoothing(np.ones(30), 30.0, 3.0)).log_prob(FRESH).mean()
    )


def run(documents=SAMPLE, incumbents=(), margin=0.0, **settings):
    settings = replace(SETTINGS, **settings)
    return race(documents, 4, incumbents, BACKGROUND, [0, 0], settings, margin)


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
    n_words = len(np.unique(SAMPLE.words))
    # the rule, which is better
    assert run(tried=(10.0,)).strength == SETTINGS.fit_strength(8 * 1600, 4, n_words)
    few, _ = PROBLEM.truth.sample(120, 8, seed=4)
    light = {"fit_most": 0.0, "tried": (0.1,)}
    assert run(few, **light).strength > 2.0
    assert run(few[: SETTINGS.few - 1], **light).strength == LEAST


def test_incumbents_are_left_alone():
    given = as_statistics(PROBLEM.truth)
    kept = given.copy()
    run(incumbents=[given])
    np.testing.assert_array_equal(given.words, kept.words)
    np.testing.assert_array_equal(given.totals, kept.totals)


def test_documents_are_either_fitted_or_held_out_unless_they_are_few():
    split = split_of(SAMPLE)
    assert split.held_out.n_docs == 400
    assert split.train.n_docs == 1600
    few = split_documents(
        SAMPLE[: SETTINGS.few - 1], BACKGROUND, np.random.default_rng(0), SETTINGS
    )
    assert few.held_out == few.train
    assert (split.can_judge, few.can_judge) == (True, False)


def test_a_split_is_over_the_words_that_its_documents_have():
    order = np.arange(30) * 3
    spread = SAMPLE[:50].recode(order, 100)
    background = Background(100)
    background.add(SAMPLE.recode(order, 100))
    split = split_documents(spread, background, np.random.default_rng(0), SETTINGS)
    assert split.word_ids.tolist() == np.unique(spread.words).tolist()
    smoothing = split.smoothing(4)
    np.testing.assert_array_equal(smoothing.seen, background.roots[split.word_ids])
    assert smoothing.n_seen == background.n_roots  # of all words
    winner = race(spread, 4, [], background, [0], SETTINGS).winner
    assert winner.words.shape == (100, 4)
    unknown = np.setdiff1d(np.arange(100), split.word_ids)
    assert (winner.words[unknown] == 0.0).all()


def split_of(documents, **settings):
    settings = replace(SETTINGS, **settings)
    return split_documents(documents, BACKGROUND, np.random.default_rng(0), settings)


@pytest.mark.parametrize(("n_docs", "n_starts"), [(30, 2), (100, 3), (400, 2)])
def test_starts_are_tried_that_the_documents_are_enough_for(n_docs, n_starts):
    found = list(make_starts(split_of(SAMPLE[:n_docs]), 4, np.random.default_rng(0)))
    assert len(found) == n_starts
    assert all(one.words.shape[1] == 4 for one in found)


def test_starts_that_are_too_much_work_are_not_tried():
    found = list(make_starts(split_of(SAMPLE, work=1.0), 4, np.random.default_rng(0)))
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


def test_every_contender_is_fitted_by_the_rule_of_its_open_topics(monkeypatch):
    """Also an incumbent that has closed ones; what is tried afterwards is only read with."""
    fitted, sweep = [], race_module.sweep

    def note(documents, columns, smoothing, *rest):
        fitted.append((smoothing.strength, int(np.count_nonzero(columns.totals[0]))))
        sweep(documents, columns, smoothing, *rest)

    monkeypatch.setattr(race_module, "sweep", note)
    closed = as_statistics(PROBLEM.truth)
    closed.totals[:, 1:3], closed.words[:, 1:3] = 0.0, 0.0
    few = SAMPLE[:300]
    run(few, incumbents=[closed], fit_most=1e9)  # the share decides
    n_words = len(np.unique(few.words))
    assert {n for _, n in fitted} >= {2, 4}
    rule = replace(SETTINGS, fit_most=1e9).fit_strength
    assert all(strength == rule(8 * 240, n, n_words) for strength, n in fitted)


def winner_of(split, n_topics, seed):
    return contend(split, random_start(split.train, n_topics, np.random.default_rng(seed)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("least", [1, 5, 7, 12])
def test_closing_leaves_the_least_number_of_topics_open_and_predicts_hardly_worse(least, seed):
    split = split_of(SAMPLE[:120])
    winner = winner_of(split, 12, seed)
    found = close_topics(split, winner, least)
    assert n_open(found.statistics) >= least
    gains = found.scores - winner.scores
    assert gains.mean() >= -standard_error(gains)
    # what is returned is what was judged
    smoothing = split.smoothing(1)._replace(strength=found.strength)
    np.testing.assert_array_equal(score(split, found.statistics, smoothing), found.scores)


def test_of_topics_that_predict_alike_the_fewest_stay_open():
    """Each of four topics was split into three; 12, 8, 5, 3, 2 and 1 are compared."""
    split = split_of(SAMPLE)
    truth = as_statistics(PROBLEM.truth)
    parts = Statistics(np.tile(truth.totals, 3) / 3, np.tile(truth.words, 3) / 3)
    assert n_open(close_topics(split, contend(split, parts), 1).statistics) == 5


def test_closed_topics_have_nothing_and_the_others_all_documents():
    split = split_of(SAMPLE[:120])
    winner = winner_of(split, 12, 0)
    found = close_topics(split, winner, 1).statistics
    is_closed = found.totals[0] == 0.0
    assert 1 <= np.count_nonzero(is_closed) < 12
    assert (found.words[:, is_closed] == 0.0).all()
    assert found.totals[0].sum() == pytest.approx(split.train.n_docs, rel=0.1)
    assert n_open(winner.statistics) == 12  # it was left alone


def test_the_least_number_stays_open_where_topics_have_next_to_nothing_or_are_closed():
    """Merging these is free, but a merge of two open ones is one less that is open."""
    split = split_of(SAMPLE[:120])
    two = winner_of(split, 2, 0).statistics
    totals, words = np.zeros((2, 6)), np.zeros((len(two.words), 6))
    totals[:, 2:4], words[:, 2:4] = two.totals, two.words
    words[:, :2] = 0.01  # topics that have lost nearly all; the last two are closed
    totals[:, :2] = [[0.05], [0.01 * len(words)]]
    start = Statistics(totals, words)
    winner = Contender(start, score(split, start, split.smoothing(4)) - 1.0, 1.0)
    found = close_topics(split, winner, 3)
    assert found is not winner
    assert n_open(found.statistics) >= 3


def test_nothing_is_closed_without_held_out_documents():
    split = split_of(SAMPLE[: SETTINGS.few - 1])
    winner = winner_of(split, 12, 0)
    winner = winner._replace(scores=winner.scores - 10.0)  # anything would be better
    assert close_topics(split, winner, 1) is winner


def test_a_race_keeps_as_many_topics_open_as_its_documents_can_fill():
    few = SAMPLE[:120]
    least = -(-120 // SETTINGS.filled)
    found = race(few, 12, [], BACKGROUND, [0], SETTINGS).winner
    assert found.words.shape == (30, 12)
    assert least <= n_open(found) < 12
    assert n_open(race(SAMPLE, 12, [], BACKGROUND, [0], SETTINGS).winner) == 12
