"""Partitions: the interface of partitioned documents, which offers only sums over partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Protocol

from spectralleader.arrays import Floats
from spectralleader.documents import Documents

Summary = tuple[Floats, ...]  # of documents; that of no documents is zeros of the same shapes
Task = Callable[[Documents], Summary]  # pure, and can be sent to another process


class Partitions(Protocol):
    """Partitioned documents, in memory or on a cluster."""

    n_words: int  # d, of all parts

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all partitions, added in any order."""


def add(one: Summary, other: Summary) -> Summary:
    """Return the sum of two summaries, array by array."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


class InMemory:
    """Partitions that are blocks of documents in memory.

    Examples
    --------
    >>> blocks = [Documents.from_tokens([[0, 0], [1]], n_words=2)] * 3
    >>> partitions = InMemory(blocks, n_words=2)
    >>> partitions.total(lambda block: (block.lengths.sum(keepdims=True),))[0].tolist()
    [9.0]
    """

    def __init__(self, blocks: Iterable[Documents], n_words: int) -> None:
        self.n_words = n_words
        # `reduce` needs a first summary; that of an empty block is zeros of the right shapes.
        self._blocks = list(blocks) or [Documents.empty(n_words)]

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all blocks."""
        return reduce(add, map(task, self._blocks))
