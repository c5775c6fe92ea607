"""RoundRobin: a deterministic interleaving of partitions that depends only on their offsets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from spectralleader.checks.states import part, whole
from spectralleader.sources.live.protocol import Json

MOST_USED = 10_000  # consumed messages after which a queue is compacted


class Queue:
    """The fetched messages of one partition, in order."""

    def __init__(self) -> None:
        self._offsets: list[int] = []
        self._payloads: list[bytes] = []
        self._n_used = 0
        self.n_bytes = 0  # of the remaining payloads

    def __len__(self) -> int:
        return len(self._offsets) - self._n_used

    @property
    def last(self) -> int | None:
        """The offset of the last message."""
        return self._offsets[-1] if len(self) else None

    def add(self, offsets: Sequence[int], payloads: Sequence[bytes]) -> None:
        """Append messages."""
        self._offsets += offsets
        self._payloads += payloads
        self.n_bytes += sum(map(len, payloads))

    def take(self, n: int) -> tuple[list[int], list[bytes]]:
        """Remove and return the first n messages."""
        which = slice(self._n_used, self._n_used + n)
        found = self._offsets[which], self._payloads[which]
        self._n_used += n
        self.n_bytes -= sum(map(len, found[1]))
        if self._n_used > MOST_USED or not len(self):
            del self._offsets[: self._n_used], self._payloads[: self._n_used]
            self._n_used = 0
        return found


class RoundRobinPosition(NamedTuple):
    """The offsets of all partitions, and whose turn it is."""

    offsets: dict[int, int]  # of the next message of each partition
    turn: int  # number of the partition whose turn it is
    n_taken: int = 0  # messages of its portion that were already taken

    def to_state(self) -> Json:
        """Return the position as plain JSON."""
        offsets = {str(number): offset for number, offset in self.offsets.items()}
        return {"offsets": offsets, "turn": self.turn, "taken": self.n_taken}

    @classmethod
    def from_state(cls, state: Any, portion: int) -> RoundRobinPosition:
        """Return the position that `to_state` described, after validation."""
        found = part(state, "offsets")
        if not found or not all(number.isdecimal() for number in found):
            raise ValueError("offsets must be stored by partition number")
        offsets = {int(number): whole(found, number) for number in found}
        return cls(offsets, whole(state, "turn"), whole(state, "taken", 0, portion))


class PartitionRun(NamedTuple):
    """Consecutive messages of one partition."""

    number: int  # of the partition
    first: int  # messages of the batch before it
    offsets: list[int]
    is_portion: bool  # whether it belongs to a complete portion
    n_taken: int  # messages of the portion before it
    after: tuple[int, int]  # turn and n_taken after it


class PositionTracker:
    """The positions between the messages of some runs, computed from first to last."""

    def __init__(self, start: RoundRobinPosition, runs: list[PartitionRun]) -> None:
        self._offsets, self._turn = dict(start.offsets), (start.turn, start.n_taken)
        self._runs, self._n_passed = runs, 0

    def after(self, n: int) -> RoundRobinPosition:
        """Return the position after n messages; n must not decrease between calls."""
        turn = self._turn
        while self._n_passed < len(self._runs):
            run = self._runs[self._n_passed]
            size = n - run.first
            if size <= 0:
                break
            is_over = size >= len(run.offsets)
            self._offsets[run.number] = run.offsets[-1 if is_over else size - 1] + 1
            turn = run.after
            if not is_over:
                if run.is_portion:
                    turn = (run.number, run.n_taken + size)
                break
            self._turn = turn
            self._n_passed += 1
        return RoundRobinPosition(dict(self._offsets), *turn)


class RoundRobin:
    """Partitions take turns: each yields a portion of messages, then the next one does.

    A partition whose end is reached before its portion is complete is skipped. The order therefore
    depends only on offsets, as long as messages exist before they are read.

    Parameters
    ----------
    position : RoundRobinPosition
        Where to start.
    portion : int
        Messages that a partition yields per turn.
    """

    def __init__(self, position: RoundRobinPosition, portion: int) -> None:
        self.portion = portion
        self._offsets = dict(position.offsets)
        self._turn, self._n_taken = position.turn, position.n_taken
        self._numbers = sorted(position.offsets)
        self._next = dict(zip(self._numbers, [*self._numbers[1:], self._numbers[0]], strict=True))
        self.queues = {number: Queue() for number in self._numbers}

    @property
    def position(self) -> RoundRobinPosition:
        """The position after all messages that were taken."""
        return RoundRobinPosition(dict(self._offsets), self._turn, self._n_taken)

    def take(
        self, n: int, ended: Collection[int], *, rest: bool
    ) -> tuple[list[str], list[bytes], Callable[[int], RoundRobinPosition]]:
        """Return ids and payloads of up to n messages, and a function for the position after i.

        With `rest`, incomplete portions are included once all partitions have ended.
        """
        ids: list[str] = []
        payloads: list[bytes] = []
        runs: list[PartitionRun] = []
        start = self.position
        while len(ids) < n and (number := self._choose(ended, rest=rest)) is not None:
            run, found = self._take_run(number, n - len(ids), len(ids))
            runs.append(run)
            name = f"{number}:"
            ids += [name + str(offset) for offset in run.offsets]
            payloads += found
        return ids, payloads, PositionTracker(start, runs).after

    def _take_run(self, number: int, n: int, first: int) -> tuple[PartitionRun, list[bytes]]:
        queue, before = self.queues[number], self._n_taken
        is_portion = before + len(queue) >= self.portion
        offsets, payloads = queue.take(min(n, self.portion - before, len(queue)))
        self._offsets[number] = offsets[-1] + 1
        self._turn, self._n_taken = number, before + len(offsets)
        # A remainder at the end is no portion: the next one starts from scratch.
        if self._n_taken >= self.portion or not is_portion:
            self._turn, self._n_taken = self._next[number], 0
        after = (self._turn, self._n_taken)
        return PartitionRun(number, first, offsets, is_portion, before, after), payloads

    def _choose(self, ended: Collection[int], *, rest: bool) -> int | None:
        """Return the partition whose turn it is, or None if that needs more messages."""
        if self._n_taken:  # its portion was complete when it started
            if self.queues[self._turn]:
                return self._turn
            if self._turn not in ended:
                return None
            self._turn, self._n_taken = self._next[self._turn], 0  # the rest has been deleted
        number = self._turn
        for _ in self._numbers:
            if len(self.queues[number]) >= self.portion:
                return number
            if number not in ended:
                return None
            number = self._next[number]
        if rest:  # remainders, partition by partition
            return next((number for number in self._numbers if self.queues[number]), None)
        return None
