"""ResumePoint: a position in files, so that a resumed pass need not read them from the start."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from spectralleader.checks.states import take, text, whole

SAMPLED = 2**16  # bytes compared at the beginning of a file, and before the marked position


class PieceStart(NamedTuple):
    """The start of a piece of a file, at the beginning of a record."""

    offset: int  # in bytes
    line: int  # number of the line, from 1


@dataclass(frozen=True)
class ResumePoint:
    """A position in the last of several files, with a digest of samples of all of them."""

    n_docs: int  # documents before it
    offset: int  # in bytes
    line: int  # number of the line, from 1
    ends: tuple[int, ...]  # sizes of the files before it, and its offset in the last one
    digest: str

    @classmethod
    def at(
        cls, n_docs: int, start: PieceStart, names: Sequence[str], before: Sequence[int]
    ) -> ResumePoint:
        """Return a resume point in the file after those with the sizes `before`."""
        ends = (*before, start.offset)
        return cls(n_docs, *start, ends, digest_samples(names, ends))

    @property
    def n_bytes(self) -> int:
        """Number of bytes before it, in all files."""
        return sum(self.ends)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether the samples show that the files are the same as when it was made.

        Only the last one may have grown. A change that is far from both the beginning of a file and
        the resume point goes unnoticed.
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
        """Return it as plain values."""
        return asdict(self) | {"ends": list(self.ends)}

    @classmethod
    def from_state(cls, state: Any) -> ResumePoint:
        """Return the resume point that `to_state` described, after validation."""
        n_docs, offset, line = (whole(state, name) for name in ("n_docs", "offset", "line"))
        ends = take(state, "ends")
        if type(ends) is not list or not all(type(end) is int and end >= 0 for end in ends):
            raise ValueError("ends must be a list of non-negative integers")
        if not ends or ends[-1] != offset:
            raise ValueError("the last of the ends must be the offset")
        return cls(n_docs, offset, line, tuple(ends), text(state, "digest"))


class RecentPieces:
    """The latest pieces that were read: enough to make a resume point at a recent document."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, int, PieceStart]] = deque()  # documents before, file, start

    def add(self, n_docs: int, file: int, start: PieceStart) -> None:
        """Record a piece, with the number of documents before it."""
        self._pieces.append((n_docs, file, start))

    def forget(self, n_docs: int) -> None:
        """Drop the pieces that are only needed for documents before this one."""
        while len(self._pieces) > 1 and self._pieces[1][0] <= n_docs:
            self._pieces.popleft()

    def find(self, n_docs: int) -> tuple[int, int, PieceStart] | None:
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
