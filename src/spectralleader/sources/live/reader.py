"""LiveReader: an iterator over blocks of a live source, each with the position after it."""

from __future__ import annotations

from time import monotonic

from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files.columns import ColumnRequest, Columns
from spectralleader.sources.files.problems import BROKEN_JSON, Problems
from spectralleader.sources.files.text_block import Blocks, TextBlock, join
from spectralleader.sources.live.decoding import (
    Decoded,
    MessageFormat,
    are_all_invalid,
    decode_messages,
    guess_format,
    read_position,
)
from spectralleader.sources.live.protocol import (
    Json,
    LiveSettings,
    LiveSource,
    MessageBatch,
    Watched,
)

N_SAMPLE = 100  # messages examined to guess the columns
N_AHEAD = 5000  # messages decoded at once: faster than block by block


Problem = tuple[str, str, str]  # its kind, the id of the message, a detail
NO_MESSAGES = MessageBatch([], [], lambda n: None)
NONE_DECODED = Decoded(TextBlock.of([]), [])


class LiveReader(Blocks):
    """An iterator over blocks of a live source, created by `open_source`.

    While the stream has enough messages, a block is full, so that the blocks
    do not depend on where a run is killed and resumed. At the end of a followed stream, an
    incomplete block is returned some seconds after the previous one. A source that is not
    followed ends with it.

    Parameters
    ----------
    source : LiveSource
        A source that is not opened yet.
    kind, name : str
        The kind that is stored with positions, and the name for messages.
    requested : ColumnRequest
        The columns to read.
    settings : LiveSettings
        Block size, and what happens at the end of the stream and at invalid messages.

    Attributes
    ----------
    starts_alike : bool
        Whether a new start always begins at the same message, so that the initial position need not
        be saved.
    """

    starts_alike = False

    def __init__(
        self,
        source: LiveSource,
        kind: str,
        name: str,
        requested: ColumnRequest,
        settings: LiveSettings,
    ) -> None:
        self.names = (name,)
        self.problems = Problems([name], strict=settings.strict)
        self.guesses: tuple[str, ...] = ()
        self.kind = kind
        self.position: Json | None = None  # after the last block returned
        self.is_started = False
        self._source, self._requested = source, requested
        self._settings, self._say = settings, settings.say
        self._format: MessageFormat | None = None
        self._waiting: list[TextBlock] = []  # parts of the next block
        self._n_waiting = 0
        self._pending: Json = None  # the position after these parts
        self._decoded = DecodedBatch()
        self._sampled: MessageBatch | None = None  # messages fetched to guess the columns
        self._last = monotonic()  # time of the last block

    @property
    def columns(self) -> Columns:
        """The columns that are read; waits for the first messages if they must be guessed."""
        if not self.is_started:
            self.start(None)
        return Columns(("text",)) if self._format is None else self._format.columns

    def start(self, position: Json | None) -> None:
        """Connect, and resume from a position, or start if it is None.

        Raises
        ------
        ValueError
            If the source cannot be reached, or the position does not exist in it.
        """
        self.is_started = True
        at = None
        if position is not None:
            at, format = read_position(position, self.kind)
            self._format = self._agreed(format)
        opened = self._source.open(at)
        if self._format is None:
            self._guess(opened)
        else:
            self.position = self._wrap(opened)

    def _agreed(self, stored: MessageFormat) -> MessageFormat:
        """Return a stored format updated with the columns that the caller names now."""
        requested, columns = self._requested, stored.columns
        if requested.text or requested.tokens:
            named = requested.tokens or requested.text or ()
            names = (named,) if isinstance(named, str) else tuple(named)
            columns = columns._replace(text=names)
        if requested.tokens == "":
            columns = columns._replace(tokens=False)
        columns = columns._replace(keep=tuple(requested.keep))
        return stored._replace(columns=columns)

    def _guess(self, opened: Json) -> None:
        """Fetch the first messages and infer their format."""
        messages = MessageBatch([], [], lambda n: opened)
        while not messages.ids and not (messages.at_end and not self._settings.follow):
            raise_if_interrupted()
            messages = self._source.take(N_SAMPLE)
            if messages.ids and are_all_invalid(messages.payloads):
                self._report([(BROKEN_JSON, id, "") for id in messages.ids])
                messages = MessageBatch([], [], messages.after, messages.at_end)
        if messages.ids:
            self._sampled = messages
            self._format, guesses = guess_format(messages.payloads, self._requested, self.names[0])
            self.guesses = tuple(guesses)
            self.position = self._wrap(opened)

    def _wrap(self, at: Json) -> Json:
        """Return the source's position with the kind and format needed to resume."""
        return {"kind": self.kind, "at": at, "read": self._format and self._format.to_state()}

    def __next__(self) -> TextBlock:
        while not len(block := self.next_or_idle()):
            pass
        return block

    def next_or_idle(self) -> TextBlock:
        """Return the next block, or an empty block if it is not complete yet.

        Raises
        ------
        StopIteration
            At the end of a source that is not followed.
        """
        if not self.is_started:
            self.start(None)
        messages = None if self._decoded.n_docs else self._take()
        raise_if_interrupted()
        if self._format is None:  # no message at all, and not followed
            raise StopIteration
        self._fill()
        is_at_end = messages is not None and messages.at_end and not self._decoded.n_docs
        if is_at_end and self._is_overdue:
            self._pass_bad()
            if not self._n_waiting and not self._settings.follow:
                raise StopIteration
        elif self._n_waiting < self._settings.block:
            return self._nothing
        if not self._n_waiting:
            return self._nothing
        block, self._waiting, self._n_waiting = join(self._waiting), [], 0
        self.position, self._last = self._pending, monotonic()
        return block.at(self.position)

    @property
    def _nothing(self) -> TextBlock:
        return TextBlock.of([], names=self.names)

    @property
    def _is_overdue(self) -> bool:
        """Whether an incomplete block is due, provided that the stream has no more messages."""
        return not self._settings.follow or monotonic() - self._last >= self._settings.wait

    def _take(self) -> MessageBatch:
        """Fetch the next messages and decode them."""
        messages, self._sampled = self._sampled, None
        if messages is None:
            messages = self._source.take(N_AHEAD)
        if not messages.ids or self._format is None:
            return messages
        decoded = decode_messages(self._format, self.names[0], messages.ids, messages.payloads)
        self._report(self._decoded.finish())
        self._decoded = DecodedBatch(messages._replace(payloads=[]), decoded)
        return messages

    def _pass_bad(self) -> None:
        """Report invalid messages at the end of the stream; the last position includes them."""
        self._report(self._decoded.finish())
        if self._n_waiting and not self._settings.follow:
            self._pending = self._wrap(self._decoded.after())

    def _fill(self) -> None:
        """Move as many documents to the next block as it lacks."""
        n = min(self._settings.block - self._n_waiting, self._decoded.n_docs)
        if n:
            block, at, invalid = self._decoded.take(n)
            self._report(invalid)
            self._waiting.append(block)
            self._n_waiting += n
            self._pending = self._wrap(at)

    def _report(self, invalid: list[Problem]) -> None:
        for kind, id, detail in invalid:
            if kind not in self.problems.counts and not self._settings.strict:
                self._say(f"{self.names[0]} message {id}: {kind}; further ones are only counted")
            self.problems.add_at(kind, f"{self.names[0]} message {id}", detail)

    def describe(self) -> str:
        """Return the lag behind the end of the stream, in words."""
        if not self.is_started:
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


