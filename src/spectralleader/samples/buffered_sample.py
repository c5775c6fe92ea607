"""BufferedSample, BoundedSample: what all samples share, the storage of their documents."""

from __future__ import annotations

from typing import Any

from spectralleader.arrays import Ints
from spectralleader.checks.states import check_same, part, whole
from spectralleader.documents import Documents
from spectralleader.documents.views import DocumentView
from spectralleader.samples.document_buffer import DocumentBuffer
from spectralleader.samples.token_subsample import check_budget, check_capacity


class BufferedSample:
    """A sample that stores documents in `DocumentBuffer`."""

    def __init__(self, n_words: int) -> None:
        self._buffer = DocumentBuffer(n_words)

    def __len__(self) -> int:
        return len(self._buffer)

    @property
    def n_words(self) -> int:
        """Current vocabulary size."""
        return self._buffer.n_words

    @property
    def documents(self) -> Documents:
        """The remembered documents, in the order of their slots."""
        return self._buffer.documents()

    @property
    def view(self) -> DocumentView:
        """A view of the remembered documents, in the order of their slots."""
        return self._buffer.view()

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the remembered documents, see `Sample`."""
        self._buffer.recode(new_ids, n_words)


class BoundedSample(BufferedSample):
    """A sample of at most `capacity` documents with at most `budget` entries (distinct words)."""

    n_seen: int  # documents seen so far, remembered or not

    def __init__(self, capacity: int, n_words: int, budget: int | None) -> None:
        super().__init__(n_words)
        self.capacity = check_capacity(capacity)
        self.budget = check_budget(budget, self.capacity)
        self._max_entries = self.budget // self.capacity  # distinct words per document, at most
        self.n_seen = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that samples must share to be merged."""
        return {"capacity": self.capacity, "budget": self.budget}

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        return {**self.settings, "n_seen": self.n_seen, "places": self._buffer.to_state()}

    def _load_buffer(self, state: dict[str, Any]) -> None:
        """Restore the documents that `to_state` described."""
        self._buffer = DocumentBuffer.from_state(part(state, "places"))
        self.n_seen = whole(state, "n_seen")
        # Samples fill up before they replace anything.
        expected = min(self.n_seen, self.capacity)
        check_same("documents remembered", len(self._buffer), expected)
