"""Views of documents that are not contiguous in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.documents.csr import gather


class DocumentView(NamedTuple):
    """A view of documents anywhere in two long read-only arrays; `gather` copies them.

    Examples
    --------
    >>> block = Documents.from_tokens([[0, 0, 1], [1, 2]], n_words=3)
    >>> view = DocumentView.of(block)
    >>> view.bounds.tolist()
    [[0, 2], [2, 4]]
    >>> view.gather(np.array([1])) == block[1]
    True
    """

    bounds: Ints  # (n_docs, 2) start and end offset of each document's entries
    words: WordIds  # of all entries, as in `Documents`
    counts: Floats
    n_words: int

    @classmethod
    def of(cls, documents: Documents) -> DocumentView:
        """Return a view of all documents of a block."""
        bounds = np.empty((documents.n_docs, 2), np.int64)
        bounds[:, 0], bounds[:, 1] = documents.indptr[:-1], documents.indptr[1:]
        return cls(bounds, documents.words, documents.counts, documents.n_words)

    def gather(self, rows: Ints) -> Documents:
        """Return a copy of some of the documents as a block."""
        starts, ends = np.ascontiguousarray(self.bounds.T)
        return Documents.trusted(*gather(rows, starts, ends, self.words, self.counts), self.n_words)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_only, tuple(self)


def _read_only(bounds: Ints, words: WordIds, counts: Floats, n_words: int) -> DocumentView:
    """Return an unpickled or copied view with read-only arrays.

    NumPy restores them writable, for which Numba would compile every kernel once more.
    """
    words.setflags(write=False)
    counts.setflags(write=False)
    return DocumentView(bounds, words, counts, n_words)
