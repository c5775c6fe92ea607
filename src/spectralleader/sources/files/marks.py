"""Marks: where in files a pass was, so that another need not read them from the beginning."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from spectralleader.checks.states import take, text, whole

SAMPLED = 2**16  # bytes compared at the beginning of a file, and as many before a place in it


class Start(NamedTuple):
    """Where a piece of a file begins: whole records follow."""

    offset: int  # in bytes
    line: int  # number, from 1


@dataclass(frozen=True)
class Mark:
    """A place in the last of some files, and a digest of samples of all of them up to there."""

    n_docs: int  # documents before it
    offset: int  # in bytes
    line: int  # number, from 1
    ends: tuple[int, ...]  # bytes of the files before it, and of the last one up to it
    digest: str

    @classmethod
    def at(cls, n_docs: int, start: Start, names: Sequence[str], before: Sequence[int]) -> Mark:
        """Return a mark in the file after those that end at `before`."""
        ends = (*before, start.offset)
        return cls(n_docs, *start, ends, digest_samples(names, ends))

    @property
    def n_bytes(self) -> int:
        """Bytes before it, in all files."""
        return sum(self.ends)

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether files are, as far as samples show, those that the mark was made of.

        Only the last one may have grown. A byte changed far from its beginning and from the mark
        goes unnoticed.
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
        """Rebuild what `to_state` described, checked."""
        n_docs, offset, line = (whole(state, name) for name in ("n_docs", "offset", "line"))
        ends = take(state, "ends")
        if type(ends) is not list or not all(type(end) is int and end >= 0 for end in ends):
            raise ValueError("ends must be a list of integers from 0 on")
        if not ends or ends[-1] != offset:
            raise ValueError("the last of the ends must be the offset")
        return cls(n_docs, offset, line, tuple(ends), text(state, "digest"))


class Trail:
    """The latest pieces that documents came from: enough of them to mark a recent document."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, int, Start]] = deque()  # documents before, file, where

    def add(self, n_docs: int, file: int, start: Start) -> None:
        """Note a piece, with the number of documents before it."""
        self._pieces.append((n_docs, file, start))

    def forget(self, n_docs: int) -> None:
        """Forget pieces that no document from this one on needs."""
        while len(self._pieces) > 1 and self._pieces[1][0] <= n_docs:
            self._pieces.popleft()

    def find(self, n_docs: int) -> tuple[int, int, Start] | None:
        """Return the last piece that begins before so many documents or there."""
        return next((piece for piece in reversed(self._pieces) if piece[0] <= n_docs), None)


def digest_samples(names: Sequence[str], ends: Sequence[int]) -> str:
    """Return a digest of the beginning of each file, and of what stands before its end."""
    digest = hashlib.sha256(repr(list(ends)).encode())
    for name, end in zip(names, ends, strict=False):
        with open(name, "rb") as file:
            digest.update(file.read(min(SAMPLED, end)))
            file.seek(max(0, end - SAMPLED))
            digest.update(file.read(min(SAMPLED, end)))
    return digest.hexdigest()
