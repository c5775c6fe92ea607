import numpy as np
import pytest

from spectralleader import Documents, SpectralLeader, StepwiseEM, TopicModel
from spectralleader.learners.protocol import remembered
from spectralleader.moments.sums import sum_pairs
from spectralleader.reading import diagnosis
from spectralleader.reading.diagnosis import (
    Diagnosis,
    Spectrum,
    agreement,
    choose,
    diagnose,
    measure_spectrum,
    share_confident,
    shuffle,
    split,
)
from tests.factories import documents


def mean_pairs(block):
    return sum_pairs(block) / np.count_nonzero(block.lengths > 1)


def clear_model(n_topics, n_words=60, seed=0):
    """A model whose topics share few words."""
    topics = np.random.default_rng(seed).dirichlet(np.full(n_words, 0.1), size=n_topics)
    return TopicModel(np.full(n_topics, 1 / n_topics), topics)


def test_halves_have_all_words_between_them():
    block = documents(50)
    first, second = split(block, seed=0)
    both = first.to_matrix() + second.to_matrix()
    assert (both != block.to_matrix()).nnz == 0
    assert np.abs(first.lengths - second.lengths).max() <= 1


def test_shuffling_keeps_words_and_lengths():
    block = documents(50)
    dealt = shuffle(block, np.random.default_rng(0))
    assert np.array_equal(dealt.lengths, block.lengths)
    assert np.array_equal(dealt.to_matrix().sum(axis=0), block.to_matrix().sum(axis=0))


@pytest.mark.parametrize("n_topics", [2, 4, 7])
def test_the_spectrum_of_a_single_topic_model_suggests_its_topics(n_topics):
    block, _ = clear_model(n_topics).sample(4000, 12, seed=1)
    assert measure_spectrum(block, 5).n_suggested == n_topics


def test_without_topics_nothing_stands_above_noise_but_the_frequencies():
    block, _ = clear_model(1).sample(2000, 12, seed=2)
    spectrum = measure_spectrum(shuffle(block, np.random.default_rng(5)), 3)
    assert spectrum.n_above <= 2  # the largest of 3 draws of noise is not a bound for a 4th
    assert spectrum.n_suggested in (1, None)


def test_a_spectrum_that_falls_slowly_suggests_no_number():
    spectrum = Spectrum(np.array([10.0, 5.0, 4.0, 3.0, 2.5, 2.0, 0.5]), noise=1.0)
    assert spectrum.n_above == 6
    assert spectrum.n_suggested == 6
    assert Spectrum(np.array([10.0, 5.0, 4.0, 3.0, 2.0, 1.5, 0.9]), 1.0).n_suggested is None
    assert Spectrum(np.array([10.0, 0.5]), 1.0).n_suggested == 1


def test_a_drop_that_ends_above_noise_suggests_a_number_only_if_it_is_large():
    assert Spectrum(np.array([10.0, 5.0, 2.0, 1.5, 0.9]), 1.0).n_suggested is None
    assert Spectrum(np.array([10.0, 5.0, 1.3, 1.2, 0.9]), 1.0).n_suggested is None  # 3.8 times
    assert Spectrum(np.array([10.0, 4.8, 1.2, 1.1, 0.9]), 1.0).n_suggested == 2
    assert Spectrum(np.array([100.0, 80.0, 1.3, 1.02, 0.1]), 1.0).n_suggested == 2


def test_documents_of_the_model_fit_it_and_mixed_ones_do_not():
    model = clear_model(4)
    single, _ = model.sample(3000, 12, seed=3)
    found = diagnose(model, single)
    assert found.fit == pytest.approx(1.0, abs=0.05)  # a share of 3,000 documents
    halves = [model.sample(3000, 6, seed=seed)[0].to_matrix() for seed in (4, 5)]
    mixed = Documents.from_matrix(halves[0] + halves[1])
    assert diagnose(model, mixed).fit < 0.6
    assert agreement(model, mixed, 0) < agreement(model, single, 0)


def test_short_documents_tell_nothing():
    model = clear_model(2, n_words=5)
    assert diagnose(model, Documents.from_tokens([[0], [1], []], n_words=5)) is None


def test_only_some_learners_remember():
    leader = SpectralLeader(2, n_words=3)
    leader.learn(Documents.from_tokens([[0, 1]], n_words=3))
    assert remembered(leader).n_docs == 1
    assert remembered(StepwiseEM(2, n_words=3)) is None


