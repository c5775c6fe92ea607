"""CountedCorpus: a corpus as word counts, prepared as in the paper."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from spectralleader.documents import Documents
from spectralleader.sources import Reader, TextBlock
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words
from study.sources.corpora import open_corpus

BLOCK = 1000  # texts per block of the reader
MIN_WORDS = 3  # shorter documents have no triple, and the paper leaves them out


class CountedCorpus(NamedTuple):
    """Documents in order of time, with labels if the corpus has them."""

    documents: Documents
    labels: list[str | None] | None  # one per document
    vocabulary: Vocabulary
    n_read: int  # texts read, including those left out


def count_corpus(
    name: str,
    folder: Path | None = None,
    *,
    n_words: int,
    min_words: int = MIN_WORDS,
    n_docs: int | None = None,
) -> CountedCorpus:
    """Return a corpus as counts of its most frequent words, without English stop words.

    Parameters
    ----------
    name, folder
        See `open_corpus`.
    n_words : int
        Vocabulary size: the most frequent words of the first n_docs texts, from a first pass.
    min_words : int
        Leave out documents with fewer words of the vocabulary.
    n_docs : int, optional
        Maximum number of documents, the earliest ones. Defaults to all.
    """
    with open_corpus(name, folder, block=BLOCK) as reader:
        return count_reader(reader, n_words=n_words, min_words=min_words, n_docs=n_docs)


def count_reader(
    reader: Reader, *, n_words: int, min_words: int = MIN_WORDS, n_docs: int | None = None
) -> CountedCorpus:
    """Return the texts of a reader with blocks of BLOCK texts as counts; see `count_corpus`."""
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
    return CountedCorpus(documents, labels[:n_docs] if has_labels else None, vocabulary, n_read)


def _long_enough(documents: Documents, min_words: int) -> list[int]:
    return [row for row, length in enumerate(documents.lengths.tolist()) if length >= min_words]


def _take(block: TextBlock, rows: list[int]) -> list[str | None]:
    return [] if block.labels is None else [block.labels[row] for row in rows]
