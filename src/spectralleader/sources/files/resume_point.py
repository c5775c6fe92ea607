"""Marks: positions in files, so that a resumed pass need not read them from the beginning."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from spectralleader.checks.states import take, text, whole

SAMPLED = 2**16  # bytes compared at the beginning of a file, and before the marked position


class Start(NamedTuple):
    """The start of a piece of a file, at the beginning of a record."""

    offset: int  # in bytes
    line: int  # number of the line, from 1


@dataclass(frozen=True)
class Mark:
    """A position in the last of several files, with a digest of samples of all of them."""

    n_docs: int  # documents before it
    offset: int  # in bytes
    line: int  # number of the line, from 1
    ends: tuple[int, ...]  # sizes of the files before it, and its offset in the last one
    digest: str

    @classmethod
    def at(cls, n_docs: int, start: Start, names: Sequence[str], before: Sequence[int]) -> Mark:
        """Return a mark in the file after those with the sizes `before`."""
        ends = (*before, start.offset)
        return cls(n_docs, *start, ends, digest_samples(names, ends))

    @property
    def n_bytes(self) -> int:
        """Number of bytes before the mark, in all files."""
        return sum(self.ends)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether the samples show that the files are the same as when the mark was made.

        Only the last one may have grown. A change that is far from both the beginning of a file and
        the mark goes unnoticed.
        """
        last = len(self.ends) - 1
        try:
            sizes = [os.path.getsize(name) for name in names[: last + 1]]
            if len(sizes) <= last or sizes[:last] != list(self.ends[:last]):
                return False
            return sizes[last] >= self.offset and digest_samples(names, self.ends) == self.digest
        except OSError:
            return False

    def to_state(self) -> dict[str, Any]:
        """Return the mark as plain values."""
        return asdict(self) | {"ends": list(self.ends)}

    @classmethod
    def from_state(cls, state: Any) -> Mark:
        """Return the mark that `to_state` described, after validation."""
        n_docs, offset, line = (whole(state, name) for name in ("n_docs", "offset", "line"))
        ends = take(state, "ends")
        if type(ends) is not list or not all(type(end) is int and end >= 0 for end in ends):
            raise ValueError("ends must be a list of non-negative integers")
        if not ends or ends[-1] != offset:
            raise ValueError("the last of the ends must be the offset")
        return cls(n_docs, offset, line, tuple(ends), text(state, "digest"))


class Trail:
    """The latest pieces that were read: enough of them to make a mark at a recent document."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, int, Start]] = deque()  # documents before, file, start

    def add(self, n_docs: int, file: int, start: Start) -> None:
        """Record a piece, with the number of documents before it."""
        self._pieces.append((n_docs, file, start))

    def forget(self, n_docs: int) -> None:
        """Drop the pieces that are only needed for documents before this one."""
        while len(self._pieces) > 1 and self._pieces[1][0] <= n_docs:
            self._pieces.popleft()

    def find(self, n_docs: int) -> tuple[int, int, Start] | None:
        """Return the last piece that begins at or before document `n_docs`."""
        return next((piece for piece in reversed(self._pieces) if piece[0] <= n_docs), None)


def digest_samples(names: Sequence[str], ends: Sequence[int]) -> str:
    """Return a digest of `SAMPLED` bytes at the beginning and before the end of each file."""
    digest = hashlib.sha256(repr(list(ends)).encode())
    for name, end in zip(names, ends, strict=False):
        with open(name, "rb") as file:
            digest.update(file.read(min(SAMPLED, end)))
            file.seek(max(0, end - SAMPLED))
            digest.update(file.read(min(SAMPLED, end)))
    return digest.hexdigest()
