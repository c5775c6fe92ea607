"""What the Dask and Spark adapters share; they only map and sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from spectralleader.documents import Documents, check_n_words
from spectralleader.learners.learner_base import Fixed
from spectralleader.learners.passes import Solution
from spectralleader.learners.summaries import Task
from spectralleader.text.counting import AT_ONCE
from spectralleader.text.texts import Texts, in_blocks_of
from spectralleader.text.vocabulary import MOST_COUNTED, GrowingVocabulary, Vocabulary
from spectralleader.text.words import Tokenizer
from spectralleader.topics.text_topics import TextTopics

MOST_FREQUENT = 5000  # default vocabulary size

# Names of string types in the engines, and of pandas columns that may contain strings.
OF_TEXTS = ("string", "str", "large_string", "varchar", "char", "object", "category")

Progress = Callable[[str, int, int], None]  # name of the pass, parts done, number of parts
VocabularyRequest = Vocabulary | Iterable[str] | int  # a vocabulary, its words, or its size


def choose_vocabulary(
    request: VocabularyRequest, count_most: Callable[[int], Vocabulary]
) -> Vocabulary:
    """Return the vocabulary; for a size, the engine counts words in a first pass."""
    if isinstance(request, int | np.integer):
        return count_most(check_n_words(request))
    return request if isinstance(request, Vocabulary) else Vocabulary(request)


def check_texts(column: str, kind: str) -> None:
    """Raise unless the type of a column, by the engine's name for it, can hold texts.

    Examples
    --------
    >>> check_texts("body", "string")
    >>> check_texts("id", "bigint")
    Traceback (most recent call last):
    ...
    ValueError: column 'id' holds bigint, not texts; name another one, or convert it to strings
    """
    # Without parameters, as in varchar(20).
    if kind.split("[")[0].split("(")[0] not in OF_TEXTS:
        raise ValueError(
            f"column {column!r} holds {kind}, not texts; name another one, or convert it to strings"
        )


def tally(texts: Texts, words: Tokenizer) -> dict[str, int]:
    """Return the word counts of some texts.

    Examples
    --------
    >>> from spectralleader.text import Words
    >>> tally(["to be or not to be"], Words())
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    counted = GrowingVocabulary(MOST_COUNTED)
    for block in in_blocks_of(texts, AT_ONCE, words):
        counted.count_texts(block, words)
    return dict(zip(counted, counted.totals.tolist(), strict=True))


def join(tallies: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of several word counts."""
    total = Counter[str]()
    for part in tallies:
        total.update(part)
    return total


def name_of(task: Task) -> str:
    """Return the name of a pass for progress."""
    return str(getattr(task, "func", task).__name__)


def as_documents(part: Any, n_words: int) -> Documents:
    """Return the documents of counts in matrices, data frames, `Documents`, or lists of these."""
    if isinstance(part, Documents):
        return part.widen(n_words)
    if hasattr(part, "to_numpy"):  # a data frame with one column per word
        part = part.to_numpy()
    if isinstance(part, np.ndarray) or sp.issparse(part):
        return Documents.from_matrix(part).widen(n_words)
    blocks = [as_documents(block, n_words) for block in part]
    return Documents.concatenate(blocks) if blocks else Documents.empty(n_words)


def as_text_topics(solution: Solution, vocabulary: Vocabulary, words: Tokenizer) -> TextTopics:
    """Return a solution as `TextTopics` that can be read, saved and used for prediction only."""
    topics = TextTopics(learner=Fixed(solution.model), vocabulary=vocabulary, words=words)
    topics.n_docs, topics.n_empty = solution.counts.n_docs, solution.counts.n_empty
    return topics
