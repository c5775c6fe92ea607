"""LiveReader: messages in, blocks of text out, each with the position after it."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from types import TracebackType

from spectralleader.runtime.interrupts import look
from spectralleader.sources.files.columns import Columns, Wish
from spectralleader.sources.files.problems import BROKEN_JSON, Problems
from spectralleader.sources.files.text_block import TextBlock, join, message_block
from spectralleader.sources.live.ahead import Ahead, collecting_later
from spectralleader.sources.live.decoding import (
    Decoder,
    Shape,
    guess_shape,
    is_hopeless,
    read_position,
)
from spectralleader.sources.live.protocol import Json, LiveSource, Say, Taken, Watched

N_SAMPLE = 100  # messages looked at to guess the columns
N_AHEAD = 5000  # messages taken and decoded at once, which is faster than a block at a time
WAIT = 1.0  # seconds that a block which is not full waits for more at the end of the stream


class LiveReader(Iterator[TextBlock]):
    """An iterator of blocks of a live source; made by `open_source`.

    A block has exactly `size` documents wherever these are there when they are read: where a run
    is killed and resumed does not change the blocks. At the end of the stream a block that is not
    full waits for more, for `wait` seconds after the block before it, then it comes as it is. A
    source that is not followed ends with it.

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
    say : callable
        Takes a line for the user.
    wait : float
        Seconds that a block which is not full waits at the end of a stream that is followed.

    Attributes
    ----------
    starts_alike : bool
        Whether it begins at the same place whenever it is begun, which then need not be saved.
    """

    starts_alike = False

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
        say: Say = lambda line: None,
        wait: float = WAIT,
    ) -> None:
        if size < 1:
            raise ValueError(f"block must be at least 1, got {size}")
        if not wait >= 0:
            raise ValueError(f"wait must be seconds, 0 or more, got {wait}")
        self.names = (name,)
        self.problems = Problems([name], strict=strict)
        self.guesses: tuple[str, ...] = ()
        self.kind = kind
        self.position: Json | None = None  # after the last block handed out
        self.is_started = False
        self._source, self._wish, self._size = source, wish, size
        self._follow, self._say, self._wait = follow, say, wait
        self._is_strict = strict
        self._shape: Shape | None = None
        self._read: dict[str, Json] = {}  # the same as plain JSON
        self._decoder: Decoder | None = None
        self._waiting: list[TextBlock] = []  # of the next block
        self._n_waiting = 0
        self._pending: Json = None  # the position after these
        self._ahead = Ahead()
        self._sampled: Taken | None = None  # to guess the columns, not decoded yet
        self._last = monotonic()  # when a block was handed out

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
        taken = Taken([], [], lambda n: opened)
        while not taken.ids and not (taken.at_end and not self._follow):
            look()
            taken = self._source.take(N_SAMPLE, rest=self._is_overdue)
            if taken.ids and is_hopeless(taken.payloads):
                self._report([(BROKEN_JSON, id, "") for id in taken.ids])
                taken = Taken([], [], taken.after, taken.at_end)
        if taken.ids:
            self._sampled = taken
            shape, guesses = guess_shape(taken.payloads, self._wish, self.names[0])
            self.guesses = tuple(guesses)
            self._choose(shape)
            self.position = self._wrap(opened)

    def _choose(self, shape: Shape) -> None:
        self._shape, self._read = shape, shape.to_state()
        self._decoder = Decoder(shape, self.names[0])

    def _wrap(self, at: Json) -> Json:
        """Return a source's position with all that is needed to resume."""
        return {"kind": self.kind, "at": at, "read": dict(self._read)}

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
        taken = None if self._ahead.n_docs else self._take()
        look()
        if self._decoder is None:  # no message at all, and not followed
            raise StopIteration
        self._fill()
        is_at_end = taken is not None and taken.at_end and not self._ahead.n_docs
        if is_at_end and self._is_overdue:
            self._pass_bad()
            if not self._n_waiting and not self._follow:
                raise StopIteration
        elif self._n_waiting < self._size:
            return self._nothing
        if not self._n_waiting:
            return self._nothing
        block, self._waiting, self._n_waiting = join(self._waiting), [], 0
        self.position, self._last = self._pending, monotonic()
        return block.at(self.position)

    @property
    def _nothing(self) -> TextBlock:
        return message_block([], None, None, [], self.names[0])

    @property
    def _is_overdue(self) -> bool:
        """Whether a block that is not full has waited long enough, if the stream has no more."""
        return not self._follow or monotonic() - self._last >= self._wait

    def _take(self) -> Taken:
        """Take the next messages and decode them."""
        taken, self._sampled = self._sampled, None
        with collecting_later():
            if taken is None:
                taken = self._source.take(N_AHEAD, rest=self._is_overdue)
            if not taken.ids or self._decoder is None:
                return taken
            decoded = self._decoder.decode(taken.ids, taken.payloads)
        self._report(self._ahead.finish())
        self._ahead = Ahead(taken._replace(payloads=[]), decoded)
        return taken

    def _pass_bad(self) -> None:
        """Report bad messages at the end of the stream; the last block counts them as read."""
        self._report(self._ahead.finish())
        if self._n_waiting and not self._follow:
            self._pending = self._wrap(self._ahead.after())

    def _fill(self) -> None:
        """Move documents to the next block, as many as it lacks."""
        n = min(self._size - self._n_waiting, self._ahead.n_docs)
        if n:
            self._report(self._ahead.problems_of(n))
            block, at = self._ahead.take(n)
            self._waiting.append(block)
            self._n_waiting += n
            self._pending = self._wrap(at)

    def _report(self, bad: list[tuple[str, str, str]]) -> None:
        for kind, id, detail in bad:
            if kind not in self.problems.counts and not self._is_strict:
                self._say(f"{self.names[0]} message {id}: {kind}; from now on such are counted")
            self.problems.add_at(kind, f"{self.names[0]} message {id}", detail)

    def describe(self) -> str:
        """Return how far behind the end of the stream it is, in words."""
        if not self.is_started:
            return "not yet connected"
        if self.position is None:
            return "nothing there yet"
        return self._source.describe(self.position["at"])

    def tell(self, position: Json) -> None:
        """Tell a broker that keeps such things of a position that was saved."""
        if isinstance(self._source, Watched) and position is not None:
            self._source.tell(position["at"])

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
