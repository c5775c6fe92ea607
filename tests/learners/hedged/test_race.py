"""Races: the truth wins, compared on held-out documents."""

from dataclasses import replace

import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.documents import DocumentView
from spectralleader.em.background import Background
from spectralleader.em.columns import Smoothing
from spectralleader.em.passes import sweep
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.hedged import race as race_module
from spectralleader.learners.hedged.race import (
    N_SWEEPS,
    SEEDS,
    WORST,
    Contender,
    choose_winner,
    close_topics,
    contend,
    fit,
    make_starts,
    race,
    random_start,
    restart_topics,
    score,
    split_documents,
    standard_error,
)
from spectralleader.learners.hedged.sample_topics import n_open
from spectralleader.learners.hedged.settings import LEAST, SETTINGS
from spectralleader.models.matching import cosines
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
    assert outcome.is_new
    assert loss(outcome.winner) < -float(PROBLEM.truth.log_prob(FRESH).mean()) + 0.05


def test_the_better_incumbent_wins_against_the_worse():
    bad = as_statistics(random_problem(4, 30, lengths=8, seed=9).truth)
    good = as_statistics(PROBLEM.truth)
    for incumbents in ([good, bad], [bad, good]):
        outcome = run(incumbents=incumbents, margin=0.01)
        assert not outcome.is_new
        assert loss(outcome.winner) < -float(PROBLEM.truth.log_prob(FRESH).mean()) + 0.05


def test_a_newcomer_must_be_better_by_the_margin():
    """Topics at the truth stay, and so does nearly everything if the margin is large."""
    mixed = PROBLEM.truth.topics.copy()
    mixed[0] = mixed[1] = (mixed[0] + mixed[1]) / 2  # two topics that are one
    stuck = as_statistics(type(PROBLEM.truth)(PROBLEM.truth.weights, mixed))
    assert run(incumbents=[stuck]).is_new
    assert not run(incumbents=[stuck], margin=0.9).is_new
    assert not run(incumbents=[as_statistics(PROBLEM.truth)], margin=1e-6).is_new


def test_closed_topics_are_reopened_and_the_others_keep_their_numbers(monkeypatch):
    monkeypatch.setattr(race_module, "make_starts", lambda *_, **__: ())
    truth = as_statistics(PROBLEM.truth)
    partly = truth.copy()
    partly.totals[:, 1], partly.words[:, 1] = 0.0, 0.0
    outcome = run(incumbents=[partly])
    assert outcome.is_new
    assert n_open(outcome.winner) == 4
    similar = cosines(outcome.winner.words.T, truth.words.T)
    assert similar.argmax(axis=1).tolist() == [0, 1, 2, 3]
    # Nor is it a newcomer if it must win by a margin, nor in the search after a change.
    assert n_open(run(incumbents=[partly], margin=0.01).winner) == 3


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


def scored(*means, spread=0.0):
    """Scores of a hundred documents by contenders, with these means and deviations of gains."""
    noise = spread * np.where(np.arange(100) % 2, 1.0, -1.0)
    hard = np.linspace(-5.0, 5.0, 100)  # for all of them
    return [mean + hard + (0.0 if i == 0 else noise) for i, mean in enumerate(means)]


def test_the_best_wins_if_there_is_nothing_to_defend_or_no_margin():
    scores = scored(-10.0, -9.0, -9.5)
    assert choose_winner(scores, 0, 0.5, 2.0) == 1
    assert choose_winner(scores, 1, 0.0, 0.0) == 1
    assert choose_winner(scores, 2, 0.5, 2.0) == 1  # itself an incumbent


@pytest.mark.parametrize(("gain", "winner"), [(0.11, 2), (0.09, 1)])
def test_a_newcomer_needs_a_share_of_the_loss_of_the_best_incumbent(gain, winner):
    scores = scored(-12.0, -10.0, -10.0 + gain, -11.0)
    assert choose_winner(scores, 2, 0.01, 2.0) == winner


@pytest.mark.parametrize(("gain", "winner"), [(0.41, 1), (0.39, 0)])
def test_a_newcomer_needs_standard_errors_of_its_gains_by_document(gain, winner):
    """2 / sqrt(100) each, and two of them; what is hard for both does not count."""
    assert choose_winner(scored(-10.0, -10.0 + gain, spread=2.0), 1, 0.01, 2.0) == winner


