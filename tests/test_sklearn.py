import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from spectralleader import LEARNERS, Documents, StorageError, Tokens, Vocabulary, load, save
from spectralleader.sklearn import SpectralTopics
from tests.factories import documents, same_state, texts

BLOCK = documents(n_docs=230, n_words=12)
COUNTS = BLOCK.to_matrix()
FRAME = pd.DataFrame(COUNTS.toarray(), columns=[f"w{i}" for i in range(12)])
TOKENS = [["rain", "wind", "rain"], {"goal": 2, "late": 1}] * 20
WRITTEN, LABELS = texts()
LEARNER_NAMES = sorted(LEARNERS)


def fast(n_components=3, **options):
    return SpectralTopics(n_components, learner="spectral", **options)


@parametrize_with_checks(
    [SpectralTopics(n_components=3), SpectralTopics(n_components=3, learner="stepwise-em")]
)
@pytest.mark.filterwarnings("ignore:word counts must be")  # the checks' own data
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


def test_every_check_of_a_comparable_estimator_is_run():
    def names(estimator):
        return {check.func.__name__ for _, check in estimator_checks_generator(estimator)}

    assert names(LatentDirichletAllocation(max_iter=1)) - names(SpectralTopics()) <= {
        "check_transformer_n_iter"  # for those with max_iter: ours makes one pass
    }


@pytest.mark.parametrize("name", LEARNER_NAMES)
def test_partial_fit_is_the_core_to_the_bit(name):
    core = LEARNERS[name](3, n_words=12, seed=5)
    ours = SpectralTopics(3, learner=name, random_state=5)
    for block in BLOCK.blocks(50):
        core.learn(block)
        ours.partial_fit(block.to_matrix())
        assert same_state(core.to_state(), ours.learner_.to_state())
    assert np.array_equal(ours.components_, core.model.topics)
    assert np.array_equal(ours.weights_, core.model.weights)
    assert np.array_equal(ours.transform(COUNTS), core.model.posterior(BLOCK))
    assert np.array_equal(ours.predict(COUNTS), core.model.posterior(BLOCK).argmax(axis=1))
    assert ours.score(COUNTS) == core.model.log_prob(BLOCK).mean()


def test_fit_is_partial_fit_of_its_batches():
    whole, parts = SpectralTopics(3, batch_size=100), SpectralTopics(3)
    whole.partial_fit(COUNTS[:7])  # forgotten by fit
    whole.fit(COUNTS)
    for start in range(0, COUNTS.shape[0], 100):
        parts.partial_fit(COUNTS[start : start + 100])
    assert same_state(whole.learner_.to_state(), parts.learner_.to_state())
    assert whole.n_samples_seen_ == parts.n_samples_seen_ == 230


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        sp.csc_array,
        sp.csr_matrix,
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.uint8),
        lambda X: pd.DataFrame(X).rename(columns=str),
        lambda X: pl.DataFrame(X),
    ],
    ids=["dense", "csc", "matrix", "float32", "uint8", "pandas", "polars"],
)
def test_counts_in_any_form_are_the_same(form):
    expected, found = fast().fit(COUNTS), fast().fit(form(COUNTS.toarray()))
    assert np.array_equal(expected.components_, found.components_)


def test_transform_changes_nothing_and_shares_nothing():
    topics = SpectralTopics(3).fit(COUNTS)
    before = pickle.dumps(topics)
    topics.transform(COUNTS)[:] = 7.0
    topics.predict(COUNTS)
    topics.score(COUNTS)
    topics.perplexity(COUNTS)
    assert same_state(pickle.loads(before).learner_.to_state(), topics.learner_.to_state())


def test_perplexity_is_of_a_word():
    topics = fast().fit(COUNTS)
    expected = np.exp(-topics.score(COUNTS) * BLOCK.n_docs / BLOCK.lengths.sum())
    assert topics.perplexity(COUNTS) == pytest.approx(expected, rel=1e-12)
    assert topics.perplexity(np.zeros((2, 12))) == 1.0


def test_a_pipeline_from_texts_finds_the_topics():
    pipeline = make_pipeline(CountVectorizer(), SpectralTopics(3, random_state=1))
    found = pipeline.fit(WRITTEN).predict(WRITTEN)
    assert len(set(zip(found.tolist(), LABELS, strict=True))) == 3
    vocabulary = pipeline[0].vocabulary_
    names = pipeline[0].get_feature_names_out()
    assert pipeline[-1].model_.top_words(vocabulary) == pipeline[-1].model_.top_words(names)


