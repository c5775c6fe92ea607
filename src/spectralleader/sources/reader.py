"""Reader: the protocol of all sources of documents, and the positions at which they resume."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from time import monotonic
from typing import IO, TYPE_CHECKING, Annotated, Any, NamedTuple, Self, TypeVar

import msgspec

from spectralleader.sources.options import Json, SourceOptions

# Brokers import this for their positions, also for the help of the command line, without NumPy.
if TYPE_CHECKING:
    from spectralleader.sources.files.columns import Columns
    from spectralleader.sources.files.problems import Problems
    from spectralleader.sources.files.text_block import TextBlock

Whole = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]  # sizes, counts, and times in ns
Position = TypeVar("Position", bound=msgspec.Struct)


def check_position(kind: type[Position], position: Json) -> Position:
    """Return a position as a `msgspec.Struct`; raise `ValueError` if it is invalid."""
    try:
        return msgspec.convert(position, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"the position in the source is invalid: {error}") from error


class FilePosition(msgspec.Struct, frozen=True):
    """A position in a file that is read as it is, with digests of bytes that tell it from others.

    A change that is far from both the beginning of the file and the position goes unnoticed.
    """

    offset: Whole  # bytes before it
    line: Whole  # lines before it
    digest: str  # of the first bytes of the file, and of the last ones before the position
    # At most as many bytes are in each of these parts: it bounds the memory of comparing them.
    sampled: Annotated[int, msgspec.Meta(ge=0, le=2**23)]

    @classmethod
    def at(cls, file: IO[bytes], offset: int, line: int, sampled: int) -> FilePosition:
        """Return a position in an open file."""
        return cls(offset, line, digest_of(*read_ends(file, offset, sampled)), sampled)

    def is_in(self, file: IO[bytes]) -> bool:
        """Return whether an open file has the same bytes before the position."""
        return digest_of(*read_ends(file, self.offset, self.sampled)) == self.digest


def read_ends(file: IO[bytes], offset: int, sampled: int) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and the last ones before an offset."""
    size = min(sampled, offset)
    file.seek(0)
    head = file.read(size)
    file.seek(offset - size)
    return head, file.read(size)


def digest_of(head: bytes, tail: bytes) -> str:
    """Return the SHA-256 of the first and the last bytes."""
    return hashlib.sha256(head + tail).hexdigest()


class Lag(NamedTuple):
    """How far learning is behind the end of a source.

    Examples
    --------
    >>> str(Lag(1200, "messages")), str(Lag(2.5, "s")), str(Lag(0, "files"))
    ('1,200 messages behind', '2.5 s behind', 'up to date')
    """

    number: float
    unit: str

    def __str__(self) -> str:
        digits = 1 if self.unit == "s" else 0
        return f"{self.number:,.{digits}f} {self.unit} behind" if self.number > 0 else "up to date"


class Reader(Iterator["TextBlock"]):
    """An iterator over the blocks of a source, each with the position after it.

    A position is plain JSON with the `kind` of its source. A reader that is opened at a position
    returns what follows it, whatever the sizes of blocks were.
    """

    kind: str  # of source; stored with positions
    names: tuple[str, ...]  # of its files or its stream, for messages
    columns: Columns  # that are read; of a live source, known once it is open
    guesses: tuple[str, ...] = ()  # descriptions of what was guessed
    problems: Problems  # found so far
    at: Any = None  # position after the last block returned: JSON, or a function that returns it
    # Whether the start needs no position: without one, reading begins at the same document again.
    starts_alike = True
    n_reconnects = 0  # how often its broker could be reached again

    _options: SourceOptions
    _is_open = False
    _end: float | None = None  # time after which reading stops

    @property
    def position(self) -> Json | None:
        """The position after the last block returned; None if it cannot be resumed from."""
        return self.at() if callable(self.at) else self.at

    def open(self, position: Json | None) -> None:
        """Resume from a position, or start if it is None.

        Raises
        ------
        ValueError
            If the source cannot be reached, or the position is not in it.
        """
        raise NotImplementedError

    def open_once(self) -> None:
        """Start, unless it was opened."""
        if not self._is_open:
            self.open(None)

    @property
    def is_over(self) -> bool:
        """Whether the time for reading is over, which begins when this is asked first."""
        self._end = self._end or monotonic() + self._options.seconds
        return monotonic() > self._end

    def catch_up(self, counted: Callable[[int], None]) -> None:
        """Read up to the position, if `open` could not jump there.

        `counted` is called with the number of documents that were read again.

        Raises
        ------
        ValueError
            If they differ from those that were learned.
        """

    def __next__(self) -> TextBlock:
        while not len(block := self.next_or_idle()):
            pass
        return block

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if there is none yet.

        Raises
        ------
        StopIteration
            At the end of a source that is not followed.
        """
        raise NotImplementedError

    def lag(self) -> Lag | None:
        """Return how far the last block is behind the end; None if that is unknown."""
        return None

    def describe(self) -> str:
        """Return where reading is, for a message."""
        return str(self.lag() or "the lag is unknown")

    def tell(self, position: Json) -> None:
        """Send a saved position to a broker that shows it to monitors."""

    def close(self) -> None:
        """Close what is read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
