"""Kafka: kafka://host:port/TOPIC, by partition assignment, with offsets stored in the model."""

from __future__ import annotations

import logging
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from spectralleader.checks.states import text, whole
from spectralleader.errors import missing_extra
from spectralleader.sources.live.backoff import LOOK, PATIENCE, BackOff
from spectralleader.sources.live.protocol import Json, LiveSettings, MessageBatch
from spectralleader.sources.live.round_robin import RoundRobin, RoundRobinPosition

KIND = "kafka"
MOST_FETCHED = 5000  # messages per call of the client
MOST_WAITING, MOST_BYTES = 100_000, 2**25  # bounds of the queues: messages, and their bytes
TIMEOUT = 5.0  # seconds to wait for an answer
SETTINGS = {
    "group.id": "spectralleader",  # commits show the lag to monitors; they are never read back
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",  # report deleted messages instead of skipping them silently
    "reconnect.backoff.ms": 100,
    "reconnect.backoff.max.ms": 5000,
    "queued.max.messages.kbytes": 16_384,  # prefetch per partition
    "fetch.wait.max.ms": 100,
}
SILENT = logging.getLogger("spectralleader.kafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False  # we report each failure once, instead of librdkafka repeatedly


class KafkaTopic:
    """All partitions of one topic, interleaved deterministically by `RoundRobin`.

    Parameters
    ----------
    address : str
        kafka://host:port,host:port/TOPIC, optionally with client settings such as
        ?security.protocol=SSL&...
    settings : LiveSettings
        If strict, raise if messages after the position were deleted, instead of reporting it. About
        one block of messages is read per round over all partitions.
    """

    def __init__(self, address: str, settings: LiveSettings) -> None:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise ImportError(missing_extra("kafka://", "kafka")) from error
        self._kafka = confluent_kafka
        self._servers, self._topic, self._more = read_address(address)
        self.name = f"kafka://{self._servers}/{self._topic}"
        self._settings, self._say = settings, settings.say
        self._consumer: Any = None
        self._back_off = BackOff(self.name, self._say)
        self._turns: RoundRobin | None = None
        self._ended: set[int] = set()  # partitions whose end was reached
        self._ends: dict[int, int] = {}  # end offsets of partitions when they were opened
        self._paused: set[int] = set()
        self._is_down = self._is_refused = False

    def open(self, position: Json | None) -> Json:
        """Connect, and resume from a position."""
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
        portion = max(1, self._settings.block // len(partitions))
        start = RoundRobinPosition({}, partitions[0])
        if position is not None:
            self._check_topic(text(position, "topic"))
            portion = whole(position, "portion", 1)
            start = RoundRobinPosition.from_state(position, portion)
        offsets = {
            number: self._find_offset(number, start.offsets.get(number), is_first=position is None)
            for number in partitions
        }
        if missing := sorted({*start.offsets, start.turn} - set(partitions)):
            raise ValueError(
                f"{self.name} has no partition {missing[0]}, which was learned before, so it is "
                "another topic; name the same one, or start over with --fresh"
            )
        self._turns = RoundRobin(start._replace(offsets=offsets), portion)
        self._ended = {number for number, at in offsets.items() if at >= self._ends[number]}
        self._consumer.assign([self._at(number, at) for number, at in offsets.items()])
        return self._position(self._turns.position)

    def _list_partitions(self) -> list[int]:
        topic = self._ask(
            lambda: self._consumer.list_topics(self._topic, timeout=TIMEOUT).topics[self._topic]
        )
        if topic.error is not None or not topic.partitions:
            raise ValueError(f"{self.name} cannot be read: {topic.error or 'it has no partitions'}")
        return sorted(topic.partitions)

    def _check_topic(self, topic: str) -> None:
        if topic != self._topic:
            raise ValueError(
                f"the model was learned from the topic {topic!r}, not {self._topic!r}; name the "
                "same one"
            )

    def _find_offset(self, number: int, stored: int | None, *, is_first: bool) -> int:
        """Return the offset to resume at; a new partition starts at its first message."""
        low, high = self._ask(
            lambda: self._consumer.get_watermark_offsets(self._at(number), timeout=TIMEOUT)
        )
        self._ends[number] = int(high)
        if stored is None:
            return int(high if is_first and self._settings.start == "latest" else low)
        if stored > high:
            raise ValueError(
                f"{self.name} partition {number} ends at {high}, but was learned up to {stored}: "
                "the topic was recreated or is another one; name the same topic, or start over "
                "with --fresh"
            )
        if stored < low:
            lost = f"{self.name} partition {number}: {low - stored:,} messages from {stored} on"
            if self._settings.strict:
                raise ValueError(f"{lost} were deleted before they were learned; omit --strict")
            self._say(f"{lost} were deleted before they were learned")
        return max(stored, int(low))

    def _at(self, number: int, offset: int = 0) -> Any:
        return self._kafka.TopicPartition(self._topic, number, offset)

    @property
    def _opened(self) -> RoundRobin:
        assert self._turns is not None
        return self._turns

    def take(self, n: int, *, rest: bool) -> MessageBatch:
        """Return up to n of the next messages."""
        turns = self._opened
        self._fetch(0.0)
        found = turns.take(n, self._ended, rest=rest)
        if not found[0] and (self._settings.follow or not self._is_at_end):
            self._fetch(LOOK)
            found = turns.take(n, self._ended, rest=rest)
        self._balance()
        ids, payloads, position_after = found
        return MessageBatch(
            ids, payloads, lambda i: self._position(position_after(i)), self._is_at_end
        )

    @property
    def _is_at_end(self) -> bool:
        queues = self._opened.queues
        return len(self._ended) == len(queues) and not any(queues.values())

    def _fetch(self, seconds: float) -> None:
        """Fetch available messages; wait up to `seconds` for the first one."""
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
            self._is_down = False
            self._say(f"{self.name} can be reached again")

    def _add(self, messages: list[Any]) -> None:
        """Append messages to the queues of their partitions."""
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
        """Handle an error of a partition; raise if it is permanent."""
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
        return self._opened.position.offsets[number] if last is None else last + 1

    def _balance(self) -> None:
        """Pause partitions whose queues are long, which bounds the memory."""
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
        """Report once that brokers cannot be reached; the client reconnects by itself."""
        if error.code() in self._passing and not self._is_down and self._turns is not None:
            self._is_down = True
            self._say(f"{self.name} cannot be reached ({error.str()}); retrying")

    def _ask(self, question: Any) -> Any:
        """Return an answer of the brokers, retrying while they cannot be reached."""
        while True:
            try:
                answer = question()
            except self._kafka.KafkaException as error:
                found = error.args[0]
                if not (found.retriable() or found.code() in self._passing):
                    raise ValueError(f"{self.name} cannot be read: {found}") from error
                self._back_off.on_failure(ValueError(found.str()))
            else:
                self._back_off.on_success()
                return answer

    def describe(self, position: Json) -> str:
        """Return the lag of a position in words, by the end offsets that the client knows."""
        n_behind = 0
        for number, offset in position["offsets"].items():
            found = self._consumer.get_watermark_offsets(self._at(int(number)), cached=True)
            n_behind += max(0, found[1] - offset) if found else 0
        return f"{n_behind:,} messages behind" if n_behind else "up to date"

    def tell(self, position: Json) -> None:
        """Commit the offsets of a position, for monitors that show the lag of the group."""
        at = [self._at(int(number), offset) for number, offset in position["offsets"].items()]
        try:
            self._consumer.commit(offsets=at, asynchronous=True)
        except self._kafka.KafkaException as error:
            self._note_commit(error.args[0], [])

    def _note_commit(self, error: Any, partitions: list[Any]) -> None:
        """Report once that a commit was rejected; learning does not depend on commits."""
        found = error or next((one.error for one in partitions if one.error is not None), None)
        if found is not None and found.code() not in self._passing and not self._is_refused:
            self._is_refused = True
            self._say(
                f"{self.name} rejects commits ({found.str()}): monitors will not see the lag; "
                "learning continues"
            )

    def _position(self, position: RoundRobinPosition) -> Json:
        return {"topic": self._topic, **position.to_state(), "portion": self._opened.portion}

    def close(self) -> None:
        """Disconnect."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None


def read_address(address: str) -> tuple[str, str, dict[str, str]]:
    """Return the brokers, the topic, and the client settings of an address.

    Examples
    --------
    >>> read_address("kafka://one:9092,two/clicks?security.protocol=SSL")
    ('one:9092,two:9092', 'clicks', {'security.protocol': 'SSL'})
    """
    parts = urlsplit(address)
    topic, brokers = unquote(parts.path.strip("/")), parts.netloc.split(",")
    if not all(brokers) or not topic or "/" in topic:
        raise ValueError(f"a Kafka address must be kafka://host:port/TOPIC, got {address}")
    servers = ",".join(one if ":" in one else f"{one}:9092" for one in brokers)
    return servers, topic, dict(parse_qsl(parts.query, keep_blank_values=True))
