import pickle
import random
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import checks, cluster, compose, feature_extraction, metrics, stats

from spectralleader import LEARNERS, Documents, StorageError, Words, load, save
from spectralleader.river import SpectralTopics
from tests.factories import TOPIC_WORDS, documents, growing, same_state, texts

WRITTEN, LABELS = texts()
BLOCK = Documents.concatenate(
    block.widen(12) for block in growing(documents(n_docs=120, n_words=12), 1)
)
BAGS = [{f"w{word:02}": count for word, count in pairs} for pairs in BLOCK.to_bow()]
CHECKED = [SpectralTopics(n_components=3), SpectralTopics(n_components=3, learner="spectral")]
CHECKS = [
    pytest.param(model, check, id=f"{model.learner} {check.__name__}")
    for model in CHECKED
    for check in checks.yield_checks(model)
]


def fast(n_components=3, **options):
    return SpectralTopics(n_components, learner="spectral", **options)


@pytest.mark.parametrize(("model", "check"), CHECKS)
@pytest.mark.filterwarnings("ignore:word counts must be")  # the checks' own data
def test_river_finds_nothing_wrong(model, check):
    random.seed(1)  # of the checks' own shuffles
    check(model.clone())


def test_no_check_is_skipped():
    assert len(CHECKS) > 40
    assert all(model._unit_test_skips() == set() for model in CHECKED)


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_learning_one_by_one_is_the_core_to_the_bit(name):
    core, ours = LEARNERS[name](3, seed=4), SpectralTopics(3, learner=name, seed=4)
    n_words = 1
    for document, bag in zip(BLOCK.blocks(1), BAGS, strict=True):
        n_words = max(n_words, int(document.words.max(initial=0)) + 1)
        core.learn(Documents(document.indptr, document.words, document.counts, n_words))
        ours.learn_one(bag)
    assert sorted(ours.vocabulary) == [f"w{word:02}" for word in range(n_words)]
    new_ids = [int(word[1:]) for word in ours.vocabulary]
    assert new_ids == list(range(n_words))
    assert same_state(core.to_state(), ours._learner.to_state())
    for document, bag in zip(BLOCK[:20].blocks(1), BAGS[:20], strict=True):
        document = Documents(document.indptr, document.words, document.counts, n_words)
        shares = core.model.posterior(document)[0].tolist()
        assert ours.transform_one(bag) == dict(enumerate(shares))
        assert ours.predict_one(bag) == int(np.argmax(shares))
        assert ours.score_one(bag) == core.predictive.log_prob(document)[0]
    assert same_state(core.to_state(), ours._learner.to_state())


def as_frame(make):
    names = sorted({name for bag in BAGS for name in bag})
    return make([{name: bag.get(name, 0) for name in names} for bag in BAGS])


FORMS = {
    "list": lambda: BAGS,
    "iterator": lambda: iter(BAGS),
    "pandas": lambda: as_frame(pd.DataFrame),
    "polars": lambda: as_frame(pl.DataFrame),
}


@pytest.mark.parametrize("form", FORMS)
def test_learning_many_is_one_step(form):
    core, ours = LEARNERS["spectral"](3), fast()
    core.learn(Documents(BLOCK.indptr, BLOCK.words, BLOCK.counts, 1 + int(BLOCK.words.max())))
    ours.learn_many(FORMS[form]())
    assert ours.n_docs == 120
    assert same_state(core.to_state(), ours._learner.to_state())


def test_texts_are_counted_without_stop_words():
    by_text, by_bag, by_column = fast(), fast(), fast()
    words = Words(stop_words="english")
    for text in WRITTEN[:50]:
        by_text.learn_one(f"the {text}")
        by_bag.learn_one(Counter(words(text)))
    assert same_state(by_text._learner.to_state(), by_bag._learner.to_state())
    assert by_text.transform_one("and rain") == by_bag.transform_one({"rain": 1})
    by_column.learn_many(pl.Series(WRITTEN[:50]))
    assert by_column.vocabulary == by_bag.vocabulary


