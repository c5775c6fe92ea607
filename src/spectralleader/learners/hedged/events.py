"""Events: what happened to the topics of `model`, and when."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.checks.states import integers, number, take, text, whole

MOST_EVENTS = 100  # remembered, the latest
CHANGED = "the stream changed"


class Event(NamedTuple):
    """A change of the topics of `model`."""

    n_docs: int  # documents learned before
    what: str
    topics: tuple[int, ...]  # affected topics; empty for a change of the stream
    moved: float  # share of the remembered documents whose topic changed

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {**self._asdict(), "topics": np.array(self.topics, np.int64)}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int) -> Event:
        """Return the event that `to_state` described."""
        found = take(state, "topics")
        # Earlier versions saved the topics of an event of the stream as an empty float array.
        is_empty = isinstance(found, np.ndarray) and found.shape == (0,)
        topics = [] if is_empty else integers(state, "topics", (None,), 0, n_topics - 1).tolist()
        n_docs, moved = whole(state, "n_docs"), number(state, "moved", 0.0, 1.0)
        return cls(n_docs, text(state, "what"), tuple(topics), moved)


def with_event(events: list[Event], event: Event) -> list[Event]:
    """Return the events with one more, without the oldest if there are too many."""
    return [*events, event][-MOST_EVENTS:]
