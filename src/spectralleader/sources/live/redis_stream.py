"""Redis Streams: redis://host:port/db/STREAM, by XREAD from the stored id."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Annotated, Any, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from spectralleader.errors import ResumeError, missing_extra
from spectralleader.sources.files.problems import DELETED
from spectralleader.sources.live.protocol import (
    LOOK,
    PATIENCE,
    BackOff,
    Fields,
    LiveSource,
    MessageBatch,
    read_settings,
)
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import check_position

Entry = tuple[bytes, Fields | None]  # id and fields of a message; no fields if it was deleted
NOTHING_READ = "0-0"
MOST_FETCHED, MOST_BYTES = 5000, 2**22  # messages and approximate bytes per request
TIMEOUT = 5.0  # seconds to wait for an answer
LAG_EVERY = 2.0  # seconds between queries of the end of the stream


class StreamInfo(NamedTuple):
    """The state of a stream."""

    last: str  # the last id generated
    first: str | None  # the first id present
    length: int  # messages present
    n_added: int | None  # messages ever added; None if the server does not tell

    def is_past(self, id: str) -> bool:
        """Return whether all messages present come after an id."""
        return self.first is None or order(self.first) > order(id)


class StreamPosition(msgspec.Struct):
    """A position as it is saved."""

    stream: str
    id: Annotated[str, msgspec.Meta(pattern=r"^\d{1,20}-\d{1,20}$")]  # of the last message
    added: Annotated[int, msgspec.Meta(ge=0)] | None = None  # messages up to it, if that is known


class RedisStream(LiveSource):
    """One stream of a Redis server.

    Parameters
    ----------
    address : str
        redis://host:port/db/STREAM, or rediss:// for TLS; may contain a user and a password.
    options : SourceOptions
        If strict, raise if messages were deleted before they were read, instead of reporting it.
    """

    kind, unit, form = "redis", "s", "redis://host:port/db/STREAM"

    def __init__(self, address: str, options: SourceOptions) -> None:
        try:
            import redis
        except ModuleNotFoundError as error:
            raise ImportError(missing_extra("redis://", "redis")) from error
        self._redis = redis
        self._server, self._stream, self.name = read_address(address)
        self._options, self._say = options, options.say
        self._client: Any = None
        self._back_off = BackOff(self.name, self._say, redis.RedisError, self._explain)
        self._ask = self._back_off.ask
        self._fetched = deque[Entry]()  # not returned yet
        self._is_short = False  # whether the stream had no more of them
        self._id = NOTHING_READ  # of the last message returned
        # Messages ever added up to that one, by which deleted ones are noticed; None if unknown.
        self._n_added: int | None = None
        self._n_fetch = 100
        self._checked = self._asked = -LAG_EVERY  # times of the last queries
        self._last = NOTHING_READ  # answer to the last query of the lag

    def _explain(self, error: Exception) -> str | None:
        kinds = self._redis.exceptions
        if isinstance(error, kinds.AuthenticationError | kinds.AuthorizationError):
            raise ValueError(f"{self.name} denies access: {error}") from error
        passes = isinstance(error, (kinds.ConnectionError, kinds.TimeoutError))
        return str(error) if passes else None

    def open(self, position: Json | None) -> Json:
        """Connect, and resume from a position."""
        self._client = self._redis.Redis.from_url(
            self._server,
            **read_settings(self._options.broker_settings),
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            retry=None,
            health_check_interval=0,
        )
        # Messages are decoded by `decoding`, once.
        self._client.set_response_callback("XREAD", as_it_is)
        self._fetched.clear()
        if position is None:
            self._start()
        else:
            self._resume(check_position(StreamPosition, position))
        return self._position

    def _start(self) -> None:
        self._back_off.patience = PATIENCE
        info, is_first = self._ask(self._look_up), self._options.start == "earliest"
        self._id = NOTHING_READ if is_first else info.last
        if info.n_added is not None:
            self._n_added = info.n_added - (info.length if is_first else 0)

    def _resume(self, at: StreamPosition) -> None:
        if at.stream != self._stream:
            raise ValueError(
                f"the model was learned from the stream {at.stream!r}, not {self._stream!r}; "
                "name the same one"
            )
        self._id, self._n_added = at.id, at.added
        info = self._ask(self._look_up)
        self._check_same(info)
        # Before the first message nothing can be missed.
        if self._n_added is None and self._id != NOTHING_READ and info.is_past(self._id):
            self._say(
                f"{self.name} begins after {self._id}, the last message that was learned: "
                "whether messages between them were deleted is unknown, because Redis was older "
                "than 7"
            )
        self._report_deleted(info)

    def _look_up(self) -> StreamInfo:
        try:
            found = self._client.xinfo_stream(self._stream)
        except self._redis.ResponseError as error:
            if "no such key" in str(error):
                return StreamInfo(NOTHING_READ, None, 0, 0)
            raise
        first = found.get("first-entry")
        return StreamInfo(
            as_id(found["last-generated-id"]),
            as_id(first[0]) if first else None,
            found["length"],
            found.get("entries-added"),  # from Redis 7 on
        )

    def _check_same(self, info: StreamInfo) -> None:
        """Raise if the position cannot be in the stream."""
        # A stream that was recreated may have later ids, but fewer messages.
        is_short = info.n_added is not None and info.n_added < (self._n_added or 0)
        if order(info.last) < order(self._id) or is_short:
            raise ResumeError(
                f"{self.name} ends at {info.last}, but was learned up to {self._id}: the stream "
                "was recreated or is another one",
                "name the same stream",
            )

    def _report_deleted(self, info: StreamInfo) -> None:
        """Report messages that were deleted before they were read, with their number.

        Trimming (XTRIM, MAXLEN) leaves no trace but the number of messages ever added. It is
        compared when the messages after the position can be counted at once: all or none. A gap
        that was passed in between is therefore reported once the end of the stream is reached.
        """
        if info.n_added is None:
            return
        if info.last == self._id:
            n_left = 0
        elif info.is_past(self._id):
            n_left = info.length
        else:
            return
        n_deleted = info.n_added - n_left - (self._n_added or 0)
        if self._n_added is not None and n_deleted > 0:
            deleted = (
                f"{n_deleted:,} {'message was' if n_deleted == 1 else 'messages were'} deleted"
            )
            lost = f"{self.name} was trimmed: {deleted} before learning, up to {self._id} or later"
            if self._options.strict:
                raise ValueError(f"{lost}; omit --strict")
            self._say(lost)
            self.problems.add(DELETED, f"{self.name} message {self._id}", n=n_deleted)
        self._n_added = info.n_added - n_left

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next messages."""
        if not self._fetched:
            self._fetch()
        entries = [self._fetched.popleft() for _ in range(min(n, len(self._fetched)))]
        ids = [id.decode() for id, _ in entries]
        if entries:
            self._id = ids[-1]
            self._n_added = None if self._n_added is None else self._n_added + len(entries)
        is_due = not self._options.waits or monotonic() - self._checked > LAG_EVERY
        if is_due and not self._fetched:
            self._report_deleted(self._ask(self._look_up))
            self._checked = monotonic()
        payloads = [fields or [] for _, fields in entries]
        return MessageBatch(ids, payloads, self._position, self._is_short and not self._fetched)

    def _fetch(self) -> None:
        """Fetch the next messages, once all of the last ones were returned."""
        # Wait for the first message.
        block = ["BLOCK", int(1000 * LOOK)] if self._options.waits else []
        command = ["XREAD", "COUNT", self._n_fetch, *block, "STREAMS", self._stream, self._id]
        entries = entries_of(self._ask(lambda: self._client.execute_command(*command)))
        self._is_short = len(entries) < self._n_fetch
        self._fetched.extend(entries)
        if entries:
            # Fetch fewer large messages at once, which bounds the memory.
            n_bytes = sum(sum(map(len, fields or ())) for _, fields in entries)
            fits = MOST_BYTES * len(entries) // (n_bytes + 1) + 1
            self._n_fetch = min(2 * self._n_fetch, MOST_FETCHED, fits)

    def lag(self, position: Json) -> float | None:
        """Return the seconds between two messages, by the times in their ids."""
        if monotonic() - self._asked > LAG_EVERY:
            self._last = self._ask(self._look_up).last
            self._asked = monotonic()
        at, last = order(position["id"]), order(self._last)
        if last <= at:
            return 0.0
        # Ids start with milliseconds by default; the position before all messages has no time.
        return None if position["id"] == NOTHING_READ else (last[0] - at[0]) / 1000

    @property
    def _position(self) -> Json:
        return {"stream": self._stream, "id": self._id, "added": self._n_added}

    def close(self) -> None:
        """Disconnect."""
        if self._client is not None:
            self._client.close()


