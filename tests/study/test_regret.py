"""Regret: the lemmas and theorems of the paper's section 6, and the short cuts against tensors."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Reservoir, SpectralLeader, TopicModel
from spectralleader.learners.learner_base import Fixed
from spectralleader.spectral.power import random_starts
from study import regret as bounds
from study.regret import (
    Hindsight,
    expected_reservoir_excess,
    leader_excess,
    learner_excess,
    log_steps,
    regret_rows,
)
from study.sources.synthetic import REGRET_PROBLEMS, hard, switching
from tests.definitions import population_triples
from tests.factories import distributions, model
from tests.study.noise_free import (
    N_RESTARTS,
    NoiseFreeLeader,
    decomposed,
    reservoir_excess,
    reservoir_means,
)

ROUNDING = 1e-12  # sums of a few dozen numbers of at most 2
TRIPLES = list(itertools.product(range(3), repeat=3))


@st.composite
def hindsights(draw, n_words=3):
    """Any stream of up to 12 steps from up to 3 topics."""
    n_steps, n_topics = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    topics = draw(distributions(n_topics, n_words))
    return Hindsight(topics, draw(distributions(n_steps, n_topics)))


def expected_loss(guess, truth):
    """E l_t(M) of documents of 3 words from P_t = truth: an unavoidable and an avoidable part."""
    return 1.0 - truth.norm() + truth.distance(guess)


def cubes(hindsight):
    """P_1 .. P_n as dense tensors."""
    return [population_triples(hindsight.distribution(t)) for t in range(1, len(hindsight) + 1)]


def loss(words, M):
    """l_t(M) of a document of three words."""
    observed = np.zeros(M.shape)
    observed[words] = 1.0
    return ((observed - M) ** 2).sum()


def mean_loss(P, M):
    """E l_t(M): over all documents of three words, as likely as P says."""
    return sum(P[words] * loss(words, M) for words in TRIPLES)


@given(hindsights(), distributions(1, 27), st.floats(0, 1))
def test_lemma_1_the_mean_distribution_has_the_least_expected_loss(hindsight, other, share):
    P = cubes(hindsight)
    best = population_triples(hindsight.best(len(P)))
    M = (1 - share) * best + share * other.reshape(3, 3, 3)
    losses = [sum(mean_loss(p, guess) for p in P) for guess in (best, M)]
    assert losses[0] <= losses[1] + ROUNDING
    # by as much as the guess is off
    gap = len(P) * ((M - best) ** 2).sum()
    np.testing.assert_allclose(losses[1] - losses[0], gap, atol=100 * ROUNDING)


@given(hindsights())
def test_lemma_2_the_best_of_each_step_loses_no_more_than_the_best_of_all(hindsight):
    P = cubes(hindsight)
    best = [population_triples(hindsight.best(t)) for t in range(1, len(P) + 1)]
    of_all = sum(mean_loss(p, best[-1]) for p in P)
    of_each = sum(mean_loss(p, b) for p, b in zip(P, best, strict=True))
    assert of_all >= of_each - ROUNDING


@given(distributions(2, 27), st.sampled_from(TRIPLES))
def test_lemma_3_losses_differ_by_at_most_four_distances(pair, words):
    M, other = pair.reshape(2, 3, 3, 3)
    assert loss(words, M) - loss(words, other) <= 4 * np.linalg.norm(M - other) + ROUNDING


@given(hindsights(), distributions(2, 3))
def test_the_expected_loss_is_the_mean_over_all_documents(hindsight, topics):
    truth, guess = hindsight.distribution(1), TopicModel([0.4, 0.6], topics)
    assert expected_loss(guess, truth) == pytest.approx(
        mean_loss(population_triples(truth), population_triples(guess)), abs=ROUNDING
    )


@given(hindsights(), st.integers(1, 12), st.integers(0, 5))
def test_the_quadratic_form_gives_the_regret_that_tensors_give(hindsight, size, seed):
    P = cubes(hindsight)
    kept = reservoir_means(hindsight.priors, size, seed)
    predicted = [np.full((3, 3, 3), 1 / 27)]
    predicted += [population_triples(TopicModel(w, hindsight.topics)) for w in kept[:-1]]
    losses = np.cumsum([mean_loss(p, M) for p, M in zip(P, predicted, strict=True)])
    best = [sum(mean_loss(p, np.mean(P[:n], axis=0)) for p in P[:n]) for n in range(1, len(P) + 1)]
    regret = hindsight.regret(reservoir_excess(hindsight, size, seed))
    np.testing.assert_allclose(regret, losses - best, atol=100 * ROUNDING)


@given(hindsights())
def test_the_regret_of_the_leader_never_falls_and_keeps_to_theorem_1(hindsight):
    regret = hindsight.regret(leader_excess(hindsight))
    n, d = np.arange(1, len(regret) + 1), 3
    assert regret[0] >= 0
    assert (np.diff(regret) >= -ROUNDING).all()
    assert (regret <= bounds.repaired(d, n)).all()
    assert (regret[1:] <= bounds.theorem1(d, n[1:])).all()  # at n = 1 it says 0
    assert (regret <= bounds.sharp(n) + ROUNDING).all()


@given(hindsights(n_words=2), st.floats(0.05, 1))
def test_the_expected_regret_with_a_reservoir_keeps_to_theorem_2(hindsight, epsilon):
    d, n = 2, np.arange(1, len(hindsight) + 1)
    for size in {1, 2, 5, bounds.reservoir_size(d, len(hindsight), epsilon)}:
        regret = hindsight.regret(expected_reservoir_excess(hindsight, size))
        assert (regret <= bounds.sharp(n, size) + ROUNDING).all()
    asked_for = bounds.reservoir_size(d, len(hindsight), epsilon)
    regret = hindsight.regret(expected_reservoir_excess(hindsight, asked_for))
    assert (regret < bounds.theorem2(d, n, epsilon)).all()


@given(hindsights(), st.integers(1, 6))
def test_the_expectation_over_reservoirs_is_the_mean_over_all_samples(hindsight, size):
    excess = expected_reservoir_excess(hindsight, size)
    for past in range(1, len(hindsight)):
        samples = itertools.combinations(hindsight.priors[:past], min(size, past))
        gaps = hindsight.priors[past] - np.array([np.mean(kept, axis=0) for kept in samples])
        mean = hindsight.squared_norms(gaps).mean()
        assert excess[past] == pytest.approx(mean, abs=ROUNDING)


@pytest.mark.parametrize("size", [None, 1, 4, 30])
@pytest.mark.parametrize("name", sorted(REGRET_PROBLEMS))
def test_the_spectral_road_gives_the_mixture_that_the_regret_is_computed_with(name, size):
    hindsight = Hindsight.of(REGRET_PROBLEMS[name](), 60)
    means = hindsight.means if size is None else reservoir_means(hindsight.priors, size, seed=3)
    leader = NoiseFreeLeader(hindsight.topics, reservoir_size=size, seed=3)
    assert leader.model.distance(TopicModel.uniform(3, 3)) < ROUNDING  # products, as BLAS sums them
    for t in range(1, 61):
        leader.learn(hindsight.distribution(t))
        np.testing.assert_allclose(leader.mixture.weights, means[t - 1], atol=ROUNDING)
        # the accuracy that the spectral road owes to exact moments
        np.testing.assert_allclose(
            population_triples(leader.model), population_triples(leader.mixture), atol=1e-8
        )


@pytest.mark.parametrize("name", sorted(REGRET_PROBLEMS))
def test_the_spectral_road_is_exact_for_the_means_of_long_streams(name):
    hindsight, starts = (
        Hindsight.of(REGRET_PROBLEMS[name](), 10_000),
        random_starts(3, N_RESTARTS, 0),
    )
    for n in log_steps(10_000, 60).tolist():
        mean = hindsight.best(n)
        # entries of M3 are at most 1: rounding
        np.testing.assert_allclose(
            population_triples(decomposed(mean, starts)), population_triples(mean), atol=1e-13
        )


@given(distributions(5, 3))
def test_the_spectral_road_is_exact_for_any_mixture_of_the_papers_topics(priors):
    leader = NoiseFreeLeader(hard().truth.topics)
    for prior in priors:
        leader.learn(TopicModel(prior, hard().truth.topics))
    np.testing.assert_allclose(
        population_triples(leader.model), population_triples(leader.mixture), atol=1e-8
    )


def test_a_learner_of_documents_is_charged_its_distance_from_each_distribution():
    hindsight = Hindsight.of(switching(), 40)
    documents = [b.documents for b in switching().blocks(block_size=1, n_steps=40, seed=1)]
    excess = learner_excess(hindsight, SpectralLeader(3, n_words=3), documents)
    again = SpectralLeader(3, n_words=3)
    for t, block in enumerate(documents, start=1):
        distance = hindsight.distribution(t).distance(again.model)
        assert excess[t - 1] == pytest.approx(distance, abs=ROUNDING)
        again.learn(block)


def test_the_best_model_in_hindsight_has_no_regret_and_any_other_some():
    hindsight = Hindsight.of(switching(), 50)
    documents = [b.documents for b in switching().blocks(block_size=1, n_steps=50, seed=0)]
    best, other = (
        hindsight.regret(learner_excess(hindsight, Fixed(m), documents))[-1]
        for m in (hindsight.best(50), model(n_words=3))
    )
    assert best == pytest.approx(0, abs=ROUNDING)
    assert other > 0


def test_the_printed_sum_is_short_at_every_n_and_right_without_the_first_step():
    n = np.arange(1, 100_001)
    sums = np.cumsum(1 / n)
    assert (sums > np.log(n)).all()
    assert (sums <= 1 + np.log(n)).all()
    assert (sums - 1 <= np.log(n)).all()


@pytest.mark.parametrize("name", sorted(REGRET_PROBLEMS))
def test_the_printed_bound_holds_from_the_second_step_on(name):
    hindsight = Hindsight.of(REGRET_PROBLEMS[name](), 1000)
    regret = hindsight.regret(leader_excess(hindsight))
    n = np.arange(1, 1001)
    assert n[regret > bounds.theorem1(3, n)].tolist() == [1]
    assert (regret <= bounds.repaired(3, n)).all()


def test_a_reservoir_is_as_large_as_theorem_2_asks_for():
    assert bounds.reservoir_size(3, 10_000, 0.1) == 1251  # 100 log(27 * 10,000) = 1250.6
    assert bounds.reservoir_size(3, 10_000, 1.0) == 13  # log(27 * 10,000) = 12.5
    with pytest.raises(ValueError, match="epsilon <= 1"):
        bounds.reservoir_size(3, 10_000, 0.0)


def test_the_bounds_are_the_formulas_of_the_theorems():
    # 4 sqrt(d^3) is 32 for 4 words; log n is 2
    n = np.exp(2.0)
    assert bounds.theorem1(4, n) == pytest.approx(32 * 2)
    assert bounds.repaired(4, n) == pytest.approx(32 * (1 + 2))
    assert bounds.theorem2(4, n, 0.25) == pytest.approx(32 * (n / 4 + 2) + 8)
    assert bounds.sharp(n) == pytest.approx(1 + 2 * 2)
    assert bounds.sharp(n, 2) == pytest.approx(1 + 2 * 2 + n / 2 - 1)
    assert bounds.sharp(n, 8) == pytest.approx(1 + 2 * 2)  # n < 8: all is remembered


def test_the_reservoir_of_theorem_2_has_the_size_that_it_asks_for():
    assert bounds.reservoir_size(3, 50, 0.5) == 29  # 4 log(27 * 50) = 28.8
    assert bounds.reservoir_size(3, 50, 1.0) == 8  # 7.2
    assert bounds.reservoir_size(1, 1, 1.0) == 1  # log 1 = 0, but there is one at least
    for epsilon in (0.0, 1.01):
        with pytest.raises(ValueError, match="requires 0 < epsilon <= 1"):
            bounds.reservoir_size(3, 50, epsilon)


def test_hindsight_begins_with_the_distribution_of_the_first_step():
    problem = switching()
    hindsight = Hindsight.of(problem, 4)
    assert len(hindsight) == 4
    for t in range(4):
        assert hindsight.priors[t].tolist() == problem.prior(t, 1)[0].tolist()
    assert hindsight.priors[0].tolist() != hindsight.priors[1].tolist()


def test_rows_are_plain_and_carry_every_bound():
    rows = regret_rows("cyclic", "noise-free", n_steps=50, epsilon=0.5, seed=3, n_rows=5)
    assert all(type(value) in (int, float) for _, row in rows for value in row.values())
    assert [step for step, _ in rows] == [1, 3, 7, 19, 50]
    _, last = rows[-1]
    assert last["regret_per_step"] == last["regret"] / 50
    assert last["reservoir_size"] == 29  # 4 log(27 * 50)
    assert last["bound_printed"] < last["bound_repaired"] < last["bound_theorem2"]
    [(_, without)] = regret_rows("cyclic", "noise-free", n_steps=50, n_rows=1)
    assert set(last) - set(without) == {"reservoir_size", "bound_theorem2"}


@pytest.mark.parametrize("learner", ["noise-free", "SpectralLeader"])
def test_a_reservoir_that_never_fills_is_no_reservoir(learner):
    all_remembered, sampled = (
        regret_rows("switching", learner, n_steps=30, epsilon=epsilon)
        for epsilon in (None, 0.3)  # a reservoir of 75
    )
    for (_, a), (_, b) in zip(all_remembered, sampled, strict=True):
        assert a["regret"] == pytest.approx(b["regret"], abs=1e-12)


def test_steps_are_thinned_evenly_in_log_n_and_end_at_the_last():
    assert log_steps(1000, 4).tolist() == [1, 10, 100, 1000]
    assert log_steps(7, 100).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert log_steps(7, 2).tolist() == [1, 7]
    assert log_steps(7, 1).tolist() == [7]


def test_rows_are_the_regret_of_the_learner_that_they_name():
    hindsight = Hindsight.of(switching(), 20)

    def noisy(noise_rank):
        sample = Reservoir(7, n_words=3, seed=3, acceptance="uniform")  # log(27 * 20) = 6.3
        learner = SpectralLeader(3, n_words=3, seed=3, sample=sample, noise_rank=noise_rank)
        stream = switching().blocks(block_size=1, n_steps=20, seed=3)
        return learner_excess(hindsight, learner, (block.documents for block in stream))

    excesses = {
        "noise-free": expected_reservoir_excess(hindsight, 7),
        "SpectralLeader as printed": noisy(noise_rank=False),
        "SpectralLeader": noisy(noise_rank=True),
    }
    assert excesses["SpectralLeader"].tolist() != excesses["SpectralLeader as printed"].tolist()
    for learner, excess in excesses.items():
        rows = regret_rows("switching", learner, n_steps=20, epsilon=1.0, seed=3)
        assert [step for step, _ in rows] == list(range(1, 21))
        found = [row["regret"] for _, row in rows]
        assert found == pytest.approx(hindsight.regret(excess).tolist())
        assert {row["reservoir_size"] for _, row in rows} == {7}