def test_a_dead_topic_restarts_from_the_documents_that_are_explained_worst_per_word():
    """Short and long ones: by their likelihoods alone, all long ones would come first."""
    parts = [PROBLEM.truth.sample(300, n, seed=n)[0] for n in (1, 3, 30)]
    block, rng = Documents.concatenate(parts), np.random.default_rng(0)
    before = as_statistics(random_problem(4, 30, lengths=8, seed=9).truth)
    smoothing = Smoothing(np.ones(30), 30.0, 3.0)
    explained = read_off(before.columns, smoothing).log_prob(block) / block.lengths
    worst = block.take(np.sort(np.argsort(explained)[:WORST]))
    assert (worst.lengths == 1).any()
    assert (worst.lengths == 3).any()
    found = before.copy()
    restart_topics(found, np.array([2]), DocumentView.of(block), smoothing, rng)
    others = [0, 1, 3]
    np.testing.assert_array_equal(found.words[:, others], before.words[:, others])
    even = before.totals[0].mean()
    assert found.totals[0, 2] == pytest.approx(even)
    counts = worst.as_floats().sum(axis=0)
    np.testing.assert_allclose(found.words[:, 2], even / WORST * counts)
    assert found.totals[1, 2] == pytest.approx(even / WORST * counts.sum())


def test_of_many_documents_some_are_looked_at_to_restart_a_topic():
    """Every other one of 4,000: the worst are at odd places, and are not seen."""
    block, _ = PROBLEM.truth.sample(4000, 8, seed=5)
    strange = Documents.from_tokens([[29] * 8] * 2000, 30)
    mixed = Documents.concatenate([block[:2000], strange])
    turns = np.stack([np.arange(2000), np.arange(2000, 4000)], axis=1).ravel()
    mixed, found = mixed.take(turns), as_statistics(PROBLEM.truth)
    found.words[29] = 0.0
    rng, smoothing = np.random.default_rng(0), Smoothing(np.ones(30), 30.0, 3.0)
    restart_topics(found, np.array([0]), DocumentView.of(mixed), smoothing, rng)
    assert found.words[29, 0] < 0.5 * found.words[:, 0].sum()
    found = as_statistics(PROBLEM.truth)
    found.words[29] = 0.0
    restart_topics(found, np.array([0]), DocumentView.of(mixed[1:]), smoothing, rng)
    assert found.words[29, 0] == pytest.approx(found.words[:, 0].sum())


def test_a_random_start_is_the_sum_of_a_few_documents_for_each_topic():
    start = random_start(SAMPLE, 4, np.random.default_rng(3))
    chosen = np.random.default_rng(3).integers(2000, size=(4, SEEDS))
    counts = SAMPLE.as_floats()[chosen.ravel()].toarray().reshape(4, SEEDS, 30).sum(axis=1)
    np.testing.assert_array_equal(start.words.T, counts)
    np.testing.assert_array_equal(start.totals, [np.full(4, SEEDS), counts.sum(axis=1)])


@pytest.mark.parametrize(("n_docs", "size"), [(19, 1), (400, 20), (2000, 100), (1999, 99)])
def test_a_fit_is_sweeps_in_blocks_of_a_twentieth_of_the_documents(n_docs, size):
    split, start = split_of(SAMPLE[:n_docs], held_out=0.0), as_statistics(PROBLEM.truth)
    start = start.of_words(split.word_ids)
    kept, expected = start.copy(), start.copy()
    how = split.smoothing(4), size, N_SWEEPS
    sweep(DocumentView.of(split.train), expected.columns, *how)
    found = fit(split, start)
    np.testing.assert_array_equal(found.words, expected.words)
    np.testing.assert_array_equal(start.words, kept.words)


def test_an_outcome_says_that_an_incumbent_won_with_the_words_of_the_vocabulary():
    wide = SAMPLE.recode(np.arange(30) + 3, 40)
    good = np.zeros((40, 4))
    good[3:33] = as_statistics(PROBLEM.truth).words
    good = Statistics(as_statistics(PROBLEM.truth).totals, good)
    found = race(wide, 4, [good], Background(40), [0], SETTINGS, 0.9)
    assert not found.is_new
    assert (found.winner.words[:3] == 0.0).all()
    assert (found.winner.words[33:] == 0.0).all()
    np.testing.assert_allclose(found.winner.totals[1], found.winner.words.sum(axis=0))


