"""LearnedInput: which documents of files were learned, so that none is skipped or learned twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.byte_stream import PieceStart
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.position import FilePosition, Position

ADVICE = "name the same files in the same order, or start over with --fresh"


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
    sampled : int
        Bytes at both ends of a file that are compared, see `FilePosition`.
    """

    def __init__(
        self, names: Sequence[str], pieces: deque[Piece], ends: list[int], sampled: int
    ) -> None:
        self._names, self._pieces, self._ends, self._sampled = names, pieces, ends, sampled
        self.n_docs = 0
        self._files = list[FilePosition]()  # those before the piece
        self._at: FilePosition | None = None  # of the piece
        self._begin(Piece())

    def _begin(self, piece: Piece) -> None:
        self._piece, self._at = piece, None
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
        self._digest.update(as_bytes(texts[:-1]))
        self._before_last = self._digest.copy()
        self._digest.update(as_bytes(texts[-1:]))

    @property
    def position(self) -> Position:
        """The position after the documents added so far; none of a file that was deleted."""
        digests = self._digest.hexdigest(), self._before_last.hexdigest()
        file, start = self._piece.file, self._piece.start
        try:
            for i in range(len(self._files), file):
                self._files.append(self._place(i, PieceStart(self._ends[i], 1)))
            self._at = self._at or self._place(file, start)
        except OSError:
            return Position(self.n_docs)
        files = (*self._files, self._at) if file or start.offset else ()
        return Position(self.n_docs, *digests, self._piece.n_docs, files)

    def _place(self, file: int, start: PieceStart) -> FilePosition:
        with open(self._names[file], "rb") as opened:
            return FilePosition.at(opened, start.offset, start.line - 1, self._sampled)

    def resume(self, position: Position) -> PieceStart:
        """Go to the last piece of a position; return where it begins in its file.

        Raises
        ------
        ValueError
            If the files before it have changed.
        """
        files = position.files
        for i, at in enumerate(files):
            name = self._names[i] if i < len(self._names) else None
            if name is None or not is_in_file(name, at, is_whole=i < len(files) - 1):
                raise ValueError(
                    f"{name or f'file {i + 1}'} differs from the file that was learned: it has "
                    f"changed, is missing or is another one; {ADVICE}"
                )
        self.n_docs, self._files = position.start, list(files[:-1])
        self._ends += [at.offset for at in files[:-1]]
        start = PieceStart(files[-1].offset, files[-1].line + 1) if files else PieceStart(0, 1)
        self._begin(Piece(self.n_docs, max(0, len(files) - 1), start))
        return start

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
                raise ValueError(
                    f"the input has {self.n_docs:,} documents, but {position.offset:,} were "
                    f"learned before: it was truncated or is another one; {ADVICE}"
                )
            n_known = min(len(block), position.offset - self.n_docs)
            self._update(block.texts[:n_known])
            self.n_docs += n_known
            rest = [block[n_known:]] if n_known < len(block) else []
            counted(self.n_docs)
        is_same = self._before_last.hexdigest() == position.digest_before_last
        if not is_same or (self.n_docs == 1 and not self.has_same_end(position)):
            raise ValueError(
                f"the first {self.n_docs:,} documents of the input differ from those that were "
                f"learned: a file has changed or is another one; {ADVICE}"
            )
        return rest

    def has_same_end(self, position: Position) -> bool:
        """Return whether the last document is the one of a position."""
        return self._digest.hexdigest() == position.digest


def is_in_file(name: str, at: FilePosition, *, is_whole: bool) -> bool:
    """Return whether a file has the same bytes up to a position, and ends there if it is whole."""
    with open(name, "rb") as file:
        return at.is_in(file) and (not is_whole or os.path.getsize(name) == at.offset)


def as_bytes(texts: list[Any]) -> bytes:
    """Return an injective encoding of a list of texts or documents of tokens."""
    texts = [text if type(text) is str else as_json(text) for text in texts]
    return "".join([f"{len(text)}:{text}" for text in texts]).encode("utf-8", "surrogatepass")


def as_json(document: Any) -> str:
    """Return a document of tokens as canonical JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
