"""LiveReader: messages in, blocks of text out, each with the position after it."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from spectralleader.runtime.interrupts import look
from spectralleader.sources.files.columns import Columns, Wish
from spectralleader.sources.files.problems import Problems
from spectralleader.sources.files.text_block import TextBlock, join, message_block
from spectralleader.sources.live.decoding import Decoder, Shape, guess_shape, read_position
from spectralleader.sources.live.protocol import Json, LiveSource, Message, Say

N_SAMPLE = 100  # messages looked at to guess the columns


class LiveReader(Iterator[TextBlock]):
    """An iterator of blocks of a live source; made by `open_source`.

    A block has exactly `size` documents, whenever they came: where a run is killed and resumed does
    not change the blocks. Only a source that is not followed ends with a smaller one, unless the
    reader is eager.

    Parameters
    ----------
    source : LiveSource
        Not yet opened.
    kind, name : str
        Of the source: the first as stored with positions, the second for people.
    wish : Wish
        Which columns to read.
    size : int
        Documents per block.
    follow : bool
        Whether to wait for more at the end.
    strict : bool
        Raise at the first bad message instead of counting it.
    eager : bool
        Hand out a smaller block rather than wait for it to be full.
    say : callable
        Takes a line for the user.
    """

    def __init__(
        self,
        source: LiveSource,
        kind: str,
        name: str,
        wish: Wish,
        *,
        size: int = 100,
        follow: bool = True,
        strict: bool = False,
        eager: bool = False,
        say: Say = lambda line: None,
    ) -> None:
        if size < 1:
            raise ValueError(f"block must be at least 1, got {size}")
        self.names = (name,)
        self.problems = Problems([name], strict=strict)
        self.guesses: tuple[str, ...] = ()
        self.kind = kind
        self.position: Json | None = None  # after the last block handed out
        self.is_started = False
        self._source, self._wish, self._size = source, wish, size
        self._follow, self._strict, self._say = follow, strict, say
        self._eager = eager
        self._shape: Shape | None = None
        self._decoder: Decoder | None = None
        self._waiting: list[TextBlock] = []  # of the next block
        self._sampled: list[Message] = []  # taken to guess the columns, not decoded yet
        self._sampled_position: Json = None
        self._sampled_at_end = False

    @property
    def columns(self) -> Columns:
        """The columns that are read; waits for the first messages if they must be guessed."""
        if not self.is_started:
            self.start(None)
        return Columns(("text",)) if self._shape is None else self._shape.columns

    def start(self, position: Json | None) -> None:
        """Connect, and go on after a position; None is the first start.

        Raises
        ------
        ValueError
            If the source cannot be reached, or the position is not one in it.
        """
        self.is_started = True
        at = None
        if position is not None:
            at, shape = read_position(position, self.kind)
            self._choose(self._agreed(shape))
        opened = self._source.open(at)
        if self._shape is None:
            self._guess(opened)
        else:
            self.position = self._wrap(opened)

    def _agreed(self, stored: Shape) -> Shape:
        """Return a stored shape with the columns that the caller names now."""
        wish, columns = self._wish, stored.columns
        if wish.text or wish.tokens:
            named = wish.tokens or wish.text or ()
            names = (named,) if isinstance(named, str) else tuple(named)
            columns = columns._replace(text=names)
        if wish.tokens == "":
            columns = columns._replace(tokens=False)
        columns = columns._replace(keep=tuple(wish.keep))
        return stored._replace(columns=columns)

    def _guess(self, opened: Json) -> None:
        """Take the first messages and choose the columns by them."""
        self._sampled_position = opened
        wanted = min(self._size, N_SAMPLE)
        while len(self._sampled) < wanted and not self._sampled_at_end:
            look()
            taken = self._source.take(wanted - len(self._sampled))
            self._sampled += taken.messages
            self._sampled_position = taken.position
            # a followed source has something to guess from once a portion came
            self._sampled_at_end = taken.at_end and (bool(self._sampled) or not self._follow)
        if self._sampled:
            shape, guesses = guess_shape(self._sampled, self._wish, self.names[0])
            self.guesses = tuple(guesses)
            self._choose(shape)
            self.position = self._wrap(opened)

    def _choose(self, shape: Shape) -> None:
        self._shape = shape
        self._decoder = Decoder(shape, self.names[0], self.problems)

    def _wrap(self, at: Json) -> Json:
        """Return a source's position with all that is needed to resume."""
        shape = None if self._shape is None else self._shape.to_state()
        return {"kind": self.kind, "at": at, "read": shape}

    def __next__(self) -> TextBlock:
        while not len(block := self.next_or_idle()):
            pass
        return block

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or one without documents if it is not complete yet.

        Raises
        ------
        StopIteration
            At the end of a source that is not followed.
        """
        if not self.is_started:
            self.start(None)
        missing = self._size - sum(map(len, self._waiting))
        messages, position, at_end = self._take(missing)
        look()
        if self._decoder is None:  # no message at all, and not followed
            raise StopIteration
        if messages:
            self._waiting.append(self._decoder.block(messages))
            self._pending = self._wrap(position)
        n = sum(map(len, self._waiting))
        ends = at_end and not messages and (not self._follow or (self._eager and n > 0))
        if n < self._size and not ends:
            return message_block([], None, None, [], self.names[0])
        if not n:
            raise StopIteration
        block, self._waiting = join(self._waiting), []
        self.position = self._pending
        return block.at(self.position)

    def _take(self, n: int) -> tuple[list[Message], Json, bool]:
        """Return as many of the next n messages as there are: decoding many at once is faster."""
        if self._sampled:
            messages, self._sampled = self._sampled, []
            return messages, self._sampled_position, self._sampled_at_end
        messages, position, at_end = self._source.take(n)
        while messages and len(messages) < n and not at_end:
            more, position, at_end = self._source.take(n - len(messages))
            if not more:
                break
            messages += more
        return messages, position, at_end

    def describe(self) -> str:
        """Return how far behind the end of the stream it is, in words."""
        return self._source.describe() if self.is_started else "not yet connected"

    def close(self) -> None:
        """Disconnect."""
        self._source.close()

    def __enter__(self) -> LiveReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
