import json

import numpy as np
import pytest

from spectralleader import Documents
from spectralleader.models.export import place, pyldavis
from tests.factories import documents, model

NAMES = [f"word{i}" for i in range(6)]


def test_what_pyldavis_checks_holds():
    data = pyldavis(model(), documents(), NAMES)
    topics, shares = np.array(data["topic_term_dists"]), np.array(data["doc_topic_dists"])
    assert topics.shape == (3, len(data["vocab"]))
    assert shares.shape == (len(data["doc_lengths"]), 3)
    assert len(data["vocab"]) == len(data["term_frequency"])
    np.testing.assert_allclose(topics.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert sum(data["doc_lengths"]) == sum(data["term_frequency"])
    assert min(data["doc_lengths"]) > 0
    assert min(data["term_frequency"]) > 0


def test_it_is_plain_data():
    data = pyldavis(model(), documents(), dict(zip(NAMES, range(6), strict=True)))
    assert json.loads(json.dumps(data)) == data


def test_only_words_and_documents_that_occur_are_pictured():
    block = Documents.from_tokens([[5, 0], [], [5]], n_words=6)
    data = pyldavis(model(), block, NAMES)
    assert data["vocab"] == ["word0", "word5"]
    assert (data["term_frequency"], data["doc_lengths"]) == ([1, 2], [2, 1])
    kept = model().topics[:, [0, 5]]
    expected = kept / kept.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(data["topic_term_dists"], expected, rtol=1e-12)


def test_two_topics_can_be_pictured():
    assert np.shape(pyldavis(model(2), documents(), NAMES)["topic_term_dists"])[0] == 2


def test_nothing_to_picture_is_an_error():
    with pytest.raises(ValueError, match="no document has a word"):
        pyldavis(model(), Documents.empty(6), NAMES)
    with pytest.raises(ValueError, match="needs at least 2, got 1"):
        pyldavis(model(1), documents(), NAMES)
    with pytest.raises(ValueError, match="the model has 6 words, the documents have 7"):
        pyldavis(model(), documents(n_words=7), NAMES)


def test_equal_topics_have_real_places():
    equal = np.repeat(model(3).topics, 4, axis=0)
    found = place(equal)
    assert found.shape == (12, 2)
    assert found.dtype == np.float64
    apart = np.abs(found.reshape(3, 4, 2) - found.reshape(3, 4, 2)[:, :1]).max()
    assert apart < 1e-7  # the square root of what rounding leaves


def test_topics_are_as_far_apart_as_their_divergence():
    apart = np.eye(3)  # of disjoint words: log 2, each from each
    found = place(apart)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert np.linalg.norm(found[i] - found[j]) == pytest.approx(np.log(2))
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-12)
    p, q = np.array([0.9, 0.1]), np.array([0.2, 0.8])
    mean = (p + q) / 2
    divergence = (p * np.log(p / mean)).sum() / 2 + (q * np.log(q / mean)).sum() / 2
    found = place([p, q])
    assert np.linalg.norm(found[0] - found[1]) == pytest.approx(divergence)


def test_any_three_topics_are_placed_at_their_distances_around_the_middle():
    topics = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.2, 0.1, 0.7]])
    found = place(topics)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-12)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        mean = (topics[i] + topics[j]) / 2
        parts = (topics[k] @ np.log(topics[k] / mean) / 2 for k in (i, j))
        assert np.linalg.norm(found[i] - found[j]) == pytest.approx(sum(parts))
