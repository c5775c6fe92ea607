"""LiveReader: an iterator over blocks of a live source, each with the position after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import monotonic

from msgspec import structs

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import BROKEN_JSON, Problems
from spectralleader.sources.files.text_block import Blocks, TextBlock, join
from spectralleader.sources.live.decoding import (
    DecodedBatch,
    MessageFormat,
    Problem,
    are_all_invalid,
    decode_messages,
    guess_format,
    read_position,
)
from spectralleader.sources.live.protocol import Json, LiveSource, MessageBatch, Watched
from spectralleader.sources.options import SourceOptions

N_SAMPLE = 100  # messages examined to guess the columns
N_AHEAD = 5000  # messages decoded at once: faster than block by block
NOTHING = TextBlock.of([])


class LiveBlocks(Blocks):
    """An iterator over blocks of a live source, which starts at a position.

    Parameters
    ----------
    kind, name : str
        The kind that is stored with positions, and the name for messages.
    options : SourceOptions
        The columns to read, and what happens at the end of the stream and at invalid messages.
    """

    guesses: tuple[str, ...] = ()  # descriptions of what was guessed
    position: Json | None = None  # after the last block returned
    # Whether a new start always begins at the same message, so that the initial position need not
    # be saved.
    starts_alike = False
    _is_started = False

    def __init__(self, kind: str, name: str, options: SourceOptions) -> None:
        self.kind, self.names = kind, (name,)
        self.problems = Problems(self.names, strict=options.strict)
        self._options = options
        self._columns: Columns | None = None

    @property
    def columns(self) -> Columns:
        """The columns that are read; waits for the first documents if they must be guessed."""
        self._start_once()
        return self._columns or Columns(("text",))

    def start(self, position: Json | None) -> None:
        """Connect, and resume from a position, or start if it is None.

        Raises
        ------
        ValueError
            If the source cannot be reached, or the position does not exist in it.
        """
        self._is_started = True

    def _start_once(self) -> None:
        if not self._is_started:
            self.start(None)

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

    def describe(self) -> str:
        """Return the lag behind the end of the stream, in words."""
        raise NotImplementedError


class LiveReader(LiveBlocks):
    """An iterator over blocks of messages, created by `open_source`.

    While the stream has enough messages, a block is full, so that the blocks
    do not depend on where a run is killed and resumed. At the end of a followed stream, an
    incomplete block is returned some seconds after the previous one. A source that is not
    followed ends with it.
    """

    def __init__(self, source: LiveSource, kind: str, name: str, options: SourceOptions) -> None:
        super().__init__(kind, name, options)
        self._source = source  # not opened yet
        self._format: MessageFormat | None = None
        self._waiting: list[TextBlock] = []  # parts of the next block
        self._n_waiting = 0
        self._pending: Json = None  # the position after these parts
        self._decoded = DecodedBatch(NOTHING, [], MessageBatch([], [], lambda n: None))
        self._sampled: MessageBatch | None = None  # messages fetched to guess the columns
        self._last = monotonic()  # time of the last block

    def start(self, position: Json | None) -> None:
        """Connect, and resume from a position, or start if it is None."""
        super().start(position)
        at = None
        if position is not None:
            at, stored = read_position(position, self.kind)
            self._use(self._agreed(stored))
        opened = self._source.open(at)
        if self._format is None:
            self._guess(opened)
        else:
            self.position = self._wrap(opened)

    def _use(self, format: MessageFormat) -> None:
        self._format, self._columns = format, format.columns

    def _agreed(self, stored: MessageFormat) -> MessageFormat:
        """Return a stored format updated with the columns that the caller names now."""
        options, columns = self._options, stored.columns
        columns = structs.replace(
            columns,
            text=options.named or columns.text,
            tokens=columns.tokens and options.tokens != "",
            keep=tuple(options.keep),
        )
        return structs.replace(stored, columns=columns)

    def _guess(self, opened: Json) -> None:
        """Fetch the first messages and infer their format."""
        messages = MessageBatch([], [], lambda n: opened)
        while not messages.ids and (self._options.waits or not messages.at_end):
            raise_if_interrupted()
            messages = self._source.take(N_SAMPLE)
            if messages.ids and are_all_invalid(messages.payloads):
                self._report(Problem(0, id, BROKEN_JSON) for id in messages.ids)
                messages = messages._replace(ids=[])
        if messages.ids:
            self._sampled = messages
            format, guesses = guess_format(messages.payloads, self._options, self.names[0])
            self._use(format)
            self.guesses = tuple(guesses)
            self.position = self._wrap(opened)

    def _wrap(self, at: Json) -> Json:
        """Return the source's position with the kind and format needed to resume."""
        return {"kind": self.kind, "at": at, "read": self._format and self._format.to_state()}

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if it is not complete yet."""
        self._start_once()
        is_at_end = not self._decoded.n_docs and self._take()
        raise_if_interrupted()
        if self._format is None:  # no message at all, and not followed
            raise StopIteration
        self._fill()
        if is_at_end and not self._decoded.n_docs and self._is_overdue:
            self._pass_bad()
            if not self._n_waiting and not self._options.waits:
                raise StopIteration
        elif self._n_waiting < self._options.block:
            return NOTHING
        if not self._n_waiting:
            return NOTHING
        block, self._waiting, self._n_waiting = join(self._waiting), [], 0
        self.position, self._last = self._pending, monotonic()
        return replace(block, position=self.position)

    @property
    def _is_overdue(self) -> bool:
        """Whether an incomplete block is due, provided that the stream has no more messages."""
        return not self._options.waits or monotonic() - self._last >= self._options.wait

    def _take(self) -> bool:
        """Fetch the next messages and decode them; return whether the stream has no more."""
        # The messages that were guessed from are learned, too.
        messages, self._sampled = self._sampled or self._source.take(N_AHEAD), None
        if messages.ids and self._format is not None:
            self._report(self._decoded.finish()[1])
            self._decoded = decode_messages(self._format, self.names[0], messages)
        return messages.at_end

    def _pass_bad(self) -> None:
        """Report invalid messages at the end of the stream; the last position includes them."""
        at, problems = self._decoded.finish()
        self._report(problems)
        if self._n_waiting and not self._options.waits:
            self._pending = self._wrap(at)

    def _fill(self) -> None:
        """Move as many documents to the next block as it lacks."""
        n = min(self._options.block - self._n_waiting, self._decoded.n_docs)
        if n:
            block, at, problems = self._decoded.take(n)
            self._report(problems)
            self._waiting.append(block)
            self._n_waiting += n
            self._pending = self._wrap(at)

    def _report(self, problems: Iterable[Problem]) -> None:
        for _, id, kind, detail in problems:
            place = f"{self.names[0]} message {id}"
            if kind not in self.problems.counts and not self._options.strict:
                self._options.say(f"{place}: {kind}; further ones are only counted")
            self.problems.add_at(kind, place, detail)

    def describe(self) -> str:
        """Return the lag behind the end of the stream, in words."""
        if not self._is_started:
            return "not yet connected"
        if self.position is None:
            return "no messages yet"
        return self._source.describe(self.position["at"])

    def tell(self, position: Json) -> None:
        """Send a saved position to the broker, if the broker shows it to monitors."""
        if isinstance(self._source, Watched) and position is not None:
            self._source.tell(position["at"])

    def close(self) -> None:
        """Disconnect."""
        self._source.close()
