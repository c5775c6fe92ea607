"""Odd documents: a valid finite model, or an error that leaves the learner as it was."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from spectralleader import LEARNERS, Documents, HedgedLeader, StepwiseEM, Unigram
from tests.factories import assert_valid, same_state

FOR_STREAMS = (HedgedLeader, StepwiseEM, Unigram)
COUNTS = [1, 1, 1, 2, 3, 7, 1000, 2**31 - 1, 2**31]


@pytest.fixture(params=sorted(LEARNERS), scope="module")
def cls(request):
    return LEARNERS[request.param]


@st.composite
def odd_blocks(draw, n_words):
    """A block of any documents: none, empty, short, endless, all equal, of one word."""
    bag = st.dictionaries(st.integers(0, n_words - 1), st.sampled_from(COUNTS), max_size=6)
    drawn = draw(st.lists(bag, max_size=4)) * draw(st.sampled_from([1, 1, 5]))
    return Documents.from_bow([sorted(bag.items()) for bag in drawn], n_words)


@st.composite
def odd_streams(draw):
    """How many words there are, and a few blocks."""
    n_words = draw(st.sampled_from([1, 2, 5, 40]))
    return n_words, draw(st.lists(odd_blocks(n_words), min_size=1, max_size=4))


def check(learner, block):
    assert_valid(learner.model)
    log_prob = learner.predictive.log_prob(block)
    assert np.isfinite(log_prob).all()
    assert (log_prob <= 1e-9 * block.lengths).all()


@settings(max_examples=15)
@given(stream=odd_streams(), n_topics=st.sampled_from([1, 2, 7]))
def test_any_documents_give_a_valid_model(cls, stream, n_topics):
    n_words, blocks = stream
    learner = cls(n_topics, n_words=n_words)
    for block in blocks:
        learner.learn(block)
        check(learner, block)
    assert same_state(cls.from_state(learner.to_state()).to_state(), learner.to_state())


def test_documents_of_a_hundred_thousand_words_over_a_huge_vocabulary(cls):
    # a million for those that streams are for; the others take seconds for that
    rng, n_words = np.random.default_rng(0), 1_000_000 if cls in FOR_STREAMS else 50_000
    learner = cls(2, n_words=n_words)
    assert_valid(learner.model)
    tokens = [rng.integers(0, n_words, 100_000), rng.integers(0, 50, 100_000), [], [7]]
    block = Documents.from_tokens(tokens, n_words)
    learner.learn(block)
    check(learner, block)


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param([[1.0, np.nan]], id="NaN"),
        pytest.param([[1.0, np.inf]], id="infinite"),
        pytest.param([[1.0, -1.0]], id="negative"),
        pytest.param([[1.0, 0.5]], id="a fraction"),
        pytest.param([[1.0, 2.0**53]], id="beyond counting"),
        pytest.param([[2.0**52, 2.0**52]], id="beyond counting in all"),
        pytest.param(sp.csr_array(np.array([[1.0, -2.0]])), id="sparse and negative"),
        pytest.param([1.0, 2.0], id="one dimension"),
        pytest.param([[[1.0]]], id="three dimensions"),
        pytest.param([[1, 2], [3]], id="ragged"),
        pytest.param([["a", "b"]], id="texts"),
        pytest.param([[None, 1]], id="missing"),
        pytest.param(np.array([[1, 2]], object), id="objects"),
        pytest.param(np.array([[1 + 1j, 2]]), id="complex"),
        pytest.param(np.array([["2020-01-01"]], "datetime64[D]"), id="dates"),
        pytest.param(np.zeros((2, 0)), id="no words"),
        pytest.param(sp.csr_array((2, 0)), id="sparse, no words"),
        pytest.param(None, id="nothing"),
        pytest.param("rain", id="a text"),
        pytest.param({"rain": 1}, id="a table"),
    ],
)
def test_a_matrix_that_counts_nothing_is_refused(matrix):
    with pytest.raises(ValueError, match=r"\w"):
        Documents.from_matrix(matrix)


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param([[0, 5]], id="beyond the vocabulary"),
        pytest.param([[-1]], id="negative"),
        pytest.param([[0.5]], id="a fraction"),
        pytest.param([[np.nan]], id="NaN"),
        pytest.param([["a"]], id="texts"),
        pytest.param([[[0, 1]]], id="nested"),
        pytest.param([[[0, 1], [2]]], id="ragged"),
        pytest.param([[2**70]], id="a huge number"),
        pytest.param([[True, False]], id="true and false"),
        pytest.param([[None]], id="missing"),
        pytest.param([3], id="no sequence"),
        pytest.param(["ab"], id="a text"),
    ],
)
def test_tokens_that_are_no_words_are_refused(tokens):
    with pytest.raises(ValueError, match="document 0 "):
        Documents.from_tokens(tokens, n_words=5)


@pytest.mark.parametrize("n_words", [0, -1, 2.5, True, "5", None, 2**31])
def test_a_vocabulary_of_no_such_size_is_refused(n_words):
    with pytest.raises(ValueError, match="n_words must be"):
        Documents.from_tokens([[0]], n_words=n_words)


def test_odd_matrices_that_mean_something_are_taken():
    unsorted = sp.csr_array(([1, 2, 3], [2, 0, 2], [0, 3]), shape=(1, 3))
    assert Documents.from_matrix(unsorted).to_bow() == [[(0, 2), (2, 4)]]
    pairs = sp.coo_array(([1.0, 1.0, 0.0], ([0, 0, 1], [1, 1, 2])), shape=(2, 3))
    assert Documents.from_matrix(pairs).to_bow() == [[(1, 2)], []]
    assert Documents.from_matrix(np.array([[True, False]])).to_bow() == [[(0, 1)]]
    assert Documents.from_matrix(np.zeros((0, 4))) == Documents.empty(4)
    assert Documents.from_matrix(np.asfortranarray([[1, 2], [0, 3]])).to_bow()[0] == [
        (0, 1),
        (1, 2),
    ]
