"""LiveReader: an iterator over blocks of a live source, each with the position after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import monotonic

from msgspec import structs

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import BROKEN_JSON, Problems
from spectralleader.sources.files.text_block import TextBlock, join
from spectralleader.sources.live.decoding import (
    DecodedBatch,
    MessageFormat,
    Problem,
    are_all_invalid,
    decode_messages,
    guess_format,
    read_position,
)
from spectralleader.sources.live.protocol import LiveSource, MessageBatch
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import Lag, Reader

N_SAMPLE = 100  # messages examined to guess the columns
N_AHEAD = 5000  # messages decoded at once: faster than block by block
NOTHING = TextBlock.of([])


class LiveReader(Reader):
    """A reader of messages, created by `open_source`.

    While the stream has enough messages, a block is full, so that the blocks
    do not depend on where a run is killed and resumed. At the end of a followed stream, an
    incomplete block is returned some seconds after the previous one. A source that is not
    followed ends with it.

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
        self.problems = source.problems = Problems(self.names, strict=options.strict)
        self._source, self._options = source, options
        self._format = format
        self._waiting: list[TextBlock] = []  # parts of the next block
        self._n_waiting = 0
        self._pending: Json = None  # the position after these parts
        self._decoded = DecodedBatch(NOTHING, [], MessageBatch([], [], lambda n: None))
        self._sampled: MessageBatch | None = None  # messages fetched to guess the columns
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
            at, stored = read_position(position, self.kind)
            self._format = self._agreed(stored)
        opened = self._source.open(at)
        if self._format is None:
            self._guess(opened)
        else:
            self.at = self._wrap(opened)

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
        end = monotonic() + self._options.seconds
        while not messages.ids and (self._options.waits or not messages.at_end):
            if monotonic() > end:
                break
            raise_if_interrupted()
            messages = self._source.take(N_SAMPLE)
            if messages.ids and are_all_invalid(messages.payloads):
                self._report(Problem(0, id, BROKEN_JSON) for id in messages.ids)
                messages = messages._replace(ids=[])
        if messages.ids:
            self._sampled = messages
            found = guess_format(messages.payloads, self._options, self.names[0])
            self._format, self.guesses = found[0], tuple(found[1])
            self.at = self._wrap(opened)

    def _wrap(self, at: Json) -> Json:
        """Return the source's position with the kind and format needed to resume."""
        return {"kind": self.kind, "at": at, "read": self._format and self._format.to_state()}

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if it is not complete yet."""
        self.open_once()
        is_at_end = not self._decoded.n_docs and self._take()
        raise_if_interrupted()
        # No message at all, and not followed; or the time is over, and messages may go on.
        if self._format is None or self.is_over:
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
        self.at, self._last = self._pending, monotonic()
        return replace(block, at=self.at)

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

    def lag(self) -> Lag | None:
        """Return how far the last block is behind the end; None if that is unknown."""
        if not self._is_open:
            return None
        number = 0.0 if self.at is None else self._source.lag(self.at["at"])
        return None if number is None else Lag(number, self._source.unit)

    def tell(self, position: Json) -> None:
        """Send a saved position to the broker."""
        if position is not None:
            self._source.tell(position["at"])

    def close(self) -> None:
        """Disconnect."""
        self._source.close()
