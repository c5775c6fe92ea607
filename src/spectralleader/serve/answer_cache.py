"""Cached answers: one thread recomputes a stale answer while others use the old one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from time import monotonic, thread_time
from typing import Any, NamedTuple

from spectralleader.runtime.guard import guard_of
from spectralleader.text.levelled_snapshot import Held
from spectralleader.text.topics import TextTopics

RENEW = 1.0  # seconds that an answer serves at least
SHARE = 20  # what stops learning for t seconds is done again after so many times t, at the earliest
PAUSE = 4  # the same of what takes t seconds of CPU time of another thread


class Kept(NamedTuple):
    """An answer."""

    value: Any
    until: float  # when it is old, if there are newer documents
    n_docs: int  # that it is of


class Answers:
    """Answers from topics that continue to learn, by request."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Kept] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, topics: TextTopics, read: Callable[[Held], Any]) -> Any:
        """Return what was read of the topics; if it is old and there are newer ones, read again.

        Whoever finds it old reads it again, while others take the old one. Learning waits only
        until the topics are held, at most a twentieth of the time.
        """
        found = self._kept.get(key)
        if self.has(key, topics) or not self._lock.acquire(blocking=found is None):
            return self._kept[key].value
        try:
            if not self.has(key, topics):
                self._kept[key] = make(topics, read)
            return self._kept[key].value
        finally:
            self._lock.release()

    def has(self, key: Hashable, topics: TextTopics) -> bool:
        """Return whether an answer needs no work."""
        found = self._kept.get(key)
        return found is not None and (monotonic() < found.until or found.n_docs == topics.n_docs)


def make(topics: TextTopics, read: Callable[[Held], Any]) -> Kept:
    """Hold the topics, which learning waits for, and read them, which it does not."""
    with guard_of(topics):
        began = monotonic()
        held = topics.hold()
        held_for = monotonic() - began
    # CPU time: the thread also waits for the interpreter lock and for a core, which costs nothing
    worked = thread_time()
    value = read(held)
    wait = max(RENEW, SHARE * held_for, PAUSE * (thread_time() - worked))
    return Kept(value, monotonic() + wait, held.full.n_docs)
