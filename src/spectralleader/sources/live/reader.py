"""LiveReader: an iterator over blocks of a live source, each with the position after it."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from msgspec import structs

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import BROKEN_JSON, Problems
from spectralleader.sources.files.text_block import TextBlock, join
from spectralleader.sources.live.decoding import (
    LivePosition,
    MessageFormat,
    decode_messages,
    guess_format,
)
from spectralleader.sources.live.protocol import LiveSource, MessageBatch
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import Lag, Reader, check_position

N_SAMPLE = 100  # messages examined to guess the columns
NOTHING = TextBlock.of([])


class LiveReader(Reader):
    """A reader of messages, created by `open_source`.

    While the stream has enough messages, a block is full, so that the blocks do not depend on where
    a run is killed and resumed. At the end of a followed stream, an incomplete block is returned
    some seconds after the previous one. A source that is not followed ends with it.

    Parameters
    ----------
    source : LiveSource
        The stream, not opened yet.
    options : SourceOptions
        The columns to read, and what happens at the end of the stream and at invalid messages.
    format : MessageFormat, optional
        The format of messages. By default it is guessed from the first ones.
    """

    def __init__(
        self, source: LiveSource, options: SourceOptions, format: MessageFormat | None = None
    ) -> None:
        self.kind, self.names, self.starts_alike = source.kind, (source.name,), source.starts_alike
        self.problems = source.problems = Problems(strict=options.strict)
        self._source, self._options = source, options
        self._format = format
        self._waiting: list[TextBlock] = []  # parts of the next block
        self._last = monotonic()  # time of the last block

    @property
    def columns(self) -> Columns:  # type: ignore[override]  # known at once in other readers
        """The columns that are read; waits for the first messages if they must be guessed."""
        self.open_once()
        return Columns(("text",)) if self._format is None else self._format.columns

    def open(self, position: Json | None) -> None:
        """Connect, and resume from a position, or start if it is None."""
        self._is_open = True
        at = None
        if position is not None:
            found = check_position(LivePosition, position)
            if found.kind != self.kind:
                raise ValueError(
                    f"the position belongs to a {found.kind!r:.40} source, not to a "
                    f"{self.kind!r} one"
                )
            at, self._format = found.at, self._agreed(found.read)
        at = self._source.open(at)
        if self._format is None:
            at = self._guess(at)
        if self._format is not None:
            self.at = self._wrap(at)

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

    def _guess(self, at: Json) -> Json:
        """Infer the format of messages from the first ones; return the position before them."""
        messages = MessageBatch([], [], at)
        while not self.is_over and (self._options.waits or not messages.at_end):
            raise_if_interrupted()
            messages = self._source.take(N_SAMPLE)
            if not messages.ids:
                continue
            found = guess_format(messages.payloads, self._options, self.names[0])
            if found is not None:
                self._format, self.guesses = found[0], tuple(found[1])
                # They are learned, too.
                self._source.close()
                return self._source.open(at)
            for id in messages.ids:
                self._report(BROKEN_JSON, id)
            at = messages.after
        return at

    def _wrap(self, at: Json) -> Json:
        """Return the source's position with the kind and format needed to resume."""
        return {"kind": self.kind, "at": at, "read": self._format and self._format.to_state()}

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if it is not complete yet."""
        self.open_once()
        raise_if_interrupted()
        # No message at all, and not followed; or the time is over, and messages may go on.
        if self._format is None or self.is_over:
            raise StopIteration
        size, waits = self._options.block, self._options.waits
        messages = self._source.take(size - sum(map(len, self._waiting)))
        if len(block := self._decode(self._format, messages)):
            self._waiting.append(block)
        is_due = messages.at_end and self._is_overdue
        if self._waiting and (is_due or sum(map(len, self._waiting)) == size):
            block, self._waiting = join(self._waiting), []
            self.at, self._last = self._wrap(messages.after), monotonic()
            return replace(block, at=self.at)
        if messages.at_end and not waits:
            raise StopIteration
        return NOTHING

    @property
    def _is_overdue(self) -> bool:
        """Whether an incomplete block is due, provided that the stream has no more messages."""
        return not self._options.waits or monotonic() - self._last >= self._options.wait

    def _decode(self, format: MessageFormat, messages: MessageBatch) -> TextBlock:
        """Return the valid messages as a block; report the others."""

        def log(kind: str, at: int, detail: str = "") -> None:
            self._report(kind, messages.ids[at], detail)

        if not messages.ids:
            return NOTHING
        return decode_messages(format, self.names[0], messages, log)

    def _report(self, kind: str, id: str, detail: str = "") -> None:
        place = f"{self.names[0]} message {id}"
        if kind not in self.problems.counts and not self._options.strict:
            self._options.say(f"{place}: {kind}; further ones are only counted")
        self.problems.add(kind, place, detail)

    def lag(self) -> Lag | None:
        """Return how far the last block is behind the end; None if that is unknown."""
        if not self._is_open:
            return None
        number = 0.0 if self.at is None else self._source.lag(self.at["at"])
        return None if number is None else Lag(number, self._source.unit)

    @property
    def n_reconnects(self) -> int:  # type: ignore[override]
        """How often the broker could be reached again."""
        return self._source.n_reconnects

    def tell(self, position: Json) -> None:
        """Send a saved position to the broker."""
        if position is not None:
            self._source.tell(position["at"])

    def close(self) -> None:
        """Disconnect."""
        self._source.close()
