"""Counted: a corpus as the paper prepares it, its words counted."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from spectralleader.documents import Documents
from spectralleader.sources.corpora import open_corpus
from spectralleader.sources.files import Reader, TextBlock
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words

BLOCK = 1000  # texts read and counted at once
MIN_WORDS = 3  # a document with fewer has no triple


class Counted(NamedTuple):
    """Documents in order of time, with their labels where the corpus has them."""

    documents: Documents
    labels: list[str | None] | None  # one a document
    vocabulary: Vocabulary
    n_read: int  # texts read until there were enough documents


def count_corpus(
    name: str,
    folder: Path | None = None,
    *,
    n_words: int,
    min_words: int = MIN_WORDS,
    n_docs: int | None = None,
) -> Counted:
    """Return a corpus as counts: English stop words removed, the most frequent words kept.

    Parameters
    ----------
    name, folder
        As `open_corpus` takes them.
    n_words : int
        Words kept: the most frequent ones of the first n_docs texts, found in a first pass.
    min_words : int
        Documents with fewer of these are left out.
    n_docs : int, optional
        Documents at most, the first ones in time; all if not given.
    """
    with open_corpus(name, folder, block=BLOCK) as reader:
        return count_reader(reader, n_words=n_words, min_words=min_words, n_docs=n_docs)


def count_reader(
    reader: Reader, *, n_words: int, min_words: int = MIN_WORDS, n_docs: int | None = None
) -> Counted:
    """Return the texts of a reader as counts; see `count_corpus`. Its blocks are of BLOCK texts."""
    words = Words(stop_words="english")
    head = list(islice(reader, None if n_docs is None else -(-n_docs // BLOCK)))
    texts = (text for block in head for text in block.texts)
    vocabulary = Vocabulary.most_frequent(islice(texts, n_docs), n_words, words=words)
    vectoriser = Vectoriser(vocabulary, words)
    counted, labels, n_read = [Documents.empty(vocabulary.n_words)], [], 0
    for block in chain(head, reader):
        rows = _long_enough(documents := vectoriser.count(block.texts), min_words)
        counted.append(documents[rows])
        labels += _take(block, rows)
        n_read += len(block)
        if n_docs is not None and sum(map(len, counted)) >= n_docs:
            break
    has_labels = reader.columns.label is not None
    documents = Documents.concatenate(counted)[:n_docs]
    return Counted(documents, labels[:n_docs] if has_labels else None, vocabulary, n_read)


def _long_enough(documents: Documents, min_words: int) -> list[int]:
    return [row for row, length in enumerate(documents.lengths.tolist()) if length >= min_words]


def _take(block: TextBlock, rows: list[int]) -> list[str | None]:
    return [] if block.labels is None else [block.labels[row] for row in rows]