def test_grid_search_and_cross_validation_tell_how_many_topics_there_are():
    pipeline = make_pipeline(CountVectorizer(), SpectralTopics(random_state=0))
    grid = {"spectraltopics__n_components": [1, 3]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(WRITTEN)
    assert search.best_params_ == {"spectraltopics__n_components": 3}
    assert search.transform(WRITTEN).shape == (len(WRITTEN), 3)
    scores = cross_val_score(pipeline.set_params(spectraltopics__n_components=3), WRITTEN, cv=2)
    assert np.isfinite(scores).all()


def test_a_clone_has_the_parameters_alone():
    params = {"learner_params": {"reservoir_size": 17}, "random_state": 3, "batch_size": 10}
    topics = SpectralTopics(3, **params).fit(COUNTS)
    assert topics.learner_.reservoir_size == 17
    assert clone(topics).get_params() == topics.get_params()
    with pytest.raises(NotFittedError):
        clone(topics).transform(COUNTS)
    assert not hasattr(clone(topics), "components_")


def test_it_is_dumped_and_sent_by_joblib_and_goes_on_to_the_bit(tmp_path):
    topics = SpectralTopics(3).fit(COUNTS[:100])
    joblib.dump(topics, tmp_path / "topics.joblib")
    again = joblib.load(tmp_path / "topics.joblib")
    for one in (topics, again):
        one.partial_fit(COUNTS[100:])
    assert same_state(topics.learner_.to_state(), again.learner_.to_state())


def test_output_is_a_frame_of_the_kind_asked_for():
    topics = fast().fit(pd.DataFrame(COUNTS.toarray()).add_prefix("word"))
    assert topics.feature_names_in_[:2].tolist() == ["word0", "word1"]
    names = ["spectraltopics0", "spectraltopics1", "spectraltopics2"]
    assert topics.get_feature_names_out().tolist() == names
    frame = pd.DataFrame(COUNTS.toarray()).add_prefix("word")
    plain = topics.transform(frame)
    for name, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        output = topics.set_output(transform=name).transform(frame)
        assert isinstance(output, kind)
        assert list(output.columns) == names
        assert np.array_equal(output.to_numpy(), plain)


def test_random_state_may_be_a_generator_of_scikit_learns_kind():
    def states(seed):
        topics = fast(random_state=np.random.RandomState(seed))  # what it takes
        return topics.fit(COUNTS).learner_.seed, topics.fit(COUNTS).learner_.seed

    assert states(1) == states(1)
    assert len({*states(1), *states(2)}) == 4
    assert fast().fit(COUNTS).learner_.seed == 0


def test_fractions_are_rounded_with_a_warning():
    counts = np.array([[0.4, 1.6], [2.0, 0.0]])
    with pytest.warns(UserWarning, match="fractions were rounded") as caught:
        dense = fast(1).fit(counts)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="fractions were rounded"):
        sparse = fast(1).fit(sp.csr_array(counts))
    expected = fast(1).fit(np.array([[0, 2], [2, 0]]))
    for found in (dense, sparse):
        assert np.array_equal(found.components_, expected.components_)
    assert counts[0, 0] == 0.4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer of at least 1, got 0"),
        ({"batch_size": 1.5}, "batch_size must be an integer of at least 1, got 1.5"),
        ({"learner": "nobody"}, "unknown learner 'nobody'; choose one of hedged"),
    ],
)
def test_bad_parameters_are_errors_when_learning(options, message):
    topics = SpectralTopics(**options)
    with pytest.raises(ValueError, match=message):
        topics.fit(COUNTS)
    with pytest.raises(NotFittedError):
        topics.predict(COUNTS)


def test_documents_convert_to_what_it_takes_and_back():
    assert Documents.from_matrix(BLOCK.to_matrix()) == BLOCK


