"""Everything: a sample that remembers all documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.documents import Documents
from spectralleader.samples.buffered_sample import BufferedSample
from spectralleader.samples.document_buffer import DocumentBuffer
from spectralleader.samples.protocol import Change


class Everything(BufferedSample):
    """A sample of all documents seen. Memory grows with the stream.

    Examples
    --------
    >>> everything = Everything(n_words=3)
    >>> change = everything.add(Documents.from_tokens([[0], [1], [2]], n_words=3))
    >>> len(everything), change.left.n_docs
    (3, 0)
    """

    def __init__(self, *, n_words: int = 1) -> None:
        super().__init__(n_words)

    @property
    def n_seen(self) -> int:
        """Number of documents seen so far."""
        return len(self._buffer)

    def add(self, documents: Documents) -> Change:
        """Remember a block; return what entered (all of it) and what left (nothing)."""
        rows = np.arange(documents.n_docs)
        return self._buffer.put(documents, rows, len(self) + rows)

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Append the documents of other samples; `rng` is not used."""
        for other in others:
            self.add(other.documents.widen(max(self.n_words, other.n_words)))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that samples must share to be merged."""
        return {}

    def to_state(self) -> dict[str, Any]:
        """Return the remembered documents."""
        return self._buffer.to_state()

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Everything:
        """Return the sample that `to_state` described."""
        everything = cls()
        everything._buffer = DocumentBuffer.from_state(state)
        return everything