def test_counts_are_respected_and_order_is_not():
    once, thrice, turned = fast(), fast(), fast()
    for bag in BAGS:
        once.learn_one(dict.fromkeys(bag, 1))
        thrice.learn_one(bag)
        turned.learn_one(dict(reversed(bag.items())))
    assert not np.array_equal(once.model.topics, thrice.model.topics)
    assert same_state(thrice._learner.to_state(), turned._learner.to_state())
    assert thrice.score_one({"w00": 2}) < thrice.score_one({"w00": 1})


def test_a_pipeline_after_a_bag_of_words_finds_the_topics():
    pipeline = feature_extraction.BagOfWords() | SpectralTopics(3)
    for text in WRITTEN:
        pipeline.learn_one(text)
    found = [pipeline.predict_one(text) for text in WRITTEN]
    assert len(set(zip(found, LABELS, strict=True))) == 3
    top = pipeline["SpectralTopics"].top_words(8)
    assert sorted(map(sorted, top)) == sorted(sorted(words) for words in TOPIC_WORDS)


def test_bigrams_and_other_names_of_features_are_words_too():
    pipeline = feature_extraction.BagOfWords(ngram_range=(1, 2)) | fast()
    for text in WRITTEN[:50]:
        pipeline.learn_one(text)
    assert any(isinstance(name, tuple) for name in pipeline["SpectralTopics"].vocabulary)
    assert sum(pipeline.transform_one(WRITTEN[0]).values()) == pytest.approx(1.0)


def test_topics_win_a_progressive_validation():
    agreement = metrics.VBeta()
    scores = {name: stats.Mean() for name in ("hedged", "unigram")}
    for name, mean in scores.items():
        model = feature_extraction.BagOfWords() | SpectralTopics(3, learner=name)
        for text, label in zip(WRITTEN, LABELS, strict=True):
            mean.update(model.score_one(text))
            if name == "hedged":
                agreement.update(label, model.predict_one(text))
            model.learn_one(text)
    assert scores["hedged"].get() > scores["unigram"].get() + 1.0
    assert agreement.get() > 0.8


def test_topics_feed_another_model_of_river():
    pipeline = compose.Pipeline(
        feature_extraction.BagOfWords(), SpectralTopics(3), cluster.KMeans(n_clusters=3, seed=1)
    )
    for text in WRITTEN[:50]:
        pipeline.learn_one(text)
    assert pipeline.predict_one(WRITTEN[0]) in range(3)


def test_the_lightest_words_are_forgotten():
    model = fast(max_words=4)
    for bag in BAGS:
        model.learn_one(bag)
    model.learn_one({f"new{i}": 1 for i in range(9)})
    assert len(model.vocabulary) == model.model.n_words == 4
    assert not any(word.startswith("new") for word in model.vocabulary)
    model.learn_one({"w00": 1, "new1": 1})
    assert sum(model.transform_one({"new1": 2, "w99": 1}).values()) == pytest.approx(1.0)


def test_a_new_model_knows_nothing_and_says_so():
    model = fast(2)
    assert model.transform_one({"rain": 1}) == {0: 0.5, 1: 0.5}
    assert model.score_one("rain") == 0.0
    assert model.top_words() == [[], []]
    model.learn_one({})
    model.learn_one({"rain": 0})
    assert model.vocabulary == []
    assert model.n_docs == 2


def test_a_clone_has_the_parameters_alone_and_a_pickle_everything():
    model = SpectralTopics(3, learner_params={"reservoir_size": 17}, seed=3)
    for bag in BAGS[:50]:
        model.learn_one(bag)
    assert model.clone().vocabulary == []
    assert model.clone()._get_params() == model._get_params()
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.learn_many(BAGS[50:])
    assert same_state(model._learner.to_state(), again._learner.to_state())


