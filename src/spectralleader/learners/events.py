"""Events: what a learner reports of its topics and of the stream; `Reports` is the ability.

An event is data: how it is worded for terminals, pages and the service is decided where it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from spectralleader.arrays import Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import number, numbered, one_of, whole

MOST_EVENTS = 100  # that a learner of ours remembers, the latest


class EventKind(StrEnum):
    """What happened; the values are those in files and in answers of the service."""

    CHANGED = "changed"  # the stream: documents are less probable than before
    ENDED = "ended"  # the last change: documents are like those before them again
    REPLACED = "replaced"  # topics, by better ones
    RESCUED = "rescued"  # topics, by others, because too few of them were in use
    RESTARTED = "restarted"  # topics without documents, each from new documents


def read_kind(state: Any, name: str) -> EventKind:
    """Return the kind of a stored event."""
    return EventKind(one_of(state, name, tuple(EventKind)))


@dataclass(frozen=True)
class Event(Saved):
    """A change of the stream, or of the topics of a learner's `model`."""

    saved = fields(
        n_docs=whole,
        kind=read_kind,
        topics=numbered,
        moved=field(number, least=0.0, most=1.0),
        n_used=whole,
        words=numbered,
    )

    n_docs: int  # documents learned before
    kind: EventKind
    topics: tuple[int, ...] = ()  # affected topics, from 0; of a change: its documents' topics
    moved: float = 0.0  # share of the remembered documents whose topic changed
    n_used: int = 0  # of rescued topics: how many were in use
    words: tuple[int, ...] = ()  # of a change: ids of the words that became more frequent

    def recode(self, new_ids: Ints | None) -> Event:
        """Return the event with renumbered words, without those that were dropped."""
        if new_ids is None or not self.words:
            return self
        words = new_ids[list(self.words)]
        return replace(self, words=tuple(words[words >= 0].tolist()))