def test_lists_of_tokens_and_counts_are_documents():
    documents = [["rain-1", "wind", "wind"], {"goal": 2, 7: 1}] * 20
    topics = SpectralTopics(n_components=2).fit(documents)
    assert list(topics.vocabulary_) == ["7", "goal", "rain-1", "wind"]
    rain, goal, unknown = topics.transform([["wind", "never seen"], {7: 1}, ["never seen"]])
    assert rain.argmax() != goal.argmax()
    np.testing.assert_array_equal(unknown, topics.weights_)
    matrix = topics.vocabulary_.count_known(documents, Tokens()).to_matrix()
    again = SpectralTopics(n_components=2).fit(matrix)
    np.testing.assert_array_equal(again.components_, topics.components_)
    with pytest.raises(ValueError, match="not from tokens"):
        again.predict([["wind"]])
    assert not hasattr(topics.fit(matrix), "vocabulary_")


def test_a_parameter_that_the_learner_does_not_have_is_named_with_those_it_has():
    topics = SpectralTopics(2, learner_params={"reservior_size": 9})
    with pytest.raises(
        ValueError,
        match="'hedged' has no parameter 'reservior_size'; known are n_words, reservoir_size, seed",
    ):
        topics.fit(COUNTS)


def test_top_words_are_named_by_columns_tokens_or_the_vectorizer():
    counter = CountVectorizer()
    topics = fast().fit(counter.fit_transform(WRITTEN))
    named = topics.top_words(4, counter.get_feature_names_out())
    assert named == topics.model_.top_words(counter.vocabulary_, 4)
    numbers = topics.top_words(4)
    names = counter.get_feature_names_out()
    assert [[names[int(i)] for i in row] for row in numbers] == named
    frame = pd.DataFrame(COUNTS.toarray()).add_prefix("word")
    assert fast().fit(frame).top_words(1)[0][0].startswith("word")
    tokens = fast(2).fit([["rain", "wind", "rain"], ["goal", "late", "goal"]] * 20)
    assert sorted(map(sorted, tokens.top_words(2))) == [["goal", "late"], ["rain", "wind"]]
    with pytest.raises(NotFittedError):
        fast().top_words()


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_weights_of_tf_idf_are_refused_with_advice(norm, kind):
    weights = TfidfVectorizer(norm=norm, dtype=kind).fit_transform([*WRITTEN, ""])
    for form in (weights, sp.csr_array(weights), weights.toarray()):
        with pytest.raises(ValueError, match="use CountVectorizer instead of TfidfVectorizer"):
            fast().fit(form)
    with pytest.raises(ValueError, match="normalised to length 1"):
        fast().fit(CountVectorizer().fit_transform(WRITTEN)).predict(weights[:5])


@pytest.mark.parametrize("fed", [COUNTS, FRAME, TOKENS], ids=["matrix", "frame", "tokens"])
def test_saved_and_loaded_it_learns_on_as_if_never_stopped(fed, tmp_path):
    topics = fast(learner_params={"reservoir_size": 50}).fit(fed)
    again = load(save(topics, tmp_path / "m"))
    assert again.get_params() == topics.get_params()
    assert again.top_words(3) == topics.top_words(3)
    for one in (topics, again):
        one.partial_fit(fed)
    assert same_state(again.to_state(), topics.to_state())


def test_what_cannot_be_saved_of_it_is_named(tmp_path):
    with pytest.raises(NotFittedError):
        save(fast(), tmp_path / "m")
    seeded = fast(random_state=np.random.RandomState(0)).fit(COUNTS)
    with pytest.raises(ValueError, match="parameters of an adapter to be saved must be plain JSON"):
        save(seeded, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_file_whose_parts_contradict_each_other_is_rejected(tmp_path):
    topics = fast().fit(TOKENS)
    topics.vocabulary_ = Vocabulary(["rain"])
    with pytest.raises(StorageError, match="vocabulary"):
        load(save(topics, tmp_path / "m"))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_a_matrix_with_invalid_indices_is_refused_before_scikit_learn_converts_it(format):
    matrix = COUNTS.copy().asformat(format)
    indices = matrix.col if format == "coo" else matrix.indices
    indices[3] = 2**31 - 1
    topics = SpectralTopics(n_components=2).fit(COUNTS)
    for method in (topics.fit, topics.partial_fit, topics.transform, topics.score):
        with pytest.raises(ValueError, match="sparse matrix is invalid"):
            method(matrix)


def test_masked_counts_are_refused():
    with pytest.raises(ValueError, match="masked"):
        SpectralTopics(n_components=2).fit(np.ma.masked_equal(COUNTS.toarray(), 2))
