"""Sample: which documents are remembered, and what all kinds of samples share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole, is_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import check_same, whole
from spectralleader.documents import BlockT, Documents, DocumentView
from spectralleader.samples.document_buffer import Change, DocumentBuffer, one_each

WORDS_PER_DOCUMENT = 1024  # default budget: distinct words for each document of the capacity
MIN_TOKENS = 3  # tokens that a part must have to contribute a triple


class Sample(Saved, Generic[BlockT]):
    """A bounded or unbounded sample of the documents seen, chosen online.

    Its vocabulary is the largest seen so far; documents over fewer words use the first ids. Another
    family subclasses a kind of sample, with its own buffer and `saved` documents.
    """

    saved = fields(documents=Documents)
    buffer: type[Any] = DocumentBuffer

    def __init__(self, n_words: int) -> None:
        self._buffer = self.buffer(n_words)

    def __len__(self) -> int:
        return len(self._buffer)

    @property
    def n_words(self) -> int:
        """Current vocabulary size."""
        return int(self._buffer.n_words)

    @property
    def n_seen(self) -> int:
        """Number of documents seen so far, remembered or not."""
        return len(self)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that samples must share to be merged."""
        return {}

    @property
    def documents(self) -> BlockT:
        """The remembered documents, as one block in the order of their slots."""
        documents: BlockT = self._buffer.documents()
        return documents

    @documents.setter
    def documents(self, documents: BlockT) -> None:
        self._buffer = self.buffer(documents.n_words)
        self._buffer.enter(documents, one_each(documents.n_docs))

    @property
    def view(self) -> DocumentView:
        """A view of the remembered documents, in the order of their slots."""
        view: DocumentView = self._buffer.view()
        return view

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber word w to ``new_ids[w]``, which is not checked; -1 drops the word.

        With None every word keeps its id, and further words up to n_words are new.
        """
        self._buffer.recode(new_ids, n_words)

    def add(self, documents: BlockT) -> Change[BlockT]:
        """Offer a block to the sample; return the documents that entered and left."""
        raise NotImplementedError

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Become a sample of everything that this and other samples of equal settings saw."""
        raise NotImplementedError


class BoundedSample(Sample[BlockT]):
    """A sample of at most `capacity` documents with at most `budget` entries (distinct words)."""

    saved = fields(Sample.saved, capacity=field(whole, least=1), budget=whole, n_seen=whole)
    n_seen = 0

    def __init__(self, capacity: int, n_words: int, budget: int | None) -> None:
        super().__init__(n_words)
        self.capacity = check_whole("capacity", capacity, 1)
        budget = WORDS_PER_DOCUMENT * self.capacity if budget is None else budget
        if not is_whole(budget) or budget < MIN_TOKENS * self.capacity:
            raise ValueError(
                f"budget must be an integer number of words, at least {MIN_TOKENS} for each of the "
                f"capacity={capacity} documents, got {budget!r}"
            )
        self.budget = int(budget)
        self._max_entries = self.budget // self.capacity  # distinct words per document, at most

    @property
    def settings(self) -> dict[str, Any]:
        """Capacity and budget."""
        return {"capacity": self.capacity, "budget": self.budget}

    def _enter(self, documents: BlockT, chosen: Ints) -> Change[BlockT]:
        """Put the chosen documents of a block, (row, slot) pairs, into their slots."""
        limits = self.n_seen, self._max_entries
        block, rows = self._buffer.shorten(documents, chosen[:, 0], *limits)
        written = chosen if block is documents else np.stack([rows, chosen[:, 1]], axis=1)
        change: Change[BlockT] = self._buffer.enter(block, written)
        change.chosen = chosen
        self.n_seen += documents.n_docs
        return change

    def _loaded(self) -> None:
        # Samples fill up before they replace anything.
        check_same("documents remembered", len(self), min(self.n_seen, self.capacity))
