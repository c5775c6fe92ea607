"""Names of words: the words by id, from any of the formats that callers use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Words in order of id, words to ids (CountVectorizer's `vocabulary_`), or ids to words (gensim).
WordNames = Sequence[str] | NDArray[Any] | Mapping[str, int] | Mapping[int, str]


def in_order(vocabulary: WordNames, n_words: int) -> Sequence[str]:
    """Return the n_words words in order of their ids.

    Raises
    ------
    ValueError
        If the number of words differs, or a dictionary has no word for an id.

    Examples
    --------
    >>> in_order({"sun": 1, "rain": 0}, 2), in_order({0: "rain", 1: "sun"}, 2)
    (['rain', 'sun'], ['rain', 'sun'])
    """
    if len(vocabulary) != n_words:
        raise ValueError(f"the vocabulary has {len(vocabulary)} words, the model {n_words}")
    if isinstance(vocabulary, np.ndarray):
        return [str(word) for word in vocabulary]
    return _by_id(vocabulary.items()) if isinstance(vocabulary, Mapping) else vocabulary


def _by_id(items: Iterable[tuple[Any, Any]]) -> list[str]:
    by_id = {word: key for key, word in items}
    # The keys were assumed to be words; if the values are not ids, the keys are.
    if not all(isinstance(i, int | np.integer) for i in by_id):
        by_id = {i: word for word, i in by_id.items()}
    if (gap := next((i for i in range(len(by_id)) if i not in by_id), None)) is not None:
        raise ValueError(f"the vocabulary has no word with id {gap}; ids must be 0, 1, 2, ...")
    return [str(by_id[i]) for i in range(len(by_id))]
