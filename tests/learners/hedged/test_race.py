"""Racing starts: the likeliest wins, whoever it is."""

import numpy as np

from spectralleader.learners.hedged import race
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.race import N_KEPT, as_statistics, starts
from spectralleader.sources.synthetic import random_problem

PROBLEM = random_problem(4, 30, lengths=8, seed=3)
SAMPLE, _ = PROBLEM.truth.sample(2000, 8, seed=1)
BACKGROUND = np.full(30, 1 / 30)


def fits(found):
    models = [smooth(statistics, BACKGROUND, 3.0) for statistics in found]
    return [float(model.log_prob(SAMPLE).mean()) for model in models]


def test_the_truth_is_found_and_the_best_comes_first():
    found = race(SAMPLE, 4, [], BACKGROUND, 3.0, [0, 0])
    assert len(found) == N_KEPT
    best = fits(found)
    assert best[0] > float(PROBLEM.truth.log_prob(SAMPLE).mean()) - 0.02
    assert best[0] >= max(best) - 1e-3  # judged before the last pass, listed after it


def test_an_incumbent_at_the_truth_is_not_lost():
    incumbent = as_statistics(PROBLEM.truth, SAMPLE)
    found = race(SAMPLE, 4, [incumbent], BACKGROUND, 3.0, [0, 0])
    assert fits(found)[0] >= fits([incumbent])[0] - 1e-9


def test_starts_differ_and_depend_on_their_seed_alone():
    a, b, c = (list(starts(SAMPLE, 4, [0, seed])) for seed in (0, 0, 1))
    for one, same in zip(a, b, strict=True):
        np.testing.assert_array_equal(one.words, same.words)
    assert not np.array_equal(a[-1].words, a[-2].words)
    assert not np.array_equal(a[-1].words, c[-1].words)


def test_a_random_start_is_renamed_with_the_words():
    order = np.random.default_rng(0).permutation(30)
    renamed = SAMPLE.recode(order, 30)
    a, b = (list(starts(block, 4, [0, 0]))[-1] for block in (SAMPLE, renamed))
    np.testing.assert_array_equal(a.words, b.words[order])
