"""ProjectedSums: sums of words, pairs and triples in a basis, kept up to date."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import reduce
from typing import Self

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.documents.views import Scattered
from spectralleader.moments import kernels
from spectralleader.moments.exchange import exchange_documents

MANY = 250  # entries from which on a block is added by word


class ProjectedSums:
    """What a changing set of documents adds up to, in a fixed basis Q (d, r).

    Documents are added by `update`, taken away by `downdate`, and the sums of two sets are joined
    by `merge`; a set is never stored. With Q the identity these are the sums themselves.

    Examples
    --------
    >>> moments = ProjectedSums(np.eye(3))
    >>> block = Documents.from_tokens([[0, 0, 1], [1, 2]], n_words=3)
    >>> moments.update(block)
    >>> moments.pairs.round(3).tolist()
    [[0.333, 0.333, 0.0], [0.333, 0.0, 0.5], [0.0, 0.5, 0.0]]
    >>> moments.downdate(block)
    >>> float(abs(moments.pairs).max())
    0.0
    """

    def __init__(self, basis: Floats) -> None:
        r = basis.shape[1]
        self.basis = np.ascontiguousarray(basis)
        self._n = np.zeros(4)  # tokens; documents of at least 1, 2 and 3 words
        self._words = np.zeros(len(basis))
        self._image = np.zeros(self.basis.shape)
        self._pairs = np.zeros(r * (r + 1) // 2)  # the upper triangle, row by row
        self._triples = np.zeros((r * (r + 1) // 2, r))  # to be symmetrised
        self._room: list[Floats] = []  # what basis, words and image are the first rows of, if more

    def update(self, documents: Documents) -> None:
        """Add documents."""
        self.exchange(Scattered.of(documents), documents.n_docs)

    def downdate(self, documents: Documents) -> None:
        """Take away documents that were added before."""
        self.exchange(Scattered.of(documents), 0)

    def widen(self, n_words: int) -> None:
        """Go on over more words; new ones are outside the basis."""
        if n_words <= len(self.basis):
            return
        # a copy of these sums has rows of its own, and no longer those in the room
        is_ours = len(self._room) > 0 and self.basis.base is self._room[0]
        if not is_ours or n_words > len(self._room[0]):
            rows = (self.basis, self._words, self._image)
            self._room = [move_rows(array, None, 2 * n_words) for array in rows]
        self.basis, self._words, self._image = (array[:n_words] for array in self._room)

    def exchange(self, documents: Scattered, n_added: int) -> None:
        """Add the first n_added of some documents, and take away the others."""
        bounds, words, counts, n_words = documents
        if n_words != len(self.basis):
            raise ValueError(
                f"these sums are over {len(self.basis)} words, the documents over "
                f"{n_words}; use one vocabulary"
            )
        exchange_documents(bounds, words, counts, n_added, MANY, self.basis, *self.parts())

    def merge(self, other: Self) -> None:
        """Add what another set of documents adds up to, in the same basis."""
        if self.basis is not other.basis and not np.array_equal(self.basis, other.basis):
            raise ValueError(
                "sums in different bases cannot be merged: these are in a basis of shape "
                f"{self.basis.shape}, the others in one of shape {other.basis.shape}"
            )
        for mine, theirs in zip(self.parts(), other.parts(), strict=True):
            mine += theirs

    @classmethod
    def total(cls, sums: Sequence[Self]) -> Self:
        """Return what sets of documents add up to together, all in the same basis."""
        first, *others = sums
        total = copy(first)
        total._room = []
        parts = zip(first.parts(), *(other.parts() for other in others), strict=True)
        total._n, total._words, total._image, total._pairs, total._triples = (
            reduce(np.add, arrays) for arrays in parts
        )
        return total

    def parts(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return the arrays that all of it is in, for kernels: counts, words, image, and packed."""
        return self._n, self._words, self._image, self._pairs, self._triples

    @property
    def n_tokens(self) -> float:
        """Words in all documents."""
        return float(self._n[0])

    @property
    def words(self) -> Floats:
        """Sum of the words of each document, (d,)."""
        return self._words

    @property
    def image(self) -> Floats:
        """Sum of the pairs of each document times the basis, (d, r): not lost outside the basis."""
        return self._image

    @property
    def pairs(self) -> Floats:
        """Sum of the pairs of each document, (r, r)."""
        return kernels.unpack(self._pairs, self.basis.shape[1])

    @property
    def triples(self) -> Floats:
        """Sum of the triples of each document, (r, r, r)."""
        return kernels.symmetrise(self._triples)

    @property
    def n_docs(self) -> tuple[float, float, float]:
        """Documents of at least 1, 2 and 3 words."""
        return float(self._n[1]), float(self._n[2]), float(self._n[3])
