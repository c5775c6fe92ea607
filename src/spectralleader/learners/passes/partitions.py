"""Partitions: documents in parts, wherever they are; only sums over them are ever asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Protocol

from spectralleader.arrays import Floats
from spectralleader.documents import Documents

Summary = tuple[Floats, ...]  # of documents; that of no documents is zeros of the same shapes
Task = Callable[[Documents], Summary]  # pure, and can be sent to another process


class Partitions(Protocol):
    """Documents in parts."""

    n_words: int  # d, of all parts

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all parts, in any order."""


def add(one: Summary, other: Summary) -> Summary:
    """Return the summary of both."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


class InMemory:
    """Blocks of documents on this machine.

    Examples
    --------
    >>> blocks = [Documents.from_tokens([[0, 0], [1]], n_words=2)] * 3
    >>> partitions = InMemory(blocks, n_words=2)
    >>> partitions.total(lambda block: (block.lengths.sum(keepdims=True),))[0].tolist()
    [9.0]
    """

    def __init__(self, blocks: Iterable[Documents], n_words: int) -> None:
        self.n_words = n_words
        self._blocks = list(blocks) or [Documents.empty(n_words)]

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all blocks."""
        return reduce(add, map(task, self._blocks))
