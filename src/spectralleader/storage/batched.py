"""Batched: topics, and the number of the last batch they learned, so that none is learned twice."""

from __future__ import annotations

from typing import Any, Self

from spectralleader.checks.states import whole
from spectralleader.runtime.guard import guard_of
from spectralleader.text.topics import TextTopics

NONE = -1  # engines count batches from 0


class Batched(TextTopics):
    """Topics that know how far they are in a stream of numbered batches.

    Saved in one file, what was learned and the number belong together: whoever is handed a batch
    again after a restart, because nobody knows whether it was learned, knows.

    Examples
    --------
    >>> topics = Batched.of(TextTopics(n_topics=2, learner="unigram"))
    >>> for batch in (0, 1, 1):
    ...     if batch > topics.batch:
    ...         topics.learn(["rain and wind"])
    ...         topics.batch = batch
    >>> topics.n_docs, topics.batch
    (2, 1)
    """

    batch: int = NONE

    @classmethod
    def of(cls, topics: TextTopics) -> Self:
        """Return topics as they are, before the first batch."""
        guard_of(topics)  # which both have
        batched = cls.__new__(cls)
        batched.__dict__.update(topics.__dict__)
        return batched

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on, as arrays and plain values."""
        return {**super().to_state(), "batch": self.batch}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild what `to_state` described."""
        batched = cls.of(TextTopics.from_state(state))
        batched.batch = whole(state, "batch", -1)
        return batched
