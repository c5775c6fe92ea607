"""Kafka: kafka://host:port/TOPIC, partitions assigned, offsets stored with the model."""

from __future__ import annotations

import logging
from collections import deque
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from spectralleader.checks.states import part, text, whole
from spectralleader.sources.live.protocol import Json, Message, Say, Taken
from spectralleader.sources.live.waiting import LOOK, PATIENCE, BackOff

KIND = "kafka"
MOST_FETCHED = 1000  # messages handed over by the client at once
MOST_WAITING = 10_000  # messages of a partition that wait for their turn
TIMEOUT = 5.0  # seconds for an answer
SETTINGS = {
    "group.id": "spectralleader",  # must be given; nothing is committed
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
    """All partitions of one topic, in turn.

    Partitions take turns: each hands out a portion of messages, then the next one does. A partition
    that does not have a whole portion yet is passed over. So the order depends on the offsets alone
    wherever messages are there before they are read.

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
    portion : int
        Messages that all partitions together hand out in a round, about.
    follow : bool
        Whether messages that do not fill a portion wait for more.
    """

    def __init__(
        self,
        address: str,
        *,
        start: str,
        strict: bool,
        say: Say,
        portion: int = 100,
        follow: bool = True,
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
        self._wished_portion, self._follow = portion, follow
        self._consumer: Any = None
        self._back_off = BackOff(self.name, say)
        self._offsets: dict[int, int] = {}  # of the next message to be handed out
        self._ready: dict[int, deque[Message]] = {}
        self._ended: set[int] = set()  # partitions whose end was reached
        self._paused: set[int] = set()
        self._portion, self._turn, self._n_taken = 1, 0, 0
        self._is_down = False

    def open(self, position: Json | None) -> Json:
        """Connect, and go on after a position."""
        settings = {**SETTINGS, **self._more, "bootstrap.servers": self._servers}
        try:
            self._consumer = self._kafka.Consumer(
                settings, logger=SILENT, error_cb=self._note_error
            )
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name}: {error.args[0]}") from error
        if position is None:
            self._back_off = BackOff(self.name, self._say, PATIENCE)
        partitions = self._list_partitions()
        stored = {} if position is None else self._read(position)
        if position is None:
            self._portion = max(1, self._wished_portion // len(partitions))
        self._offsets = {
            number: self._find_offset(number, stored.get(number), is_first=position is None)
            for number in partitions
        }
        if missing := sorted(set(stored) - set(partitions)):
            raise ValueError(
                f"{self.name} has no partition {missing[0]}, which was learned: it is another "
                "topic; name the same one, or start anew with --fresh"
            )
        if self._turn not in self._offsets:
            self._turn, self._n_taken = min(self._offsets), 0
        self._ready = {number: deque() for number in partitions}
        self._assign()
        return self._position()

    def _list_partitions(self) -> list[int]:
        topic = self._ask(
            lambda: self._consumer.list_topics(self._topic, timeout=TIMEOUT).topics[self._topic]
        )
        if topic.error is not None or not topic.partitions:
            raise ValueError(f"{self.name} cannot be read: {topic.error or 'it has no partitions'}")
        return sorted(topic.partitions)

    def _read(self, position: Any) -> dict[int, int]:
        """Take up a stored position, checked; return its offsets."""
        if (topic := text(position, "topic")) != self._topic:
            raise ValueError(f"the topic {topic!r} was learned, not {self._topic!r}; name it")
        offsets = part(position, "offsets")
        if not offsets or not all(number.isdecimal() for number in offsets):
            raise ValueError("offsets must be stored by the number of a partition")
        self._portion = whole(position, "portion", 1)
        self._turn, self._n_taken = whole(position, "turn"), whole(position, "taken")
        return {int(number): whole(offsets, number) for number in offsets}

    def _find_offset(self, number: int, stored: int | None, *, is_first: bool) -> int:
        """Return the offset to go on with; a partition that is new begins with its first."""
        low, high = self._ask(
            lambda: self._consumer.get_watermark_offsets(self._at(number), timeout=TIMEOUT)
        )
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

    def _assign(self) -> None:
        self._consumer.assign([self._at(number, at) for number, at in self._offsets.items()])

    def take(self, n: int) -> Taken:
        """Return up to n of the next messages, of one partition."""
        number = self._choose()
        if number is None:
            self._fetch()
            number = self._choose()
        if number is None:
            return Taken([], self._position(), at_end=self._is_at_end())
        ready = self._ready[number]
        size = min(n, self._portion - self._n_taken, len(ready))
        taken = [ready.popleft() for _ in range(size)]
        self._offsets[number] = offset_of(taken[-1]) + 1
        # what is left at the end of a stream that is not followed is no portion, and begins none
        is_portion = self._n_taken + size + len(ready) >= self._portion
        self._turn, self._n_taken = number, self._n_taken + size
        if self._n_taken >= self._portion or not is_portion:
            self._turn, self._n_taken = self._after(number), 0
        return Taken(taken, self._position())

    def _choose(self) -> int | None:
        """Return the partition whose turn it is, None if more must be fetched to know."""
        numbers = sorted(self._offsets)
        if self._n_taken:  # its portion was whole when it began
            if self._ready[self._turn]:
                return self._turn
            if self._turn not in self._ended:
                return None
            self._turn, self._n_taken = self._after(self._turn), 0  # the rest was deleted since
        at = numbers.index(self._turn) if self._turn in numbers else 0
        for number in numbers[at:] + numbers[:at]:
            if len(self._ready[number]) >= self._portion:
                return number
            if number not in self._ended:
                return None
        if not self._follow:  # what fills no portion comes last, partition by partition
            return next((number for number in numbers if self._ready[number]), None)
        return None

    def _after(self, number: int) -> int:
        numbers = sorted(self._offsets)
        return numbers[(numbers.index(number) + 1) % len(numbers)]

    def _is_at_end(self) -> bool:
        return len(self._ended) == len(self._offsets) and not any(self._ready.values())

    def _fetch(self) -> None:
        try:
            found = self._consumer.consume(MOST_FETCHED, timeout=LOOK)
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name} cannot be read: {error.args[0]}") from error
        for message in found:
            number = message.partition()
            if (problem := message.error()) is not None:
                self._meet(problem, number)
                continue
            self._ended.discard(number)
            self._is_reached()
            id = f"{number}:{message.offset()}"
            self._ready[number].append(Message(id, message.value() or b""))
        self._balance()

    def _meet(self, error: Any, number: int) -> None:
        """Note the end of a partition; raise for what will not pass of itself."""
        codes = self._kafka.KafkaError
        if error.code() == codes._PARTITION_EOF:
            self._ended.add(number)
            self._is_reached()
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
        ready = self._ready[number]
        return offset_of(ready[-1]) + 1 if ready else self._offsets[number]

    def _balance(self) -> None:
        """Pause partitions that are far ahead of their turn, so that memory is bounded."""
        for number, ready in self._ready.items():
            most = max(MOST_WAITING // len(self._ready), 2 * self._portion)
            if len(ready) > most and number not in self._paused:
                self._consumer.pause([self._at(number)])
                self._paused.add(number)
            elif len(ready) <= self._portion and number in self._paused:
                self._consumer.resume([self._at(number)])
                self._paused.discard(number)

    def _note_error(self, error: Any) -> None:
        """Report once that brokers are away: the client connects again on its own."""
        if error.code() in self._passing and not self._is_down and self._ready:
            self._is_down = True
            self._say(f"{self.name} cannot be reached ({error.str()}); trying again until it can")

    def _is_reached(self) -> None:
        if self._is_down:
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

    def describe(self) -> str:
        """Return how many messages are behind the position, as far as the client knows."""
        n_behind = 0
        for number, offset in self._offsets.items():
            found = self._consumer.get_watermark_offsets(self._at(number), cached=True)
            n_behind += max(0, found[1] - offset) if found else 0
        return f"{n_behind:,} messages behind" if n_behind else "up to date"

    def _position(self) -> Json:
        return {
            "topic": self._topic,
            "offsets": {str(number): offset for number, offset in self._offsets.items()},
            "turn": self._turn,
            "taken": self._n_taken,
            "portion": self._portion,
        }

    def close(self) -> None:
        """Disconnect."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None


def offset_of(message: Message) -> int:
    """Return the offset in the id of a message."""
    return int(message.id.partition(":")[2])


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
