import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.em.statistics import Statistics, with_words
from tests.factories import blocks, documents, model, same_state

N_WORDS = 5
SMOOTHINGS = st.sampled_from([1e-9, 1e-3, 1.0])


def some_statistics(seed=0, n_topics=3):
    """Statistics of a model, with a scale that is not 1."""
    statistics = Statistics.one_document(model(n_topics, N_WORDS, seed=seed), 7.0)
    statistics.decay(0.3)
    return statistics


def meant(statistics):
    """What the statistics mean: their arrays times their scale."""
    return statistics.scale * statistics.totals, statistics.scale * statistics.words


def assert_same(a, b):
    for x, y in zip(meant(a), meant(b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)  # sums in another order


@given(block=blocks(N_WORDS), seed=st.integers(0, 9))
def test_expected_statistics_are_the_sum_over_topics_and_words(block, seed):
    truth = model(3, N_WORDS, seed=seed)
    topics, words = np.zeros(3), np.zeros((N_WORDS, 3))
    for counts in block.to_matrix().toarray():
        joint = [w * np.prod(u**counts) for w, u in zip(truth.weights, truth.topics, strict=True)]
        for k in range(3):
            topics[k] += joint[k] / sum(joint)
            words[:, k] += counts * joint[k] / sum(joint)
    statistics = Statistics.zero(3, N_WORDS)
    statistics.add(block, truth.posterior(block))
    np.testing.assert_allclose(statistics.totals, [topics, words.sum(axis=0)], atol=1e-10)
    np.testing.assert_allclose(statistics.words, words, atol=1e-10)


@given(block=blocks(N_WORDS), smoothing=SMOOTHINGS, seed=st.integers(0, 9))
def test_the_posterior_is_that_of_the_model_not_made(block, smoothing, seed):
    statistics = some_statistics(seed)
    expected = statistics.maximise(smoothing).posterior(block)
    np.testing.assert_allclose(statistics.posterior(block, smoothing), expected, atol=1e-12)


@given(stream=st.lists(blocks(N_WORDS), max_size=4), keep=st.sampled_from([0.0, 1e-60, 0.4, 1.0]))
def test_lazy_decay_equals_multiplying_out(stream, keep):
    lazy, totals, words = some_statistics(), *meant(some_statistics())
    for block in stream:
        posterior = model(3, N_WORDS).posterior(block)
        lazy.decay(keep)
        lazy.add(block, posterior, 0.5)
        X = block.as_floats()
        words = keep * words + 0.5 * (X.T @ posterior)
        both = np.stack([posterior.sum(axis=0), block.lengths @ posterior])
        totals = keep * totals + 0.5 * both
    np.testing.assert_allclose(lazy.scale * lazy.totals, totals, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(lazy.scale * lazy.words, words, rtol=1e-12, atol=1e-12)


def test_the_scale_never_underflows():
    statistics, block = some_statistics(), documents(1, N_WORDS)
    for _ in range(10_000):
        statistics.decay(0.5)
        statistics.add(block, np.full((1, 3), 1 / 3), 0.5)
    assert 1e-100 <= statistics.scale <= 1.0
    np.testing.assert_allclose(meant(statistics)[0][0].sum(), 1.0)


@given(block=blocks(N_WORDS), gain=st.floats(0.01, 100.0))
def test_what_was_added_can_be_taken_out(block, gain):
    statistics, posterior = some_statistics(), model(3, N_WORDS).posterior(block)
    statistics.add(block, posterior, gain)
    statistics.add(block, posterior, -gain)
    for x, y in zip(meant(statistics), meant(some_statistics()), strict=True):
        np.testing.assert_allclose(x, y, atol=1e-10)  # rounding of sums up to 10^4


def test_blending_is_between_the_two():
    a, b = some_statistics(1), some_statistics(2)
    expected = [0.7 * x + 0.3 * y for x, y in zip(meant(a), meant(b), strict=True)]
    a.blend(b, 0.3)
    for x, y in zip(meant(a), expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
    a.blend(b, 1.0)
    assert_same(a, b)


def test_negative_sums_count_as_zero():
    statistics = Statistics(np.array([[1.0, -1e-9], [2.0, 1.0]]), np.array([[2.0, -1.0], [0, 2.0]]))
    maximised = statistics.maximise(1e-3)
    assert (maximised.weights > 0).all()
    assert (maximised.topics > 0).all()


def test_a_state_stays_as_it_was_saved():
    statistics = some_statistics()
    state = statistics.to_state()
    loaded = Statistics.from_state(state, 3, N_WORDS)
    loaded.add(documents(9, N_WORDS), np.full((9, 3), 1 / 3))
    assert same_state(state, statistics.to_state())
    assert not same_state(state, loaded.to_state())


def test_documents_without_words_are_left_out():
    block = Documents.from_tokens([[], [0, 1], [], [2]], n_words=3)
    assert with_words(block) == block[[1, 3]]
    assert with_words(block[1:2]) == block[1]
    assert with_words(block[:1]).n_docs == 0


def test_reading_a_model_of_one_word_leaves_the_statistics_as_they_are():
    statistics = Statistics(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[3.0, 4.0]]))
    before = statistics.to_state()
    statistics.maximise(1e-3)
    assert same_state(statistics.to_state(), before)


@given(block=blocks(N_WORDS), later=blocks(N_WORDS + 4))
def test_statistics_grown_word_by_word_are_those_of_all_words(block, later):
    grown, told = Statistics.zero(3, N_WORDS), Statistics.zero(3, N_WORDS + 4)
    truth = model(3, N_WORDS + 4)
    posterior, after = truth.posterior(block.widen(N_WORDS + 4)), truth.posterior(later)
    grown.add(block, posterior)
    for n_words in range(N_WORDS, N_WORDS + 5):
        grown.recode(None, n_words)
    grown.decay(1e-101)  # which multiplies the factor out
    grown.add(later, after)
    told.add(block, posterior)
    told.decay(1e-101)
    told.add(later, after)
    assert same_state(grown.to_state(), told.to_state())


def test_forgotten_words_take_their_tokens_with_them():
    statistics = some_statistics()
    before = meant(statistics)
    statistics.recode(np.array([2, -1, 0, 1, -1]), 3)
    totals, words = meant(statistics)
    np.testing.assert_allclose(words, before[1][[2, 3, 0]])
    np.testing.assert_allclose(totals, [before[0][0], words.sum(axis=0)])