def as_it_is(answer: Any, **options: Any) -> Any:
    """Return a raw answer: the client's own conversion is slow."""
    return answer


def entries_of(found: Any) -> list[Entry]:
    """Return the entries of an answer to XREAD, in RESP2 or RESP3."""
    if not found:
        return []
    [(_, entries)] = found.items() if isinstance(found, dict) else found
    return list(entries)


def read_address(address: str) -> tuple[str, str, str]:
    """Return the address of the server, the stream, and a name without credentials.

    Examples
    --------
    >>> read_address("redis://:secret@localhost/0/clicks")
    ('redis://:secret@localhost/0', 'clicks', 'redis://localhost/0/clicks')
    """
    parts = urlsplit(address)
    database, _, stream = parts.path.strip("/").partition("/")
    if not stream:
        database, stream = "0", database
    if not parts.hostname or not database.isdecimal() or not stream:
        raise ValueError(
            f"a Redis address must be redis://host:port/db/STREAM, got {hide(address)}"
        )
    server = parts._replace(path=f"/{database}").geturl()
    return server, unquote(stream), hide(parts._replace(query="").geturl())


def hide(address: str) -> str:
    """Return an address without credentials."""
    return re.sub(r"//[^/@]*@", "//", address)


def as_id(given: Any) -> str:
    """Return an id as text."""
    return given.decode() if isinstance(given, bytes) else str(given)


def order(id: str) -> tuple[int, int]:
    """Return a sort key of an id: later ids are greater."""
    time, _, number = id.partition("-")
    return int(time), int(number or 0)


class RedisWriter(RedisStream):
    """Appends rows to a stream, one message per row; retries while the server is unreachable."""

    def __init__(self, address: str, options: SourceOptions) -> None:
        super().__init__(address, options)
        self.open(None)

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Append the rows, each at least once; rows before a failure are written again.

        A stream has no null: such a field is empty.
        """
        fields = [
            {name: "" if value is None else value for name, value in row.items()} for row in rows
        ]

        def add() -> None:
            pipe = self._client.pipeline(transaction=False)
            for one in fields:
                pipe.xadd(self._stream, one)
            pipe.execute()

        self._ask(add)

    def flush(self) -> None:
        """Do nothing: the server has acknowledged every row."""
