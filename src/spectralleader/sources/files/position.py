"""Positions: how much of an input has been learned, and what tells that input from others."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import msgspec

from spectralleader.errors import ResumeError
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.byte_stream import PieceStart
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.options import Json
from spectralleader.sources.reader import FilePosition, Whole

# Bytes at the beginning of a file, and before the position, that are compared at most. Reading and
# hashing both takes 0.03 s, and files of up to 16 MiB are compared as a whole.
SAMPLED = 2**23
# Of a document of tokens, only the order of its counts may change.
as_lines = msgspec.json.Encoder(order="sorted").encode_lines
ADVICE = "name the same files in the same order"


class Position(msgspec.Struct, frozen=True):
    """The point in files at which learning resumes.

    The documents before `start` are identified by the bytes of their files, and those after it by a
    digest of their texts.
    """

    kind: Literal["files"]
    offset: Whole  # number of the next document, from 0
    digest: str  # of the documents from `start` on
    digest_before_last: str  # the same without the last document
    start: Whole  # documents before the point at which reading starts
    files: list[FilePosition]  # those up to that point; empty if it is the beginning

    def __post_init__(self) -> None:
        if self.start > self.offset:
            raise ValueError(f"start must be at most {self.offset}, got {self.start}")


class Piece(NamedTuple):
    """A piece of a file as it was read."""

    n_docs: int = 0  # documents before it, in all files
    file: int = 0
    start: PieceStart = PieceStart(0, 1)


class LearnedInput:
    """The documents that were learned: where the piece with the last one begins, and what follows.

    The bytes before that piece are compared by `FilePosition`, and the documents of it by a digest.
    Compressed files, Parquet, other encodings and sorted input are one piece.

    Parameters
    ----------
    names : sequence of str
        The files.
    pieces : deque of Piece
        Pieces that were read; a reader appends to it.
    ends : list of int
        Sizes of the files that were read; a reader appends to it.
    """

    def __init__(self, names: Sequence[str], pieces: deque[Piece], ends: list[int]) -> None:
        self._names, self._pieces, self._ends = names, pieces, ends
        self.n_docs = 0
        self._files = list[FilePosition]()  # those before the piece
        # The last piece whose position was asked for; another thread than the reader's may save.
        self._found: tuple[Piece, FilePosition] | None = None
        self._begin(Piece())

    def _begin(self, piece: Piece) -> None:
        self._piece = piece
        self._digest = hashlib.sha256()
        self._before_last = self._digest.copy()

    def add(self, texts: list[Any]) -> None:
        """Add documents, which are those that follow."""
        end, new = self.n_docs + len(texts), texts
        while self._pieces and self._pieces[0].n_docs < end:
            piece = self._pieces.popleft()
            if piece.n_docs >= self.n_docs:  # else its first documents were not kept
                self._begin(piece)
                new = texts[piece.n_docs - self.n_docs :]
        self._update(new)
        self.n_docs = end

    def _update(self, texts: list[Any]) -> None:
        # The last line may be half written when it is learned, so it has a digest of its own.
        self._digest.update(as_lines(texts[:-1]))
        self._before_last = self._digest.copy()
        self._digest.update(as_lines(texts[-1:]))

    @property
    def position(self) -> Callable[[], Json | None]:
        """A function that returns the position after the documents added so far."""
        digests = self._digest.hexdigest(), self._before_last.hexdigest()
        return partial(self._find_position, self.n_docs, *digests, self._piece)

    def _find_position(
        self, n_docs: int, digest: str, before_last: str, piece: Piece
    ) -> Json | None:
        """Return a position; None in a file that was deleted."""
        try:
            for i in range(len(self._files), piece.file):
                self._files.append(self._place(i, PieceStart(self._ends[i], 1)))
            # Hashed once per piece, though the position is asked for after every block.
            if self._found is None or self._found[0] != piece:
                self._found = piece, self._place(piece.file, piece.start)
            at = self._found[1]
        # Learning goes on without the file; only resuming from it is impossible.
        except OSError:
            return None
        files = [*self._files[: piece.file], at] if piece.file or piece.start.offset else []
        return msgspec.to_builtins(
            Position("files", n_docs, digest, before_last, piece.n_docs, files)
        )

    def _place(self, file: int, start: PieceStart) -> FilePosition:
        with open(self._names[file], "rb") as opened:
            return FilePosition.at(opened, start.offset, start.line - 1, SAMPLED)

    def resume(self, position: Position) -> Piece:
        """Go to the last piece of a position, and return it.

        Raises
        ------
        ValueError
            If the files before it have changed.
        """
        files = position.files
        for i, at in enumerate(files):
            name = self._names[i] if i < len(self._names) else None
            if name is None or not is_in_file(name, at, is_whole=i < len(files) - 1):
                raise ResumeError(
                    f"{name or f'file {i + 1}'} differs from the file that was learned: it has "
                    "changed, is missing or is another one",
                    ADVICE,
                )
        self.n_docs, self._files = position.start, files[:-1]
        self._ends += [at.offset for at in self._files]
        start = PieceStart(files[-1].offset, files[-1].line + 1) if files else PieceStart(0, 1)
        self._begin(Piece(self.n_docs, len(self._files), start))
        return self._piece

    def retrace(
        self, rows: Iterator[TextBlock], position: Position, counted: Callable[[int], None]
    ) -> list[TextBlock]:
        """Read up to a position; return the documents after it that were read, too.

        The last document may differ: a line that is being written may have been incomplete.

        Raises
        ------
        ValueError
            If the documents differ from those that were learned.
        """
        rest: list[TextBlock] = []
        while self.n_docs < position.offset:
            raise_if_interrupted()
            block = next(rows, None)
            if block is None:
                raise ResumeError(
                    f"the input has {self.n_docs:,} documents, but {position.offset:,} were "
                    "learned before: it was truncated or is another one",
                    ADVICE,
                )
            n_known = min(len(block), position.offset - self.n_docs)
            self._update(block.texts[:n_known])
            self.n_docs += n_known
            rest = [block[n_known:]] if n_known < len(block) else []
            counted(self.n_docs)
        is_same = self._before_last.hexdigest() == position.digest_before_last
        if not is_same or (self.n_docs == 1 and not self.has_same_end(position)):
            raise ResumeError(
                f"the first {self.n_docs:,} documents of the input differ from those that were "
                "learned: a file has changed or is another one",
                ADVICE,
            )
        return rest

    def has_same_end(self, position: Position) -> bool:
        """Return whether the last document is the one of a position."""
        return self._digest.hexdigest() == position.digest


def is_in_file(name: str, at: FilePosition, *, is_whole: bool) -> bool:
    """Return whether a file has the same bytes up to a position, and ends there if it is whole."""
    with open(name, "rb") as file:
        return at.is_in(file) and (not is_whole or os.path.getsize(name) == at.offset)