def test_fractions_are_rounded_with_a_warning():
    model, expected = fast(2), fast(2)
    with pytest.warns(UserWarning, match="a fraction was rounded") as caught:
        model.learn_one({"rain": 1.6, "sun": np.int64(2), "snow": True})
    assert caught[0].filename == __file__
    expected.learn_one({"rain": 2, "sun": 2, "snow": 1})
    assert same_state(model._learner.to_state(), expected._learner.to_state())


@pytest.mark.parametrize(
    "count", [-1, -0.2, float("nan"), float("inf"), "many", None, 2.0**60, 2**53]
)
def test_what_is_no_count_is_an_error_and_teaches_nothing(count):
    model = fast(2)
    with pytest.raises(ValueError, match="the word 'rain' has the count"):
        model.learn_one({"sun": 1, "rain": count})
    assert model.vocabulary == []


@pytest.mark.parametrize(
    "document", [None, 5, {"rain", "wind"}, b"rain"], ids=["none", "number", "set", "bytes"]
)
def test_what_is_no_document_is_told(document):
    topics = fast()
    for use in (topics.learn_one, topics.transform_one, topics.score_one):
        with pytest.raises(
            TypeError, match="a document must be a text, a list of tokens or a dict"
        ):
            use(document)


def test_one_document_is_no_many():
    with pytest.raises(TypeError, match="use learn_one for a single one"):
        fast().learn_many("rain")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer of at least 1, got 0"),
        ({"max_words": 0}, "max_words must be an integer of at least 1, got 0"),
        ({"learner": "nobody"}, "unknown learner 'nobody'; choose one of hedged"),
    ],
)
def test_bad_parameters_are_errors(options, message):
    with pytest.raises(ValueError, match=message):
        SpectralTopics(**options)


def test_lists_of_tokens_are_documents():
    topics = SpectralTopics(n_components=2)
    topics.learn_many([["rain-1", "wind", "wind"], ["goal", 7], ["goal", "goal", 7]] * 20)
    topics.learn_one(["rain-1", "new"])
    assert set(topics.vocabulary) == {"rain-1", "wind", "goal", 7, "new"}
    assert topics.predict_one(["rain-1", "never seen"]) == topics.predict_one({"wind": 2})
    assert topics.predict_one([7]) != topics.predict_one(["wind"])


def test_weights_of_tf_idf_are_refused_with_advice():
    topics = feature_extraction.TFIDF() | fast()
    with pytest.raises(ValueError, match="use BagOfWords instead of TFIDF"):
        topics.learn_one("rain wind rain")
    assert topics["SpectralTopics"].vocabulary == []
    fast().learn_one({"rain": 1.0})  # a count, although its norm is 1


def test_a_parameter_that_the_learner_does_not_have_is_named_with_those_it_has():
    with pytest.raises(ValueError, match="no parameter 'size'; known are n_words, reservoir_size"):
        SpectralTopics(learner_params={"size": 9})


def test_saved_and_loaded_it_learns_on_as_if_never_stopped(tmp_path):
    topics = fast(max_words=4)
    topics.learn_many([*BAGS, {7: 2, "a": 1}])
    again = load(save(topics, tmp_path / "m"))
    assert again.vocabulary == topics.vocabulary
    assert again.score_one(BAGS[0]) == topics.score_one(BAGS[0])
    for one in (topics, again):
        one.learn_many([*BAGS, {"new": 1}])
    assert same_state(again.to_state(), topics.to_state())


def test_words_that_are_neither_strings_nor_integers_are_not_saved(tmp_path):
    topics = fast()
    topics.learn_one({("rain", "wind"): 1})
    with pytest.raises(ValueError, match="words to be saved must be plain JSON"):
        save(topics, tmp_path / "m")


def test_a_file_whose_parts_contradict_each_other_is_rejected(tmp_path):
    topics = fast()
    topics.learn_many(BAGS)
    topics._ids["more"], topics._totals = len(topics._ids), [*topics._totals, 1]
    with pytest.raises(StorageError, match="words"):
        load(save(topics, tmp_path / "m"))
