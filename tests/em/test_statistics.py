import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.em.statistics import Statistics, match, with_words
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


@given(block=blocks(N_WORDS), smoothing=SMOOTHINGS, n_closed=st.integers(1, 3))
def test_the_posterior_is_that_of_the_model_not_made_also_where_topics_have_no_documents(
    block, smoothing, n_closed
):
    statistics = some_statistics()
    statistics.totals[:, :n_closed], statistics.words[:, :n_closed] = 0.0, 0.0
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


def test_no_sum_becomes_negative():
    statistics, block = some_statistics(), documents(3, N_WORDS)
    statistics.add(block, np.full((3, 3), 1 / 3), -1e6)
    assert (statistics.totals == 0.0).all()
    assert (statistics.words[np.unique(block.words)] == 0.0).all()
    assert (statistics.words >= 0.0).all()
    assert (statistics.maximise(1e-3).topics > 0.0).all()


def test_a_state_stays_as_it_was_saved():
    statistics = some_statistics()
    state = statistics.to_state()
    loaded = Statistics.from_state(state, n_topics=3, n_words=N_WORDS)
    loaded.add(documents(9, N_WORDS), np.full((9, 3), 1 / 3))
    assert same_state(state, statistics.to_state())
    assert not same_state(state, loaded.to_state())


def test_documents_without_words_are_left_out():
    block = Documents.from_tokens([[], [0, 1], [], [2]], n_words=3)
    assert with_words(block) == block[[1, 3]]
    assert with_words(block[1:2]) == block[1]
    assert with_words(block[:1]).n_docs == 0
    full = block[[1, 3]]
    assert with_words(full) is full


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


def test_one_document_is_expected_to_have_the_models_words():
    truth = model(3, N_WORDS)
    one = Statistics.one_document(truth, 7.0)
    np.testing.assert_allclose(one.totals, [truth.weights, 7.0 * truth.weights])
    np.testing.assert_allclose(one.words, 7.0 * truth.weights * truth.topics.T)


def test_the_model_is_the_statistics_and_pseudo_counts_normalised():
    statistics = Statistics(np.array([[1.0, 3.0], [4.0, 8.0]]), np.array([[1.0, 6.0], [3.0, 2.0]]))
    statistics.decay(0.5)  # so that a pseudo-count of 1 is as much as 2 in the arrays
    found = statistics.maximise(1.0)
    np.testing.assert_allclose(found.weights, [3 / 8, 5 / 8])
    np.testing.assert_allclose(found.topics, [[3 / 8, 5 / 8], [8 / 12, 4 / 12]])


def test_decay_is_a_factor_until_it_would_underflow():
    totals, words = np.array([[1.0], [2.0]]), np.array([[2.0]])
    statistics = Statistics(totals.copy(), words.copy())
    statistics.decay(1e-100)
    assert (statistics.scale, statistics.totals.tolist()) == (1e-100, totals.tolist())
    statistics.decay(0.5)
    assert (statistics.scale, statistics.words.tolist()) == (1.0, [[2.0 * 0.5e-100]])


def test_statistics_of_some_words_keep_the_totals_of_all():
    given = Statistics(np.array([[2.0, 1.0], [8.0, 4.0]]), np.arange(12.0).reshape(6, 2), 0.5)
    found = given.of_words(np.array([4, 1]))
    assert found.scale == 1.0
    assert found.totals.tolist() == [[1.0, 0.5], [4.0, 2.0]]
    assert found.words.tolist() == [[4.0, 4.5], [1.0, 1.5]]


def test_words_in_another_order_leave_the_totals_as_they_are():
    totals = np.array([[1.0, 2.0], [3.0 + 1e-9, 4.0]])  # summed in another order, in effect
    statistics = Statistics(totals, np.array([[1.0, 4.0], [2.0, 0.0]]))
    statistics.recode(np.array([1, 0]), 2)
    assert statistics.totals.tolist() == totals.tolist()
    assert statistics.words.tolist() == [[2.0, 0.0], [1.0, 4.0]]


def test_room_for_words_is_doubled_only_when_it_is_used_up():
    statistics = Statistics.zero(3, 5)
    statistics.recode(None, 5)
    assert len(statistics._room) == 5
    statistics.recode(None, 6)
    room = statistics._room
    assert len(room) == 12
    statistics.recode(None, 12)
    assert statistics._room is room
    assert statistics.words.shape == (12, 3)


def test_topics_in_another_order_are_the_same_statistics():
    statistics, order = some_statistics(), np.array([2, 0, 1])
    other = statistics.reorder(order)
    assert other.totals.tolist() == statistics.totals[:, order].tolist()
    assert other.words.tolist() == statistics.words[:, order].tolist()
    assert other.scale == statistics.scale
    assert match(statistics, other).tolist() == order.tolist()


def test_topics_of_few_or_no_words_are_matched_too():
    some = np.array([[1e-6, 0.0, 0.0], [0.0, 1e-6, 0.0]])  # the third topic has no words
    a, b = (Statistics(np.zeros((2, 3)), words) for words in (some, some[:, [1, 0, 2]].copy()))
    assert match(a, b).tolist() == [1, 0, 2]
    # the first is best for both, and goes to one
    alike = Statistics(np.zeros((2, 2)), np.array([[2.0, 0.5], [2.0, 0.4], [0.0, 9.0]]))
    wanted = Statistics(np.zeros((2, 2)), np.array([[2.0, 1.0], [1.0, 2.0], [0.0, 0.0]]))
    assert sorted(match(alike, wanted).tolist()) == [0, 1]


def test_a_document_of_very_many_words_does_not_underflow():
    statistics, block = some_statistics(), Documents.from_matrix(np.full((1, N_WORDS), 10_000))
    expected = statistics.maximise(1e-3).posterior(block)
    np.testing.assert_allclose(statistics.posterior(block, 1e-3), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"scale": 1.01}, "scale must be a number"),
        # scale times a number is at least 0, and at most 1e30
        ({"totals": np.array([[0.0, 1.9e30], [8.0, 8.0]])}, None),
        ({"totals": np.array([[-0.1, 1.0], [8.0, 8.0]])}, "totals must be numbers"),
        ({"totals": np.array([[2.1e30, 1.0], [8.0, 8.0]])}, "totals must be numbers"),
        # rounding: a thousandth of 1 / scale and of the words, here of 2 + 8
        ({"totals": np.array([[1.0, 1.0], [8.0, 8.0099]])}, None),
        ({"totals": np.array([[1.0, 1.0], [8.0, 8.0101]])}, "must be the sums of the words"),
        ({"words": np.array([[3.0, 1.0], [4.0, 7.0]])}, "must be the sums of the words"),
    ],
)
def test_a_state_is_read_within_its_limits(change, message):
    totals, words = np.array([[1.0, 1.0], [8.0, 8.0]]), np.array([[3.0, 1.0], [5.0, 7.0]])
    state = {"scale": 0.5, "totals": totals, "words": words} | change
    sizes = {"n_topics": 2, "n_words": 2}
    if message is None:
        assert same_state(Statistics.from_state(state, **sizes).to_state(), state)
    else:
        with pytest.raises(ValueError, match=message):
            Statistics.from_state(state, **sizes)
