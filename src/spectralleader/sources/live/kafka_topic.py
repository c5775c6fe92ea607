"""Kafka: kafka://host:port/TOPIC, partitions assigned, offsets stored with the model."""

from __future__ import annotations

import logging
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.live.protocol import Json, Say, Taken
from spectralleader.sources.live.turns import Place, Turns
from spectralleader.sources.live.waiting import LOOK, PATIENCE, BackOff

KIND = "kafka"
MOST_FETCHED = 5000  # messages handed over by the client at once
MOST_WAITING, MOST_BYTES = 100_000, 2**25  # messages, and their bytes, that wait for their turn
TIMEOUT = 5.0  # seconds for an answer
SETTINGS = {
    "group.id": "spectralleader",  # under which lag is shown; nothing of it is read back
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",  # messages that are gone are reported, never skipped silently
    "reconnect.backoff.ms": 100,
    "reconnect.backoff.max.ms": 5000,
    "queued.max.messages.kbytes": 16_384,  # per partition, fetched ahead
    "fetch.wait.max.ms": 100,
}
SILENT = logging.getLogger("spectralleader.kafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False  # failures are reported by us, once each


class KafkaTopic:
    """All partitions of one topic, which take turns; see `Turns`.

    Parameters
    ----------
    address : str
        kafka://host:port,host:port/TOPIC; settings of the client may follow as
        ?security.protocol=SSL&...
    start : str
        At the first start, "earliest" or "latest".
    strict : bool
        Raise if messages after the position are gone, instead of reporting it.
    say : callable
        Takes a line for the user.
    follow : bool
        Whether to wait for messages at the end.
    portion : int
        Messages that all partitions together hand out in a round, about.
    """

    def __init__(
        self,
        address: str,
        *,
        start: str,
        strict: bool,
        say: Say,
        follow: bool = True,
        portion: int = 100,
    ) -> None:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise ImportError(
                "kafka:// needs a client of Kafka: pip install spectralleader[kafka]"
            ) from error
        self._kafka = confluent_kafka
        self._servers, self._topic, self._more = read_address(address)
        self.name = f"kafka://{self._servers}/{self._topic}"
        self._start, self._strict, self._say = start, strict, say
        self._follow, self._wished_portion = follow, portion
        self._consumer: Any = None
        self._back_off = BackOff(self.name, say)
        self._turns: Turns | None = None
        self._ended: set[int] = set()  # partitions whose end was reached
        self._ends: dict[int, int] = {}  # where they ended when they were opened
        self._paused: set[int] = set()
        self._is_down = self._is_refused = False

    def open(self, position: Json | None) -> Json:
        """Connect, and go on after a position."""
        settings = {
            **SETTINGS,
            **self._more,
            "bootstrap.servers": self._servers,
            "error_cb": self._note_error,
            "on_commit": self._note_commit,
        }
        try:
            self._consumer = self._kafka.Consumer(settings, logger=SILENT)
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name}: {error.args[0]}") from error
        if position is None:
            self._back_off = BackOff(self.name, self._say, PATIENCE)
        partitions = self._list_partitions()
        stored: dict[int, int] = {}
        portion, turn, n_taken = max(1, self._wished_portion // len(partitions)), partitions[0], 0
        if position is not None:
            stored = self._read(position)
            portion = whole(position, "portion", 1)
            turn, n_taken = whole(position, "turn"), whole(position, "taken", 0, portion)
        offsets = {
            number: self._find_offset(number, stored.get(number), is_first=position is None)
            for number in partitions
        }
        if missing := sorted({*stored, turn} - set(partitions)):
            raise ValueError(
                f"{self.name} has no partition {missing[0]}, which was learned: it is another "
                "topic; name the same one, or start anew with --fresh"
            )
        self._turns = Turns(Place(offsets, turn, n_taken), portion)
        self._ended = {number for number, at in offsets.items() if at >= self._ends[number]}
        self._consumer.assign([self._at(number, at) for number, at in offsets.items()])
        return self._position(self._turns.place)

    def _list_partitions(self) -> list[int]:
        topic = self._ask(
            lambda: self._consumer.list_topics(self._topic, timeout=TIMEOUT).topics[self._topic]
        )
        if topic.error is not None or not topic.partitions:
            raise ValueError(f"{self.name} cannot be read: {topic.error or 'it has no partitions'}")
        return sorted(topic.partitions)

    def _read(self, position: Any) -> dict[int, int]:
        """Return the offsets of a stored position, checked."""
        if (topic := text(position, "topic")) != self._topic:
            raise ValueError(f"the topic {topic!r} was learned, not {self._topic!r}; name it")
        offsets = part(position, "offsets")
        if not offsets or not all(number.isdecimal() for number in offsets):
            raise ValueError("offsets must be stored by the number of a partition")
        return {int(number): whole(offsets, number) for number in offsets}

    def _find_offset(self, number: int, stored: int | None, *, is_first: bool) -> int:
        """Return the offset to go on with; a partition that is new begins with its first."""
        low, high = self._ask(
            lambda: self._consumer.get_watermark_offsets(self._at(number), timeout=TIMEOUT)
        )
        self._ends[number] = int(high)
        if stored is None:
            return int(high if is_first and self._start == "latest" else low)
        if stored > high:
            raise ValueError(
                f"{self.name} partition {number} ends at {high}, but was learned up to {stored}: "
                "it was deleted or is another one; name the same topic, or start anew with --fresh"
            )
        if stored < low:
            lost = f"{self.name} partition {number}: {low - stored:,} messages from {stored} on"
            if self._strict:
                raise ValueError(f"{lost} are gone and were not learned; leave out --strict")
            self._say(f"{lost} are gone and were not learned")
        return max(stored, int(low))

    def _at(self, number: int, offset: int = 0) -> Any:
        return self._kafka.TopicPartition(self._topic, number, offset)

    @property
    def _opened(self) -> Turns:
        assert self._turns is not None
        return self._turns

    def take(self, n: int, *, rest: bool) -> Taken:
        """Return up to n of the next messages."""
        turns = self._opened
        self._fetch(0.0)
        found = turns.take(n, self._ended, rest=rest)
        if not found[0] and (self._follow or not self._is_at_end):
            self._fetch(LOOK)
            found = turns.take(n, self._ended, rest=rest)
        self._balance()
        ids, payloads, place = found
        return Taken(ids, payloads, lambda i: self._position(place(i)), self._is_at_end)

    @property
    def _is_at_end(self) -> bool:
        queues = self._opened.queues
        return len(self._ended) == len(queues) and not any(queues.values())

    def _fetch(self, seconds: float) -> None:
        """Fetch what the client has; wait so long for the first message."""
        try:
            found = self._consumer.consume(MOST_FETCHED if not seconds else 1, timeout=seconds)
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name} cannot be read: {error.args[0]}") from error
        start = 0
        for at, problem in enumerate(map(self._kafka.Message.error, found)):
            if problem is not None:
                self._add(found[start:at])
                self._meet(problem, found[at].partition())
                start = at + 1
        self._add(found[start:])
        if found and self._is_down:
            self._is_reached()

    def _add(self, messages: list[Any]) -> None:
        """Put good messages into the queues of their partitions."""
        kind = self._kafka.Message
        offsets = list(map(kind.offset, messages))
        payloads = [value or b"" for value in map(kind.value, messages)]
        start = 0
        for number, run in groupby(map(kind.partition, messages)):
            end = start + len(list(run))
            self._opened.queues[number].add(offsets[start:end], payloads[start:end])
            self._ended.discard(number)
            if offsets[end - 1] + 1 >= self._ends[number]:
                self._ended.add(number)
            start = end

    def _meet(self, error: Any, number: int) -> None:
        """Note the end of a partition; raise for what will not pass of itself."""
        codes = self._kafka.KafkaError
        if error.code() == codes._PARTITION_EOF:
            self._ended.add(number)
        elif error.code() in (codes._AUTO_OFFSET_RESET, codes.OFFSET_OUT_OF_RANGE):
            at = self._find_offset(number, self._next_fetched(number), is_first=False)
            self._consumer.seek(self._at(number, at))
        elif error.fatal() or not (error.retriable() or error.code() in self._passing):
            raise ValueError(f"{self.name} cannot be read: {error}")

    @property
    def _passing(self) -> tuple[int, ...]:
        codes = self._kafka.KafkaError
        return (codes._TRANSPORT, codes._ALL_BROKERS_DOWN, codes._TIMED_OUT, codes._RESOLVE)

    def _next_fetched(self, number: int) -> int:
        last = self._opened.queues[number].last
        return self._opened.place.offsets[number] if last is None else last + 1

    def _balance(self) -> None:
        """Pause partitions that are far ahead of their turn, so that memory is bounded."""
        queues, portion = self._opened.queues, self._opened.portion
        most = max(MOST_WAITING // len(queues), 2 * portion)
        for number, queue in queues.items():
            is_ahead = len(queue) > most or queue.n_bytes > MOST_BYTES // len(queues)
            if number not in self._paused and is_ahead and len(queue) > portion:
                self._consumer.pause([self._at(number)])
                self._paused.add(number)
            elif number in self._paused and len(queue) <= portion:
                self._consumer.resume([self._at(number)])
                self._paused.discard(number)

    def _note_error(self, error: Any) -> None:
        """Report once that brokers are away: the client connects again on its own."""
        if error.code() in self._passing and not self._is_down and self._turns is not None:
            self._is_down = True
            self._say(f"{self.name} cannot be reached ({error.str()}); trying again until it can")

    def _is_reached(self) -> None:
        self._is_down = False
        self._say(f"{self.name} can be reached again")

    def _ask(self, question: Any) -> Any:
        """Ask the brokers, again and again if they cannot be reached."""
        while True:
            try:
                answer = question()
            except self._kafka.KafkaException as error:
                found = error.args[0]
                if not (found.retriable() or found.code() in self._passing):
                    raise ValueError(f"{self.name} cannot be read: {found}") from error
                self._back_off.failed(ValueError(found.str()))
            else:
                self._back_off.worked()
                return answer

    def describe(self, position: Json) -> str:
        """Return how many messages are behind a position, as far as the client knows."""
        n_behind = 0
        for number, offset in position["offsets"].items():
            found = self._consumer.get_watermark_offsets(self._at(int(number)), cached=True)
            n_behind += max(0, found[1] - offset) if found else 0
        return f"{n_behind:,} messages behind" if n_behind else "up to date"

    def tell(self, position: Json) -> None:
        """Commit the offsets of a position, so that monitors show the lag of the group."""
        at = [self._at(int(number), offset) for number, offset in position["offsets"].items()]
        try:
            self._consumer.commit(offsets=at, asynchronous=True)
        except self._kafka.KafkaException as error:
            self._note_commit(error.args[0], [])

    def _note_commit(self, error: Any, partitions: list[Any]) -> None:
        """Report once that a commit was refused: what is learned does not depend on it."""
        found = error or next((one.error for one in partitions if one.error is not None), None)
        if found is not None and found.code() not in self._passing and not self._is_refused:
            self._is_refused = True
            self._say(
                f"{self.name} does not take commits ({found.str()}): monitors do not see how far "
                "it was learned; learning goes on"
            )

    def _position(self, place: Place) -> Json:
        return {"topic": self._topic, **place.to_state(), "portion": self._opened.portion}

    def close(self) -> None:
        """Disconnect."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None


def read_address(address: str) -> tuple[str, str, dict[str, str]]:
    """Return the brokers, the topic, and more settings of the client.

    Examples
    --------
    >>> read_address("kafka://one:9092,two/clicks?security.protocol=SSL")
    ('one:9092,two:9092', 'clicks', {'security.protocol': 'SSL'})
    """
    parts = urlsplit(address)
    topic, brokers = unquote(parts.path.strip("/")), parts.netloc.split(",")
    if not all(brokers) or not topic or "/" in topic:
        raise ValueError(f"a topic of Kafka is kafka://host:port/TOPIC, not {address}")
    servers = ",".join(one if ":" in one else f"{one}:9092" for one in brokers)
    return servers, topic, dict(parse_qsl(parts.query, keep_blank_values=True))
