"""ENGINES: what the adapters of Dask and Spark share. Each of them only maps and adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from spectralleader.documents import Documents, check_n_words
from spectralleader.errors import NoWordsError
from spectralleader.learners.fixed import Fixed
from spectralleader.learners.passes import Solution
from spectralleader.text.texts import Texts, as_strings
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import MOST_COUNTED, GrowingVocabulary, Vocabulary
from spectralleader.text.words import Tokenizer

MOST_FREQUENT = 5000  # words of a vocabulary, if nobody says
TEXT_BLOCK = 1000  # texts counted at once

# what engines call columns of strings, and pandas those that may hold anything
OF_TEXTS = ("string", "str", "large_string", "varchar", "char", "object", "category")

Progress = Callable[[str, int, int], None]  # name of the pass, parts done, parts there are
Wish = Vocabulary | Iterable[str] | int  # a vocabulary, its words, or how many to count


def choose_vocabulary(wish: Wish, count_most: Callable[[int], Vocabulary]) -> Vocabulary:
    """Return a vocabulary as it was wished for; a number has the engine count words."""
    if isinstance(wish, int | np.integer):
        return count_most(check_n_words(wish))
    return wish if isinstance(wish, Vocabulary) else Vocabulary(wish)


def check_texts(column: str, kind: str) -> None:
    """Raise if a column's type, as its engine calls it, is not one of texts.

    Examples
    --------
    >>> check_texts("body", "string")
    >>> check_texts("id", "bigint")
    Traceback (most recent call last):
    ...
    ValueError: column 'id' holds bigint, not texts; name one of texts, or turn it into strings
    """
    if kind.split("[")[0].split("(")[0] not in OF_TEXTS:
        raise ValueError(
            f"column {column!r} holds {kind}, not texts; name one of texts, or turn it into strings"
        )


def tally(texts: Texts, words: Tokenizer) -> dict[str, int]:
    """Count the words of a part of the texts.

    Examples
    --------
    >>> tally(["to be or not to be"], Words())
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    counted, strings = GrowingVocabulary(MOST_COUNTED), as_strings(texts)
    for start in range(0, len(strings), TEXT_BLOCK):
        counted.count_texts(strings[start : start + TEXT_BLOCK], words)
    return dict(zip(counted, counted.totals.tolist(), strict=True))


def join(tallies: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the counts of all parts together."""
    total: dict[str, int] = {}
    for part in tallies:
        for word, n in part.items():
            total[word] = total.get(word, 0) + n
    return total


def rank(counts: Mapping[str, int], n_words: int) -> Vocabulary:
    """Return the most frequent words, ordered as `Vocabulary.most_frequent` orders them."""
    ranked = sorted((-n, word) for word, n in counts.items())[:n_words]
    if not ranked:
        raise NoWordsError(
            "the texts have no words: check the column, the language, the stop words"
        )
    return Vocabulary(word for _, word in ranked)


def count_texts(texts: Texts, vocabulary: Vocabulary, words: Tokenizer) -> Documents:
    """Turn a part of the texts into documents over a vocabulary."""
    return vocabulary.count_known(as_strings(texts), words)


def as_documents(part: Any, n_words: int) -> Documents:
    """Make documents of whatever holds counts: matrices, data frames, documents, lists of these."""
    if isinstance(part, Documents):
        return part.widen(n_words)
    if hasattr(part, "to_numpy"):  # a data frame, a column a word
        part = part.to_numpy()
    if isinstance(part, np.ndarray) or sp.issparse(part):
        return Documents.from_matrix(part).widen(n_words)
    blocks = [as_documents(block, n_words) for block in part]
    return Documents.concatenate(blocks) if blocks else Documents.empty(n_words)


def as_text_topics(solution: Solution, vocabulary: Vocabulary, words: Tokenizer) -> TextTopics:
    """Return a solution as topics to read, predict with and save; it learns no more."""
    topics = TextTopics(
        solution.model.n_topics, learner="unigram", vocabulary=vocabulary, words=words
    )
    topics.learner = Fixed(solution.model)
    topics.n_docs, topics.n_empty = solution.counts.n_docs, solution.counts.n_empty
    return topics