def test_of_very_many_words_some_documents_are_looked_at(monkeypatch):
    block = documents(50)
    assert choose(block, seed=0) is block
    monkeypatch.setattr(diagnosis, "MOST_TOKENS", block.lengths.sum() // 2)
    some = choose(block, seed=0)
    assert 0 < some.n_docs < 50
    assert some.lengths.sum() <= diagnosis.MOST_TOKENS


def test_as_many_documents_are_chosen_as_have_no_more_than_the_most_words(monkeypatch):
    block = Documents.from_tokens([[i, i, 5] for i in range(5)], n_words=6)
    monkeypatch.setattr(diagnosis, "MOST_TOKENS", 15)
    assert choose(block, seed=0) is block
    monkeypatch.setattr(diagnosis, "MOST_TOKENS", 14)
    assert choose(block, seed=0).n_docs == 4
    monkeypatch.setattr(diagnosis, "MOST_TOKENS", 9)
    some = choose(block, seed=0)
    assert some.n_docs == 3
    assert some.words[::2].tolist() == sorted(some.words[::2].tolist())  # in their order


def test_only_what_is_larger_than_noise_stands_above_it_and_only_that_may_be_suggested():
    assert Spectrum(np.array([10.0, 5.0, 4.0, 3.0, 1.9, 1.0, 0.1]), 1.0).n_above == 5
    assert Spectrum(np.array([10.0, 5.0, 4.0, 3.0, 1.9, 1.0, 0.1]), 1.0).n_suggested is None
    assert Spectrum(np.array([10.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.1]), 1.0).n_suggested == 5
    assert Spectrum(np.array([10.0, 1.5, 0.9, 0.1]), 1.0).n_suggested is None
    assert Spectrum(np.array([0.5, 0.1]), 1.0).n_suggested is None


def test_the_fit_is_agreement_in_units_of_what_the_model_would_give():
    spectrum = Spectrum(np.ones(1), 0.0)
    assert Diagnosis(9, 0.5, 0.5, 0.3, 0.6, spectrum).fit == 0.5
    assert Diagnosis(9, 0.5, 0.5, 0.3, 0.0, spectrum).fit == 0.0


def test_documents_are_long_if_half_of_them_have_more_than_50_words():
    model = clear_model(2, n_words=5)
    for n_words, is_long in ((50, False), (51, True)):
        block = model.sample(3, [2, n_words, 300], seed=1)[0]
        found = diagnose(model, block)
        assert (found.median_length, found.is_long) == (n_words, is_long)


def test_halves_of_long_documents_agree_although_a_third_has_another_topic():
    model, rng = clear_model(4), np.random.default_rng(0)
    for n_words, least, most in ((12, 0.0, 0.8), (200, 0.9, 1.0)):
        lengths = 2 * n_words // 3, n_words // 3
        mixed = [model.sample(1000, n, seed=rng)[0].to_matrix() for n in lengths]
        assert least < diagnose(model, Documents.from_matrix(sum(mixed))).fit <= most


def test_documents_of_two_words_are_looked_at():
    block = Documents.from_tokens([[0], [0, 1], [2, 3, 4], []], n_words=5)
    assert diagnose(clear_model(2, n_words=5), block).n_docs == 2


def test_a_document_is_confident_from_the_limit_on(monkeypatch):
    model = TopicModel([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]])
    block = Documents.from_tokens([[0], [0, 1], [0, 0]], n_words=2)
    monkeypatch.setattr(diagnosis, "CONFIDENT", model.posterior(block[0]).max())
    assert share_confident(model, block) == pytest.approx(2 / 3)


def test_agreement_is_cohens_kappa_of_the_topics_of_halves():
    # 4 of 5 documents have equal halves; the topics of halves are 0, 0, 1, 2 and once 0 and 1, so
    # that a first and a second half taken at random agree in 3 * 2 + 1 * 2 + 1 * 1 of 25 cases
    model = TopicModel([1 / 3] * 3, [[0.8, 0.05, 0.15], [0.05, 0.8, 0.15], [0.15, 0.15, 0.7]])
    block = Documents.from_tokens([[0, 0], [0, 0], [1, 1], [2, 2], [0, 1]], n_words=3)
    for seed in range(8):  # either half may come first
        assert agreement(model, block, seed) == pytest.approx((4 / 5 - 9 / 25) / (1 - 9 / 25))
    assert agreement(model, block[:2], 0) == 0.0  # of one topic alone nothing can be told


@pytest.mark.parametrize(
    ("n_words", "n_topics", "n_values"), [(60, 5, 30), (60, 11, 32), (12, 5, 12)]
)
def test_a_spectrum_has_30_directions_or_10_more_than_twice_the_topics(n_words, n_topics, n_values):
    assert len(measure_spectrum(documents(80, n_words), n_topics).eigenvalues) == n_values


def test_noise_is_the_largest_second_eigenvalue_of_shuffled_documents():
    block, rng = documents(30, 6), np.random.default_rng(4)
    pairs = [mean_pairs(shuffle(block, rng)) for _ in range(3)]
    noise = max(np.linalg.eigvalsh(one)[-2] for one in pairs)
    spectrum = measure_spectrum(block, 2, seed=4)
    assert spectrum.noise == pytest.approx(noise)
    assert spectrum.eigenvalues.tolist() == sorted(spectrum.eigenvalues.tolist(), reverse=True)
    one_word = Documents.from_tokens([[0, 0], [0, 0, 0]], n_words=1)
    assert measure_spectrum(one_word, 1).noise == 0.0
