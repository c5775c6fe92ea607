"""Turns: in which order the messages of several partitions come, by their offsets alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from spectralleader.sources.live.protocol import Json

MOST_USED = 10_000  # messages handed out that a queue may keep


class Queue:
    """Messages of one partition that were fetched, in order."""

    def __init__(self) -> None:
        self._offsets: list[int] = []
        self._payloads: list[bytes] = []
        self._n_used = 0
        self.n_bytes = 0  # of the payloads that are left

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
        """Remove the first n messages."""
        which = slice(self._n_used, self._n_used + n)
        found = self._offsets[which], self._payloads[which]
        self._n_used += n
        self.n_bytes -= sum(map(len, found[1]))
        if self._n_used > MOST_USED or not len(self):
            del self._offsets[: self._n_used], self._payloads[: self._n_used]
            self._n_used = 0
        return found


class Place(NamedTuple):
    """Whose turn it is, and where every partition is."""

    offsets: dict[int, int]  # of the next message of each partition
    turn: int
    n_taken: int = 0  # of its portion

    def to_state(self) -> Json:
        """Return it as plain JSON."""
        offsets = {str(number): offset for number, offset in self.offsets.items()}
        return {"offsets": offsets, "turn": self.turn, "taken": self.n_taken}


class Stretch(NamedTuple):
    """Messages of one partition that come one after another."""

    number: int  # of the partition
    first: int  # messages taken before it
    offsets: list[int]
    is_portion: bool
    n_taken: int  # of the portion, before it
    after: tuple[int, int]  # whose turn it is after it, and how much of that portion is taken


class Path:
    """The places that stretches lead through, asked for from the first to the last."""

    def __init__(self, start: Place, stretches: list[Stretch]) -> None:
        self._offsets, self._turn = dict(start.offsets), (start.turn, start.n_taken)
        self._stretches, self._n_passed = stretches, 0

    def after(self, n: int) -> Place:
        """Return the place after n messages, no fewer than the last time."""
        turn = self._turn
        while self._n_passed < len(self._stretches):
            stretch = self._stretches[self._n_passed]
            size = n - stretch.first
            if size <= 0:
                break
            is_over = size >= len(stretch.offsets)
            self._offsets[stretch.number] = stretch.offsets[-1 if is_over else size - 1] + 1
            turn = stretch.after
            if not is_over:
                if stretch.is_portion:
                    turn = (stretch.number, stretch.n_taken + size)
                break
            self._turn = turn
            self._n_passed += 1
        return Place(dict(self._offsets), *turn)


class Turns:
    """Partitions take turns: each hands out a portion of messages, then the next one does.

    A partition that does not have a whole portion yet is passed over, once its end was reached. So
    the order depends on the offsets alone wherever messages are there before they are read.

    Parameters
    ----------
    place : Place
        Where to begin.
    portion : int
        Messages that a partition hands out when it is its turn.
    """

    def __init__(self, place: Place, portion: int) -> None:
        self.portion = portion
        self._offsets, self._turn, self._n_taken = dict(place.offsets), place.turn, place.n_taken
        self._numbers = sorted(place.offsets)
        self._next = dict(zip(self._numbers, [*self._numbers[1:], self._numbers[0]], strict=True))
        self.queues = {number: Queue() for number in self._numbers}

    @property
    def place(self) -> Place:
        """After all messages that were taken."""
        return Place(dict(self._offsets), self._turn, self._n_taken)

    def take(
        self, n: int, ended: Collection[int], *, rest: bool
    ) -> tuple[list[str], list[bytes], Callable[[int], Place]]:
        """Return up to n of the next messages with their ids, and the place after so many of them.

        What fills no portion comes if `rest` is true and all partitions have ended.
        """
        ids: list[str] = []
        payloads: list[bytes] = []
        stretches: list[Stretch] = []
        start = self.place
        while len(ids) < n and (number := self._choose(ended, rest=rest)) is not None:
            stretch, found = self._take_stretch(number, n - len(ids), len(ids))
            stretches.append(stretch)
            name = f"{number}:"
            ids += [name + str(offset) for offset in stretch.offsets]
            payloads += found
        return ids, payloads, Path(start, stretches).after

    def _take_stretch(self, number: int, n: int, first: int) -> tuple[Stretch, list[bytes]]:
        queue, before = self.queues[number], self._n_taken
        is_portion = before + len(queue) >= self.portion
        offsets, payloads = queue.take(min(n, self.portion - before, len(queue)))
        self._offsets[number] = offsets[-1] + 1
        self._turn, self._n_taken = number, before + len(offsets)
        # what is left at the end is no portion, and begins none
        if self._n_taken >= self.portion or not is_portion:
            self._turn, self._n_taken = self._next[number], 0
        after = (self._turn, self._n_taken)
        return Stretch(number, first, offsets, is_portion, before, after), payloads

    def _choose(self, ended: Collection[int], *, rest: bool) -> int | None:
        """Return the partition whose turn it is, None if more must be fetched to know."""
        if self._n_taken:  # its portion was whole when it began
            if self.queues[self._turn]:
                return self._turn
            if self._turn not in ended:
                return None
            self._turn, self._n_taken = self._next[self._turn], 0  # the rest was deleted since
        number = self._turn
        for _ in self._numbers:
            if len(self.queues[number]) >= self.portion:
                return number
            if number not in ended:
                return None
            number = self._next[number]
        if rest:  # partition by partition
            return next((number for number in self._numbers if self.queues[number]), None)
        return None