class DecodedBatch:
    """A batch of decoded messages, some of whose documents are not returned yet."""

    def __init__(
        self, messages: MessageBatch = NO_MESSAGES, decoded: Decoded = NONE_DECODED
    ) -> None:
        self._messages, (self._block, self._invalid) = messages, decoded
        self._n_returned, self._n_reported = 0, 0  # documents returned, problems reported

    @property
    def n_docs(self) -> int:
        """Number of documents left."""
        return len(self._block) - self._n_returned

    def take(self, n: int) -> tuple[TextBlock, Json, list[Problem]]:
        """Return the next n documents, the position after them, and the problems before it."""
        first, self._n_returned = self._n_returned, self._n_returned + n
        end = int(self._block.lines[self._n_returned - 1]) + 1
        block = self._block[first : self._n_returned]
        return block, self._messages.after(end), self._problems_before(end)

    def after(self) -> Json:
        """Return the position after all messages."""
        return self._messages.after(len(self._messages.ids))

    def finish(self) -> list[Problem]:
        """Return the problems of the remaining messages."""
        return self._problems_before(len(self._messages.ids))

    def _problems_before(self, end: int) -> list[Problem]:
        found = []
        while self._n_reported < len(self._invalid) and self._invalid[self._n_reported].at < end:
            at, kind, detail = self._invalid[self._n_reported]
            found.append((kind, self._messages.ids[at], detail))
            self._n_reported += 1
        return found
