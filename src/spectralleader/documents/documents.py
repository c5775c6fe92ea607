"""Documents, a block of bags of words; and views of documents that lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.states import bags, whole
from spectralleader.documents import csr
from spectralleader.documents.recoding import MAX_WORDS, check_n_words, check_recoding, renumber

if TYPE_CHECKING:
    import scipy.sparse as sp


class Documents:
    """An immutable block of documents, each a bag of words; one document is a block of one.

    The block is a sparse matrix in CSR form: document i has the distinct words
    ``words[indptr[i]:indptr[i+1]]``, in increasing order, with their numbers of occurrences in
    ``counts[indptr[i]:indptr[i+1]]``. Counts are integers stored as floats, because every later
    computation multiplies them with floats. Documents of 0, 1 and 2 words are valid.

    Most callers use `from_matrix`, `from_tokens` or `from_bow`.

    Parameters
    ----------
    indptr, words, counts : arrays
        CSR arrays as described above; they are validated, copied and sorted.
    n_words : int
        Vocabulary size, d.

    Examples
    --------
    >>> block = Documents.from_tokens([[0, 0, 1], [1, 2]], n_words=3)
    >>> block.n_docs, block.n_words, block.lengths.tolist()
    (2, 3, [3.0, 2.0])
    >>> block[1].to_matrix().toarray().tolist()
    [[0, 1, 1]]
    """

    __slots__ = ("_lengths", "counts", "indptr", "n_words", "words")

    indptr: Ints  # (n_docs + 1,)
    words: WordIds  # (n_entries,) distinct within a document
    counts: Floats  # (n_entries,) each at least 1
    n_words: int  # vocabulary size, d
    _lengths: Floats | None

    def __init__(self, indptr: Ints, words: WordIds, counts: Floats, n_words: int) -> None:
        arrays = csr.from_arrays(indptr, words, counts, check_n_words(n_words))
        self._freeze(*arrays, n_words)

    @classmethod
    def trusted(cls, indptr: Ints, words: WordIds, counts: Floats, n_words: int) -> Documents:
        """Return a block that wraps valid arrays without checking or copying them."""
        documents = cls.__new__(cls)
        documents._freeze(indptr, words, counts, n_words)
        return documents

    def _freeze(self, indptr: Ints, words: WordIds, counts: Floats, n_words: int) -> None:
        # Read-only arrays can be shared by blocks, views and threads without copies.
        indptr.setflags(write=False)
        words.setflags(write=False)
        counts.setflags(write=False)
        set_indptr(self, indptr)
        set_words(self, words)
        set_counts(self, counts)
        set_n_words(self, n_words)
        set_lengths(self, None)  # computed on first use

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"Documents are immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:  # for copy and multiprocessing; slots alone fail
        return Documents.trusted, (self.indptr, self.words, self.counts, self.n_words)

    @classmethod
    def empty(cls, n_words: int) -> Documents:
        """Return the block of no documents."""
        return cls.trusted(
            np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), check_n_words(n_words)
        )

    @classmethod
    def from_matrix(cls, counts: Any) -> Documents:
        """Return the block of a count matrix, documents x words: SciPy sparse or ndarray.

        Raises
        ------
        ValueError
            If the matrix is not two-dimensional, has no columns, has invalid index arrays or
            masked entries, or has a negative, fractional, NaN or infinite count; the message names
            the first bad document.
        """
        arrays, n_words = csr.from_matrix(counts)
        return cls.trusted(*arrays, check_n_words(n_words))

    @classmethod
    def from_tokens(cls, tokens: Iterable[Sequence[int] | ArrayLike], n_words: int) -> Documents:
        """Return the block of documents given as sequences of word ids, one id per token.

        Raises
        ------
        ValueError
            If an id is not an integer from 0 to n_words - 1; the message names the document.
        """
        n_words = check_n_words(n_words)
        return cls.trusted(*csr.from_tokens(tokens, n_words), n_words)

    @classmethod
    def from_bow(
        cls, corpus: Iterable[Iterable[tuple[int, float]]], n_words: int | None = None
    ) -> Documents:
        """Return the block of a gensim-style corpus: documents of (word id, count) pairs.

        Counts of a repeated word are added. `n_words` defaults to the largest id plus 1; pass
        ``len(dictionary)`` if several blocks must share one vocabulary.

        Examples
        --------
        >>> documents = Documents.from_bow([[(0, 2), (1, 1)], [(2, 1)]])
        >>> documents.n_words, documents.to_bow()
        (3, [[(0, 2), (1, 1)], [(2, 1)]])

        Raises
        ------
        ValueError
            If an id or count is negative or not an integer, or an id is too large; the message
            names the document.
        """
        most = MAX_WORDS if n_words is None else check_n_words(n_words)
        arrays = csr.from_bow(corpus, most)
        if n_words is None:
            most = int(arrays[1].max(initial=0)) + 1
        return cls.trusted(*arrays, most)

    @classmethod
    def from_words(cls, words: Ints, lengths: Ints, n_words: int) -> Documents:
        """Return the block of documents given as concatenated word ids, which are not checked."""
        return cls.trusted(*csr.from_words(words, lengths, n_words), n_words)

    @property
    def n_docs(self) -> int:
        """Number of documents in the block."""
        return len(self.indptr) - 1

    @property
    def lengths(self) -> Floats:
        """Number of tokens in each document, L, shape (n_docs,)."""
        if self._lengths is None:
            object.__setattr__(self, "_lengths", csr.sum_rows(self.indptr, self.counts))
        return cast(Floats, self._lengths)

    def to_matrix(self) -> sp.csr_array:
        """Return the counts as a scipy CSR array of integers, documents x words."""
        return self.as_floats().astype(np.int64)

    def to_bow(self) -> list[list[tuple[int, int]]]:
        """Return the documents in gensim's format: lists of (word id, count) pairs."""
        pairs = list(zip(self.words.tolist(), self.counts.astype(np.int64).tolist(), strict=True))
        return [pairs[start:end] for start, end in pairwise(self.indptr.tolist())]

    def as_floats(self) -> sp.csr_array:
        """Return the counts as a scipy CSR array of floats that shares this block's memory."""
        import scipy.sparse as sp  # slow to import, and not needed for learning

        entries = (self.counts, self.words, self.indptr)
        return sp.csr_array(entries, shape=(self.n_docs, self.n_words), copy=False)

    def __len__(self) -> int:
        return self.n_docs

    def __getitem__(self, which: int | slice | NDArray[Any] | Sequence[int]) -> Documents:
        """Return the documents at an integer, slice, index array or mask, always as a block."""
        if isinstance(which, slice) and which.step in (None, 1):
            start, stop, _ = which.indices(self.n_docs)
            return self._slice(start, max(start, stop))
        if isinstance(which, int) and -self.n_docs <= which < self.n_docs:
            return self._slice(which % self.n_docs, which % self.n_docs + 1)
        return self.take(np.atleast_1d(np.arange(self.n_docs)[which]))

    def take(self, rows: Ints) -> Documents:
        """Return the documents at these row numbers, which are not checked."""
        starts, ends = self.indptr[:-1], self.indptr[1:]
        return Documents.trusted(
            *csr.gather(rows, starts, ends, self.words, self.counts), self.n_words
        )

    def _slice(self, start: int, stop: int) -> Documents:
        """Return documents start to stop as a view."""
        if stop - start == self.n_docs:  # the same object, of which more may be known
            return self
        first, last = self.indptr[start], self.indptr[stop]
        indptr = self.indptr[start : stop + 1] - first
        return Documents.trusted(
            indptr, self.words[first:last], self.counts[first:last], self.n_words
        )

    def blocks(self, size: int) -> Iterator[Documents]:
        """Iterate over consecutive blocks of `size` documents; the last one may be shorter."""
        if size < 1:
            raise ValueError(f"block size must be at least 1, got {size}")
        for start in range(0, self.n_docs, size):
            yield self[start : start + size]

    def widen(self, n_words: int) -> Documents:
        """Return the documents over a larger vocabulary; words keep their ids.

        Raises
        ------
        ValueError
            If `n_words` is smaller than the present vocabulary.
        """
        if n_words == self.n_words:
            return self
        if n_words < self.n_words:
            raise ValueError(
                f"documents over {self.n_words} words cannot be widened to {n_words}; "
                "recode them to drop words"
            )
        return self.renumber(None, check_n_words(n_words))

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> Documents:
        """Return the documents with word w renumbered to ``new_ids[w]``; -1 drops the word.

        A document that loses all its words stays as an empty document. With ``new_ids=None`` every
        word keeps its id.

        Examples
        --------
        >>> block = Documents.from_tokens([[0, 1, 2, 2]], n_words=3)
        >>> block.recode([1, -1, 0], n_words=2).to_matrix().toarray().tolist()
        [[2, 1]]
        """
        return self.renumber(*check_recoding(new_ids, self.n_words, n_words))

    def renumber(self, new_ids: Ints | None, n_words: int) -> Documents:
        """Return the recoded documents; `new_ids` is not checked."""
        arrays = (self.indptr, self.words, self.counts)
        if new_ids is not None:
            return Documents.trusted(*renumber(new_ids, *arrays), n_words)
        documents = Documents.trusted(*arrays, n_words)  # shares the arrays
        object.__setattr__(documents, "_lengths", self._lengths)
        return documents

    @staticmethod
    def concatenate(blocks: Iterable[Documents]) -> Documents:
        """Return the documents of all blocks, in order; the blocks must share one vocabulary."""
        parts = list(blocks)
        if not parts:
            raise ValueError("nothing to concatenate: give at least one block")
        if len(sizes := {part.n_words for part in parts}) > 1:
            raise ValueError(f"blocks have different vocabulary sizes: {sorted(sizes)}")
        if len(parts) == 1:
            return parts[0]
        offsets = np.cumsum([0, *(len(part.words) for part in parts)])
        indptr = [
            part.indptr[1:] + offset for part, offset in zip(parts, offsets[:-1], strict=True)
        ]
        return Documents.trusted(
            np.concatenate([np.zeros(1, np.int64), *indptr]),
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.counts for part in parts]),
            parts[0].n_words,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Documents):
            return NotImplemented
        return (
            self.n_words == other.n_words
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.words, other.words)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays compare by value and are not hashable

    def __repr__(self) -> str:
        return f"Documents(n_docs={self.n_docs}, n_words={self.n_words})"

    def to_state(self) -> dict[str, Any]:
        """Return the state of the block, as arrays and plain values."""
        fields = ("indptr", "words", "counts", "n_words")
        return {name: getattr(self, name) for name in fields}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Documents:
        """Return the block that `to_state` described."""
        n_words = whole(state, "n_words", 1, MAX_WORDS)
        return cls.trusted(*bags(state, n_words), n_words)


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
        return Documents.trusted(
            *csr.gather(rows, starts, ends, self.words, self.counts), self.n_words
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_only, tuple(self)


def _read_only(bounds: Ints, words: WordIds, counts: Floats, n_words: int) -> DocumentView:
    """Return an unpickled or copied view with read-only arrays.

    NumPy restores them writable, for which Numba would compile every kernel once more.
    """
    words.setflags(write=False)
    counts.setflags(write=False)
    return DocumentView(bounds, words, counts, n_words)


# The slots' own setters bypass `__setattr__`, and are the fastest way to: learning one document at
# a time creates a block per document.
set_indptr, set_words, set_counts, set_n_words, set_lengths = (
    getattr(Documents, name).__set__
    for name in ("indptr", "words", "counts", "n_words", "_lengths")
)
