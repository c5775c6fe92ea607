import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.sections.labels import majority_accuracy
from spectralleader.evaluation.metrics import contingency, matched_accuracy, nmi
from study.sources.synthetic import hard

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), min_size=1, max_size=40)


@given(PAIRS)
def test_agreement_does_not_depend_on_names(pairs):
    topics, labels = map(list, zip(*pairs, strict=True))
    renamed = [(topic + 2) % 5 for topic in topics]
    for measure in (matched_accuracy, majority_accuracy, nmi):
        assert measure(renamed, labels) == pytest.approx(measure(topics, labels), abs=1e-12)
        assert 0.0 <= measure(topics, labels) <= 1.0
        assert measure(labels, labels) == pytest.approx(1.0)


@given(PAIRS)
def test_a_majority_is_never_below_a_matching(pairs):
    topics, labels = map(list, zip(*pairs, strict=True))
    assert majority_accuracy(topics, labels) >= matched_accuracy(topics, labels)


def test_several_topics_may_stand_for_one_label():
    topics, labels = [0, 0, 1, 1, 2], ["a", "a", "a", "b", "b"]
    assert majority_accuracy(topics, labels) == 0.8
    assert matched_accuracy(topics, labels) == 0.6


def test_nothing_in_common_is_no_information():
    assert nmi([0, 1, 0, 1], ["a", "a", "b", "b"]) == pytest.approx(0.0, abs=1e-12)
    assert nmi([0, 0], ["a", "b"]) == 0.0
    assert nmi([0, 0], ["a", "a"]) == 1.0
    # two of three bits: I = 1 bit, entropies 1 and 2 bits
    assert nmi([0, 0, 1, 1], ["a", "b", "c", "d"]) == pytest.approx(2 / 3)


def test_nmi_is_scikit_learns():
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(0)
    topics, labels = rng.integers(7, size=500), rng.integers(4, size=500)
    topics[labels == 2] = 3
    assert nmi(topics, labels) == pytest.approx(
        metrics.normalized_mutual_info_score(labels, topics), abs=1e-12
    )


def test_a_table_counts_how_often_a_topic_meets_a_label():
    assert contingency([3, 3, 0, 3], ["b", "b", "a", "a"]).tolist() == [[1, 0], [1, 2]]


def test_accuracy_is_counted_under_the_best_matching():
    assert matched_accuracy([1, 1, 0, 0, 2], ["a", "a", "b", "b", "b"]) == 0.8
    drawn, labels = hard().truth.sample(500, 20, seed=0)
    assert matched_accuracy(hard().truth.posterior(drawn).argmax(axis=1), labels) > 0.95