def kinds_of_starts(documents, n_topics, monkeypatch, **settings):
    """The names of the starts that are made."""
    for name in ("spectral_start", "over_complete_start", "random_start"):
        monkeypatch.setattr(race_module, name, lambda *_, name=name: name.split("_start")[0])
    split = split_of(documents, held_out=0.0, **settings)
    return list(make_starts(split, n_topics, np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("n_docs", "n_topics", "starts"),
    [
        (39, 4, ["random"] * 2),
        (40, 4, ["spectral"] + ["random"] * 2),  # ten a topic
        (119, 4, ["spectral"] + ["random"] * 2),
        (120, 4, ["spectral", "over_complete"]),  # ten for each of three times as many
    ],
)
def test_starts_need_ten_documents_a_topic(n_docs, n_topics, starts, monkeypatch):
    assert kinds_of_starts(SAMPLE[:n_docs], n_topics, monkeypatch, work=1e9) == starts


def cost(K):
    """What a spectral start and an over-complete one take, in visits of every document."""
    documents = split_of(SAMPLE, held_out=0.0).train
    n, d, first = documents.n_docs, documents.n_words, documents[:500]
    spectral = 60 * len(first.words) * K + 8 * d * K**2 + (n + d) * K**3 / 16 + 20 * K**4
    merging = 2 * 4 * len(documents.words) * K + d * (3 * K) ** 2
    return [work / (len(documents.words) * K) for work in (spectral, merging)]


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_starts_that_cost_more_than_allowed_are_not_made(share, monkeypatch):
    spectral, merging = cost(12)
    how = {"spectral": 500}
    found = kinds_of_starts(SAMPLE, 12, monkeypatch, work=share * spectral, **how)
    assert ("spectral" in found) == (share > 1)
    found = kinds_of_starts(SAMPLE, 12, monkeypatch, work=share * merging, **how)
    assert ("over_complete" in found) == (share > 1)
    assert found.count("random") == (0 if share > 1 else SETTINGS.n_random)


def test_a_search_has_no_spectral_start():
    split = split_of(SAMPLE)
    assert len(list(make_starts(split, 4, np.random.default_rng(0), spectral=False))) == 1


def test_topics_are_closed_by_the_ratio_of_those_compared(monkeypatch):
    """12, 8, 5 and 3 of them; the best of few documents, and never less than the least."""
    compared = []

    def note(split, start):
        compared.append(n_open(start))
        return Contender(start, np.full(2, -float(n_open(start))), 1.0)

    split = split_of(SAMPLE[:120])
    winner = winner_of(split, 12, 0)
    monkeypatch.setattr(race_module, "contend", note)
    found = close_topics(split, winner._replace(scores=np.full(2, -12.0)), 3)
    assert compared == [8, 5, 3]
    assert n_open(found.statistics) == 3
    np.testing.assert_allclose(found.statistics.totals.sum(), winner.statistics.totals.sum())
    assert close_topics(split, winner, 12) is winner
    assert compared == [8, 5, 3]


@pytest.mark.parametrize(("gain", "n"), [(-0.99, 3), (-1.01, 12)])
def test_fewer_topics_may_predict_worse_by_a_standard_error_of_the_best(gain, n, monkeypatch):
    """Gains of -1 and 1 around their mean, a hundred of them: the error is 0.1."""
    split = split_of(SAMPLE[:120])
    winner = winner_of(split, 12, 0)._replace(scores=np.full(100, -10.0))
    scores = -10.0 + 0.1 * gain + np.where(np.arange(100) % 2, 1.0, -1.0)
    monkeypatch.setattr(race_module, "contend", lambda _, start: Contender(start, scores, 1.0))
    assert n_open(close_topics(split, winner, 3).statistics) == n


def test_fewer_topics_are_compared_with_the_best_number_so_far(monkeypatch):
    """Eight are better than twelve, five worse than eight, though better than twelve."""
    means = {8: -9.5, 5: -9.8, 3: -20.0}
    split = split_of(SAMPLE[:120])
    winner = winner_of(split, 12, 0)._replace(scores=np.full(100, -10.0))

    def contend_by_number(_, start):
        return Contender(start, np.full(100, means[n_open(start)]), 1.0)

    monkeypatch.setattr(race_module, "contend", contend_by_number)
    assert n_open(close_topics(split, winner, 3).statistics) == 8


def test_documents_are_held_out_from_the_number_of_the_settings_on():
    assert split_of(SAMPLE[: SETTINGS.few]).can_judge
    assert not split_of(SAMPLE[: SETTINGS.few - 1]).can_judge
