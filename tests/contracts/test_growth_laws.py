"""Laws of a vocabulary that grows, is pruned and is renumbered: every learner and sample."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import (
    LEARNERS,
    Algorithm1,
    BatchEM,
    Documents,
    SpectralLeader,
    SpectralMethod,
    TopicModel,
    Unigram,
)
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.learners.stepwise_em import OnlineEM
from spectralleader.samples import SAMPLES, Window, read_sample
from spectralleader.testing import laws
from spectralleader.testing.requirements import Maker, taught
from tests.factories import assert_valid, blocks, documents, growing, model, same_state

# Their models follow from documents alone, not from what was done when these came.
FROM_DOCUMENTS = (Algorithm1, BatchEM, SpectralLeader, SpectralMethod, Unigram)
SIZES = (3, 20)  # all words are the basis, and only the frequent directions of them


@pytest.fixture(params=sorted(LEARNERS), scope="module")
def make(request):
    """A constructor of small learners of one kind, which grow unless told."""
    made = Maker(LEARNERS[request.param])
    made.cls = made.factory
    made.takes_start = "start" in made.takes
    return made


@pytest.fixture(params=sorted(SAMPLES), scope="module")
def make_sample(request):
    """A constructor of small samples of one kind."""
    cls = SAMPLES[request.param]
    return cls if request.param == "everything" else lambda **given: cls(7, **given)


def estimated(learner):
    """Its model before any shrinkage, which is by earlier samples too."""
    return learner.predictive if isinstance(learner, SpectralLeader) else learner.model


def assert_close(a, b):
    # rounding: sums over more words, or over words in another order, are added up differently
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-7)
    np.testing.assert_allclose(a.topics, b.topics, atol=1e-7)


@st.composite
def streams(draw, max_size=4):
    """Any blocks over 1 to 25 words each, up and down."""
    sizes = draw(st.lists(st.integers(1, 25), max_size=max_size))
    return [draw(blocks(n_words, max_docs=6)) for n_words in sizes]


@st.composite
def recodings(draw, n_before):
    """Any new numbers of some words: permuted, dropped, with new ones among them."""
    n_words = draw(st.integers(1, n_before + 5))
    n_kept = draw(st.integers(0, min(n_before, n_words)))
    ids = np.full(n_before, -1)
    kept = draw(st.permutations(range(n_before)))[:n_kept]
    ids[kept] = draw(st.permutations(range(n_words)))[:n_kept]
    return ids, n_words


@given(stream=streams())
def test_a_growing_model_is_valid_at_every_step(make, stream):
    laws.model_is_valid_at_every_step(make, stream)


@given(stream=streams())
def test_reading_a_growing_model_changes_nothing(make, stream):
    laws.reading_changes_nothing(make, stream)


@given(before=streams(3), after=streams(3))
def test_save_load_continue_equals_never_stopped(make, before, after):
    laws.resumes_bit_for_bit(make, before, after)


@pytest.mark.parametrize("n_words", SIZES)
def test_growing_ends_where_one_told_from_the_start_does(make, n_words):
    if not issubclass(make.cls, FROM_DOCUMENTS):
        pytest.skip("what it did with early documents depends on the words it knew then")
    stream = growing(documents(400, n_words), 7)
    grown, told = taught(make(), stream), make(n_words=n_words)
    for block in stream:
        told.learn(block.widen(n_words))
    assert_close(grown.model, told.model)


@pytest.mark.parametrize("n_words", SIZES)
def test_growth_alone_keeps_what_is_known_of_words(make, n_words):
    if make.cls is BatchEM:
        pytest.skip("its random starts are drawn anew, over all words")
    learner = taught(make(), documents(400, n_words).blocks(50))
    before = estimated(learner)
    learner.learn(Documents.empty(n_words + 1))
    after = estimated(learner).topics[:, :n_words]
    known = after / after.sum(axis=1, keepdims=True)
    # all that may move is the smoothing, which the words share: in online EM each has its own; in
    # others one token's, and the background of one more parameter a topic against the tokens seen
    n_tokens = float(documents(400, n_words).lengths.sum())
    moved = 1e-12 if issubclass(make.cls, OnlineEM) else 2 * (3 + 1) / n_tokens
    assert abs(known - before.topics).sum(axis=1).max() < moved
    np.testing.assert_allclose(learner.model.weights, before.weights, atol=1e-6)
    assert (learner.model.topics[:, -1] < before.topics.max()).all()


@given(stream=streams(), n_more=st.integers(0, 9))
def test_an_empty_block_and_a_recoding_widen_alike(make, stream, n_more):
    laws.an_empty_block_and_a_recoding_widen_alike(make, stream, n_more)


@pytest.mark.parametrize("n_words", SIZES)
def test_renumbering_words_renumbers_the_model(make, n_words):
    if make.cls is BatchEM:
        pytest.skip("its random starts are drawn anew, by the number of the word")
    order = np.random.default_rng(1).permutation(n_words)
    learner = taught(make(), documents(400, n_words).blocks(50))
    before = learner.model
    learner.recode(order, n_words)
    assert_close(learner.model, TopicModel(before.weights, before.topics[:, np.argsort(order)]))


@given(stream=st.lists(blocks(20, max_docs=6), max_size=4), order=st.permutations(range(20)))
def test_the_inverse_permutation_undoes_a_recoding(make, stream, order):
    laws.the_inverse_permutation_undoes_a_recoding(make.over(20), stream, order)


@given(stream=streams(), data=st.data(), after=streams(2))
def test_any_recoding_leaves_a_valid_model_that_goes_on(make, stream, data, after):
    n_words = max([1, *(block.n_words for block in stream)])
    recoding = data.draw(recodings(n_words))
    laws.any_recoding_leaves_a_valid_model(make, stream, recoding, after)


@pytest.mark.parametrize("n_words", SIZES)
def test_forgotten_words_are_as_if_never_seen(make, n_words):
    if not issubclass(make.cls, FROM_DOCUMENTS):
        pytest.skip("what it did with early documents depends on the words they had then")
    ids = np.where(np.arange(n_words) == 1, -1, np.arange(n_words) - (np.arange(n_words) > 1))
    learner, other = make(), make(n_words=n_words - 1)
    for block in documents(400, n_words).blocks(20):
        learner.learn(block)
        other.learn(block.recode(ids, n_words - 1))
    learner.recode(ids, n_words - 1)
    # places are kept from the past too
    assert_close(in_order(estimated(learner), estimated(other)), estimated(other))
    if isinstance(learner, SpectralLeader):
        assert learner.sample.documents == other.sample.documents


@pytest.mark.parametrize(
    ("ids", "n_words", "message"),
    [
        ([0, 1], 5, "new_ids must be 5 integers"),
        ([0.0, 1.0, 2.0, 3.0, 4.0], 5, "integers"),
        ([0, 1, 2, 3, 5], 5, "word id 5, outside the 5 words"),
        ([0, 1, 2, 3, -2], 5, "word id -2"),
        ([0, 1, 2, 3, 3], 5, "word id 3 to 2 words"),
        (None, 4, "word id 4, outside the 4 words"),
        ([-1] * 5, 0, "n_words must be from 1"),
        (None, 5.5, "n_words must be an integer"),
    ],
)
def test_the_error_for_a_bad_recoding_says_what_is_wrong(make, ids, n_words, message):
    learner = taught(make(), documents(20, 5).blocks(10))
    before = learner.to_state()
    with pytest.raises(ValueError, match=message):
        learner.recode(ids, n_words)
    assert same_state(learner.to_state(), before)


def test_all_words_may_be_forgotten(make):
    learner = taught(make(), documents(40, 5).blocks(10))
    learner.recode([-1] * 5, 4)
    assert_valid(learner.model)
    if make.cls is not BatchEM:  # which is at its random start again
        np.testing.assert_allclose(learner.model.topics, 0.25)


def test_a_given_start_grows_with_the_learner(make):
    if not make.takes_start:
        pytest.skip("it has no start")
    start = model(3, 6)
    learner = make(start=start)
    assert learner.n_words == 6
    learner.learn(Documents.empty(8))
    assert_valid(learner.model)
    ratios = learner.model.topics[:, :6] / start.topics
    np.testing.assert_allclose(ratios, ratios[:, :1] * np.ones(6))
    taught(learner, documents(40, 9).blocks(10))
    assert_valid(learner.model)


def test_a_sample_of_ones_own_grows_with_the_learner(make):
    if "sample" not in inspect.signature(make.cls).parameters:
        pytest.skip("it takes no sample")
    learner = taught(make(sample=Window(5)), growing(documents(40, 6), 4))
    assert learner.sample.n_words == learner.n_words == 6


@given(stream=streams(6))
def test_a_sample_shown_more_words_is_one_that_knew_them_from_the_start(make_sample, stream):
    sample, told = make_sample(), make_sample(n_words=25)
    for block in stream:
        entered = sample.add(block).entered
        assert entered.widen(25) == told.add(block).entered
        assert entered.n_words == sample.n_words == sample.documents.n_words
    assert sample.documents.widen(25) == told.documents


@given(stream=streams(6), data=st.data(), after=streams(3))
def test_a_recoded_sample_remembers_what_it_would_have_of_recoded_documents(
    make_sample, stream, data, after
):
    ids, n_words = data.draw(recodings(25))
    sample, other = make_sample(n_words=25), make_sample(n_words=n_words)
    for block in stream:
        sample.add(block)
        other.add(block.widen(25).recode(ids, n_words))
    sample.recode(ids, n_words)
    assert sample.documents == other.documents
    loaded = read_sample({"sample": sample.to_state()}, "sample")
    for block in after:
        assert sample.add(block).left == other.add(block).left == loaded.add(block).left
