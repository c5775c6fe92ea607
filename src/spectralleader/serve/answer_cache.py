"""AnswerCache: one thread recomputes a stale answer while others use the old one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from time import monotonic, thread_time
from typing import Any, NamedTuple

from spectralleader.runtime.guard import guard_of
from spectralleader.text.snapshot import LevelledSnapshot
from spectralleader.text.topics import TextTopics

RENEW = 1.0  # minimum seconds for which an answer is valid
SHARE = 20  # work that blocks learning for t seconds is repeated after SHARE * t at the earliest
PAUSE = 4  # the same for t seconds of CPU time of another thread


class CachedAnswer(NamedTuple):
    """An answer with its expiry."""

    value: Any
    until: float  # when it expires, if there are newer documents
    n_docs: int  # learned when it was computed


class AnswerCache:
    """Answers computed from topics that continue to learn, by request."""

    def __init__(self) -> None:
        self._cached: dict[Hashable, CachedAnswer] = {}
        self._lock = threading.Lock()

    def get(
        self, key: Hashable, topics: TextTopics, read: Callable[[LevelledSnapshot], Any]
    ) -> Any:
        """Return the cached answer; recompute it if it has expired and there are newer documents.

        The thread that finds it expired recomputes it, while others use the old one. Learning only
        waits for the copy of the topics, at most a twentieth of the time.
        """
        cached = self._cached.get(key)
        if self.has(key, topics) or not self._lock.acquire(blocking=cached is None):
            return self._cached[key].value
        try:
            if not self.has(key, topics):
                self._cached[key] = make(topics, read)
            return self._cached[key].value
        finally:
            self._lock.release()

    def has(self, key: Hashable, topics: TextTopics) -> bool:
        """Return whether a valid answer is cached."""
        cached = self._cached.get(key)
        if cached is None:
            return False
        return monotonic() < cached.until or cached.n_docs == topics.n_docs


def make(topics: TextTopics, read: Callable[[LevelledSnapshot], Any]) -> CachedAnswer:
    """Copy the topics, which blocks learning, and compute the answer, which does not."""
    with guard_of(topics):
        began = monotonic()
        snapshot = topics.hold()
        copied_for = monotonic() - began
    # CPU time: the thread also waits for the interpreter lock and for a core, which costs nothing
    worked = thread_time()
    value = read(snapshot)
    wait = max(RENEW, SHARE * copied_for, PAUSE * (thread_time() - worked))
    return CachedAnswer(value, monotonic() + wait, snapshot.full.n_docs)
