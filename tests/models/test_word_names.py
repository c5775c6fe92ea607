import numpy as np
import pytest

from spectralleader import TopicModel, Vocabulary
from spectralleader.models.model import names_in_order

WORDS = ["sun", "rain", "wind"]


@pytest.mark.parametrize(
    "vocabulary",
    [
        WORDS,
        tuple(WORDS),
        Vocabulary(WORDS),
        np.array(WORDS),
        np.array(WORDS, object),
        {"wind": 2, "sun": 0, "rain": 1},
        {"wind": np.int64(2), "sun": np.int64(0), "rain": np.int64(1)},
        {2: "wind", 0: "sun", 1: "rain"},
    ],
    ids=["list", "tuple", "ours", "array", "objects", "to ids", "to NumPy ids", "to words"],
)
def test_words_are_found_by_their_ids_however_they_are_kept(vocabulary):
    assert list(names_in_order(vocabulary, 3)) == WORDS
    model = TopicModel([1.0], [[0.2, 0.3, 0.5]])
    assert model.top_words(vocabulary, 2) == [["wind", "rain"]]
    assert all(type(word) is str for word in model.top_words(vocabulary)[0])


def test_of_ids_and_words_a_word_may_be_a_number():
    assert names_in_order({1: 1984, 0: "sun"}, 2) == ["sun", "1984"]


def test_too_few_words_and_missing_ids_are_errors():
    with pytest.raises(ValueError, match="the vocabulary has 2 words, the model 3"):
        names_in_order(WORDS[:2], 3)
    with pytest.raises(ValueError, match="no word with id 1"):
        names_in_order({"sun": 0, "rain": 2}, 2)
