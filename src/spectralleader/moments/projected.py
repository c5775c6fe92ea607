"""ProjectedSums: sums of words, pairs and triples in a basis, with updates and downdates."""

from __future__ import annotations

from typing import Self

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.documents.views import DocumentView
from spectralleader.moments.sums import unpack_pairs, unpack_triples
from spectralleader.moments.update_kernels import Sums, update_sums


class ProjectedSums:
    """The moments of a changing set of documents, in a fixed basis Q (d, r).

    `update` adds documents, `downdate` subtracts them, and `merge` adds the sums of another set;
    the documents are not stored. If Q is the identity, these are the sums over words.

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
        d, r = basis.shape
        self.sums = Sums(
            np.ascontiguousarray(basis),
            n=np.zeros(4),
            words=np.zeros(d),
            image=np.zeros((d, r)),
            upper=np.zeros((r * (r + 1) // 2, r + 1)),
        )
        # Preallocated arrays, of which basis, words and image are the first rows.
        self._room: list[Floats] = []

    def update(self, documents: Documents) -> None:
        """Add documents."""
        self.exchange(DocumentView.of(documents), documents.n_docs)

    def downdate(self, documents: Documents) -> None:
        """Subtract documents that were added before."""
        self.exchange(DocumentView.of(documents), 0)

    def exchange(self, documents: DocumentView, n_added: int) -> None:
        """Add the first n_added documents and subtract the others."""
        if documents.n_words != len(self.sums.basis):
            raise ValueError(
                f"these sums are over {len(self.sums.basis)} words, the documents over "
                f"{documents.n_words}; use one vocabulary"
            )
        update_sums(self.sums, documents, n_added)

    def widen(self, n_words: int) -> None:
        """Extend the vocabulary; new words have zero rows in the basis."""
        if n_words <= len(self.sums.basis):
            return
        # In a copy of this object, the arrays are no longer views of the preallocated ones.
        is_ours = len(self._room) > 0 and self.sums.basis.base is self._room[0]
        if not is_ours or n_words > len(self._room[0]):
            rows = (self.sums.basis, self.sums.words, self.sums.image)
            # Twice the words: growing costs amortised O(r) per word.
            self._room = [move_rows(array, None, 2 * n_words) for array in rows]
        basis, words, image = (array[:n_words] for array in self._room)
        self.sums = self.sums._replace(basis=basis, words=words, image=image)

    def merge(self, other: Self) -> None:
        """Add the sums of another set of documents, in the same basis."""
        mine, theirs = self.sums, other.sums
        if mine.basis is not theirs.basis and not np.array_equal(mine.basis, theirs.basis):
            raise ValueError(
                "sums in different bases cannot be merged: these are in a basis of shape "
                f"{mine.basis.shape}, the others in one of shape {theirs.basis.shape}"
            )
        self.add(theirs[1:])

    def add(self, parts: tuple[Floats, ...]) -> None:
        """Add the arrays of other sums in the same basis: the fields of `Sums` after the basis."""
        for mine, theirs in zip(self.sums[1:], parts, strict=True):
            mine += theirs

    @property
    def pairs(self) -> Floats:
        """Sum of the pairs of each document in the basis, (r, r)."""
        return unpack_pairs(self.sums.upper)

    @property
    def triples(self) -> Floats:
        """Sum of the triples of each document in the basis, (r, r, r)."""
        return unpack_triples(self.sums.upper)
