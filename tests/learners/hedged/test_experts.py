"""Experts: the table, what each says against NumPy, and how they learn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from spectralleader import Documents
from spectralleader.em.stacked import Stacked
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.learners.hedged.experts import FLOOR, Experts, Table, add_losses, track_priors
from spectralleader.learners.hedged.finer import finer_names
from spectralleader.learners.hedged.settings import SETTINGS
from tests.factories import blocks, documents, model, same_state

K = 3
TABLE = Table(SETTINGS)
ESTIMATES = TABLE.estimates
FINER = [name + smoother for name in finer_names(SETTINGS) for smoother in ("", ", smoother")]


def plain(statistics):
    """Return a copy with scale 1."""
    return Statistics(statistics.scale * statistics.totals, statistics.scale * statistics.words)


def some(seed, n_words=5):
    return Statistics.one_document(model(K, n_words, seed=seed), 30.0)


def learned(n_words=5, seed=0):
    experts, rng = Experts(K, n_words), np.random.default_rng(seed)
    experts.background.add(documents(30, n_words, seed=seed))
    for e, name in enumerate(ESTIMATES):
        experts.estimates.replace(name, some(seed + e, n_words))
        experts.estimates.scales[e] = 0.5 + 0.5 * rng.random()
    for e, name in enumerate(finer_names(SETTINGS)):
        finer = Statistics.one_document(model(SETTINGS.n_finer, n_words, seed=seed + e), 30.0)
        experts.finer.stacked.replace(name, finer)
    experts.priors = 0.1 / K + 0.9 * rng.dirichlet(np.ones(K), size=len(experts.priors))
    return experts


def meaning(name):
    """The estimate, strength and tracked prior, if any, that the name of an expert tells."""
    estimate, *rest = name.removesuffix(", smoother").split(", ")
    priors = [f"weights of the last {memory:g}" for memory in SETTINGS.prior_memories]
    priors += [f"runs of {run:g}" for run in SETTINGS.prior_runs]
    return estimate, int(name.endswith(", smoother")), priors.index(rest[0]) if rest else None


def plainly(experts, block):
    """The log-probabilities by every row of the table, then by the finer experts."""
    counts, background = block.as_floats(), experts.background
    frequencies = background.seen / background.n_seen
    out = [-block.lengths * np.log(block.n_words), counts @ np.log(frequencies)]
    for name in list(TABLE.column)[2 : -len(FINER)]:
        estimate, s, p = meaning(name)
        statistics = plain(experts.estimates.view(estimate))
        strength = SETTINGS.strengths[s] * block.n_words
        mass = statistics.words + strength * background.prior[:, None]
        logs = counts @ np.log(mass / (statistics.totals[1] + strength))
        prior = (statistics.totals[0] + 1 / K) / (statistics.totals[0].sum() + 1)
        if p is not None:
            model = ESTIMATES.index(estimate) * len(SETTINGS.strengths) + s
            prior = experts.priors[model * len(TABLE.rates) + p]
        out.append(logsumexp(logs + np.log(prior), axis=1))
    for name in finer_names(SETTINGS):
        statistics = plain(experts.finer.stacked.view(name))
        prior = statistics.totals[0] + 1 / SETTINGS.n_finer
        for strength in np.array(SETTINGS.strengths) * block.n_words:
            mass = statistics.words + strength * background.prior[:, None]
            logs = counts @ np.log(mass / (statistics.totals[1] + strength))
            out.append(logsumexp(logs + np.log(prior / prior.sum()), axis=1))
    return np.stack(out, axis=1)


@given(block=blocks(5), seed=st.integers(0, 50))
def test_every_expert_says_what_its_name_means(block, seed):
    experts = learned(seed=seed)
    found = experts.log_probs(block).log_probs
    np.testing.assert_allclose(found, plainly(experts, block), rtol=1e-8, atol=1e-10)


def test_long_documents_and_large_counts_do_not_underflow():
    for counts in (np.ones((2, 900)), np.array([[0, 40, 30, 25, 1], [7, 1, 10**6, 90, 2]])):
        block, experts = Documents.from_matrix(counts), learned(counts.shape[1])
        found = experts.log_probs(block).log_probs
        np.testing.assert_allclose(found, plainly(experts, block), rtol=1e-8)


def test_names_differ_and_each_estimate_is_an_expert_with_its_own_weights():
    names = list(TABLE.column)
    assert len(names) == len(Experts(K, 5).losses)
    assert len(set(names)) == len(names)
    assert names[-len(FINER) :] == FINER
    forgetting = tuple(f"EM of the last {memory:g}" for memory in SETTINGS.memories)
    assert (ESTIMATES[:2], ESTIMATES[2:]) == (("reservoir", "window"), forgetting)
    for name in ESTIMATES:
        assert meaning(names[TABLE.column[name]]) == (name, 0, None)


def test_memories_and_runs_are_rates_per_document():
    settings = replace(SETTINGS, memories=(10.0, 100.0), prior_memories=(4.0,), prior_runs=(5.0,))
    table = Table(settings)
    np.testing.assert_allclose(table.keep, [0.9, 0.99], rtol=1e-15)
    np.testing.assert_allclose(table.rates, [0.25, 0.2], rtol=1e-15)


def test_another_memory_is_one_number_and_the_rest_follows():
    more = Table(replace(SETTINGS, memories=(1000.0, 200.0)))
    assert more.estimates == ("reservoir", "window", "EM of the last 1000", "EM of the last 200")
    assert more.shortest == "EM of the last 200"
    names = list(more.column)
    of_pairs = [[names[i] for i in pair] for pair in (*more.rivals, *more.suspects)]
    assert of_pairs == [
        ["window", "reservoir"],
        ["window", "reservoir"],
        ["EM of the last 200", "reservoir"],
        ["EM of the last 200", "window"],
    ]


@pytest.mark.parametrize(
    "memories", [(1000.0,), (1000.0, 200.0), (10_000.0, 1000.0), (1000.0, 10_000.0, 200.0)]
)
def test_stored_experts_that_are_others_or_in_another_order_are_refused(memories):
    others = Experts(K, 5, settings=replace(SETTINGS, memories=memories))
    with pytest.raises(ValueError, match="names must be those of the experts of this version"):
        Experts.from_state(others.to_state(), n_topics=K, n_words=5)


@pytest.mark.parametrize("names", [None, 7, "reservoir", [], [1], [["reservoir"]], np.zeros(3)])
def test_stored_names_that_are_none_are_refused(names):
    with pytest.raises(ValueError, match="names must be those of the experts of this version"):
        Experts.from_state(learned().to_state() | {"names": names}, n_topics=K, n_words=5)


def test_recent_losses_decay():
    rng = np.random.default_rng(0)
    losses, logs = rng.random(4), -rng.random((7, 4))
    expected = losses * 0.9**7 - logs.sum(axis=0)
    add_losses(losses, logs, 0.9)
    np.testing.assert_allclose(losses, expected)


def assert_same(a, b):
    np.testing.assert_allclose(a.scale * a.words, b.scale * b.words, rtol=1e-12)
    np.testing.assert_allclose(a.scale * a.totals, b.scale * b.totals, rtol=1e-12)


def filled():
    estimates = Stacked("abc", K, 5)
    for i, name in enumerate("abc"):
        estimates.replace(name, some(i))
    return estimates


def test_what_is_put_in_comes_out_and_the_others_stay():
    estimates = filled()
    halved = some(7)
    halved.scale = 0.5
    estimates.replace("b", halved)
    for name, expected in zip("abc", (some(0), halved, some(2)), strict=True):
        assert_same(estimates.view(name), expected)
        words, totals, first, n_topics = estimates.columns(name)
        np.testing.assert_array_equal(words[:, first : first + n_topics], expected.words)
        np.testing.assert_array_equal(totals[:, first : first + n_topics], expected.totals)


def test_the_last_estimates_learn_as_statistics_that_decay():
    estimates, block, keep = filled(), documents(20, 5), np.array([0.75, 0.99])
    rng = np.random.default_rng(0)
    topic_likelihoods = rng.random((20, 6, K))  # two models each
    weights = rng.dirichlet(np.ones(K), size=3)
    estimates.learn(block, topic_likelihoods, weights, keep)
    assert_same(estimates.view("a"), some(0))
    for i, kept in enumerate(keep, start=1):
        posterior = weights[i] * topic_likelihoods[:, 2 * i]
        posterior /= posterior.sum(axis=1, keepdims=True)
        expected = some(i)
        expected.decay(kept**20)
        expected.add(block, posterior, (1.0 - kept**20) / (1.0 - kept) / 20)
        assert_same(estimates.view("abc"[i]), expected)


def test_a_scale_that_becomes_small_is_multiplied_out():
    estimates, block = filled(), documents(300, 5)
    topic_likelihoods, weights = np.ones((300, 3, K)), np.full((3, K), 1 / K)
    for _ in range(3):
        estimates.learn(block, topic_likelihoods, weights, np.array([0.3, 1 - 1e-9]))
        assert estimates.scales.min() >= SMALLEST_SCALE
    assert_same(estimates.view("a"), some(0))


def test_weights_share_one_document():
    experts = learned()
    weights = experts.log_probs(documents(2, 5)).priors
    for i, name in enumerate(ESTIMATES):
        documents_of = plain(experts.estimates.view(name)).totals[0] + 1 / K
        np.testing.assert_allclose(weights[i], documents_of / documents_of.sum())
    assert np.array_equal(weights[len(ESTIMATES) :], experts.priors)


def closed(which=(1,)):
    """Experts without the documents of some topics, in every estimate."""
    experts = learned()
    for name in ESTIMATES:
        statistics = experts.estimates.view(name)
        statistics.totals[:, which], statistics.words[:, which] = 0.0, 0.0
    return experts


def test_a_topic_without_documents_keeps_the_weight_of_its_pseudo_document():
    """Unlike in the E-step: a document that no other topic explains would be impossible."""
    experts = closed()
    likelihoods = experts.log_probs(documents(30, 5))
    for i, name in enumerate(ESTIMATES):
        n_docs = plain(experts.estimates.view(name)).totals[0].sum()
        assert likelihoods.priors[i, 1] == pytest.approx(1 / K / (n_docs + 1))


def test_topics_none_of_which_has_documents_weigh_the_same():
    for experts in (Experts(K, 5), closed(which=(0, 1, 2))):
        likelihoods = experts.log_probs(documents(30, 5))
        np.testing.assert_array_equal(likelihoods.priors[: len(ESTIMATES)], 1 / K)
        assert np.isfinite(likelihoods.log_probs).all()


@pytest.mark.parametrize("length", [10, 100, 1000])
def test_words_that_no_topic_with_documents_has_are_unlikely_and_not_impossible(length):
    """Although a topic without documents, which has next to no weight, expects them most."""
    n_words, rng = 2000, np.random.default_rng(0)
    half = rng.integers(50, size=(200, 30))
    known = Documents.from_tokens([*half[:100], *(50 + half[100:])], n_words)
    statistics, experts = Statistics.zero(K, n_words), Experts(K, n_words)
    statistics.add(known, np.eye(K)[np.repeat([0, 1], 100)])
    experts.background.add(known)
    for name in ESTIMATES:
        experts.estimates.replace(name, statistics)
    strange = Documents.from_tokens([rng.integers(100, n_words, size=length)], n_words)
    likelihoods = experts.log_probs(strange)
    np.testing.assert_allclose(likelihoods.log_probs, plainly(experts, strange), rtol=1e-8)
    experts.learn(likelihoods)
    assert np.isfinite(experts.estimates.statistics.words).all()
    assert np.isfinite(experts.log_probs(known).log_probs).all()


def test_experts_are_stored_as_they_are():
    experts = learned()
    experts.recode(np.array([2, 0, 1, -1, 3]), 6)
    again = Experts.from_state(experts.to_state(), n_topics=K, n_words=6)
    assert same_state(again.to_state(), experts.to_state())
    block = documents(5, 6)
    found = again.log_probs(block).log_probs
    np.testing.assert_array_equal(found, experts.log_probs(block).log_probs)


def track_plainly(prior, length, *, stays, logs):
    for row in logs:
        now = prior * np.exp(row - row.max())
        now /= now.sum()
        mean = (1 - 1 / length) * prior + now / length
        moved = mean if stays else (1 - 1 / length) * now + 1 / length / len(prior)
        prior = (1 - FLOOR) * moved + FLOOR / len(prior)
    return prior


@given(seed=st.integers(0, 1000), n_docs=st.integers(0, 20), k=st.integers(1, 4))
def test_priors_follow_as_the_definition_says(seed, n_docs, k):
    rng = np.random.default_rng(seed)
    logs = -100 * rng.random((n_docs, 3, k))  # the third model is not tracked
    priors, lengths = rng.dirichlet(np.ones(k), size=6), (3.0, 50.0, 10.0)
    expected = [
        track_plainly(priors[p], lengths[p % 3], stays=p % 3 < 2, logs=logs[:, p // 3])
        for p in range(6)
    ]
    track_priors(priors, 1.0 / np.array(lengths), 2, FLOOR, np.exp(logs))
    np.testing.assert_allclose(priors, expected, atol=1e-12)


def test_a_topic_that_stays_is_expected_to_stay_and_another_is_not_given_up():
    priors, rates = np.full((2, 2), 0.5), np.array([0.1, 0.05])
    track_priors(priors, rates, 1, FLOOR, np.tile([0.8, 0.2], (100, 1, 1)))
    assert (priors[:, 0] > 0.9).all()
    track_priors(priors, rates, 1, FLOOR, np.tile([0.2, 0.8], (8, 1, 1)))
    assert priors[1, 1] > 0.9
    assert priors[1, 1] > priors[0, 1]  # runs turn sooner than memories


def with_losses(window, all_documents, forgetting):
    """Experts with estimates of 200, 50, 300, 400 documents and so on, and these losses."""
    experts = Experts(K, 5)
    sizes = (200.0, 50.0, *(300.0 + 100.0 * i for i in range(len(SETTINGS.memories))))
    for name, n_docs in zip(ESTIMATES, sizes, strict=True):
        one = some(int(n_docs))
        experts.estimates.replace(name, Statistics(n_docs * one.totals, n_docs * one.words))
        experts.losses[TABLE.column[name]] = forgetting
    experts.losses[TABLE.column["window"]] = window
    experts.losses[TABLE.column["reservoir"]] = all_documents
    return experts


@pytest.mark.parametrize(
    ("losses", "leader"),
    [
        ((2.0, 1.0, 1.0), "reservoir"),  # an EM that is as bad is restarted
        ((1.0, 2.0, 1.5), "window"),
        ((1.0, 1.0, 1.0), "reservoir"),
        ((2.0, 1.0, 0.9), None),  # it has learned something better
    ],
)
def test_forgetting_ems_restart_from_the_better_topics_unless_they_predict_better(losses, leader):
    experts = with_losses(*losses)
    before = {name: plain(experts.estimates.view(name)) for name in ESTIMATES}
    experts.restart()
    for name in ESTIMATES:
        source = name if leader is None or name in ESTIMATES[:2] else leader
        assert_same(experts.estimates.view(name), before[source])


def test_a_restarted_em_holds_no_more_documents_than_its_memory():
    experts = with_losses(2.0, 1.0, 1.0)
    view = experts.estimates.view("reservoir")
    view.totals *= 20.0  # 4000 documents
    view.words[:] *= 20.0
    experts.restart()
    n_docs = [experts.estimates.view(name).totals[0].sum() for name in ESTIMATES[2:]]
    scales = [experts.estimates.view(name).scale for name in ESTIMATES[2:]]
    expected = [min(memory, 4000.0) for memory in SETTINGS.memories]
    assert min(expected) < 4000.0 == max(expected)
    np.testing.assert_allclose(np.multiply(n_docs, scales), expected)


def test_topics_are_outdated_if_those_of_the_window_are_better_by_the_share():
    experts = with_losses(100.0, 103.0, 0.0)
    assert experts.is_outdated(0.029)
    assert not experts.is_outdated(0.031)


def test_recent_losses_have_the_memory_of_the_settings():
    experts = Experts(K, 5, settings=replace(SETTINGS, lately=10.0))
    experts.losses[:] = 1.0
    experts.update_losses(np.full((2, len(experts.losses)), -0.5))
    np.testing.assert_allclose(experts.losses, 0.9**2 + 1.0)


def test_merged_losses_are_the_means_by_documents_and_counts_are_added():
    one, other = learned(seed=1), learned(seed=2)
    one.losses[:], other.losses[:] = 1.0, 4.0
    seen = one.background.seen + other.background.seen - 0.5
    one.merge([other], np.array([0.25, 0.75]))
    np.testing.assert_allclose(one.losses, 3.25)
    np.testing.assert_allclose(one.background.seen, seen)
    assert one.background.n_seen == pytest.approx(seen.sum())
