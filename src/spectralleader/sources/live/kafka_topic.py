"""Kafka: kafka://host:port/TOPIC, by partition assignment, with offsets stored in the model."""

from __future__ import annotations

import logging
from typing import Annotated, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from spectralleader.errors import ResumeError, missing_extra
from spectralleader.sources.files.problems import DELETED
from spectralleader.sources.live.protocol import (
    LOOK,
    PATIENCE,
    BackOff,
    LiveSource,
    MessageBatch,
    read_settings,
)
from spectralleader.sources.options import Json, SourceOptions
from spectralleader.sources.reader import check_position

TIMEOUT = 5.0  # seconds to wait for an answer
SETTINGS = {
    "group.id": "spectralleader",  # commits show the lag to monitors; they are never read back
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",  # report deleted messages instead of skipping them silently
    "reconnect.backoff.ms": 100,
    "reconnect.backoff.max.ms": 5000,
    "queued.max.messages.kbytes": 16_384,  # prefetched per partition: bounds the memory
    "fetch.wait.max.ms": 100,
}
SILENT = logging.getLogger("spectralleader.kafka")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False  # we report each failure once, instead of librdkafka repeatedly


Offsets = dict[Annotated[str, msgspec.Meta(pattern="^[0-9]+$")], Annotated[int, msgspec.Meta(ge=0)]]


class TopicPosition(msgspec.Struct):
    """A position as it is saved: the offsets of the next messages by number of partition."""

    topic: str
    offsets: Annotated[Offsets, msgspec.Meta(min_length=1)]


class KafkaTopic(LiveSource):
    """All partitions of one topic, in the order in which the client fetches them.

    Offsets alone decide what is read, so each message comes once. Messages of one partition come in
    order; how partitions are interleaved may differ between runs.

    Parameters
    ----------
    address : str
        kafka://host:port,host:port/TOPIC, optionally with client settings such as
        ?security.protocol=SSL&...
    options : SourceOptions
        If strict, raise if messages after the position were deleted, instead of reporting it.
    """

    kind, unit, form = "kafka", "messages", "kafka://host:port/TOPIC"

    def __init__(self, address: str, options: SourceOptions) -> None:
        try:
            import confluent_kafka
        except ModuleNotFoundError as error:
            raise ImportError(missing_extra("kafka://", "kafka")) from error
        self._kafka = confluent_kafka
        self._servers, self._topic, self._more = read_address(address)
        self.name = f"kafka://{self._servers}/{self._topic}"
        self._options, self._say = options, options.say
        self._consumer: Any = None
        self._back_off = BackOff(self.name, self._say, self._kafka.KafkaException, self._explain)
        self._ask = self._back_off.ask
        self._offsets: dict[int, int] = {}  # of the next message of each partition
        self._ended: set[int] = set()  # partitions whose end was reached
        self._ends: dict[int, int] = {}  # end offsets of partitions when they were opened
        # What was reported already: librdkafka repeats its errors.
        self._is_down = self._is_refused = False

    def open(self, position: Json | None) -> Json:
        """Connect, and resume from a position."""
        settings = {
            **SETTINGS,
            **self._more,
            **read_settings(self._options.broker_settings),
            "bootstrap.servers": self._servers,
            "error_cb": self._note_error,
            "on_commit": self._note_commit,
        }
        try:
            self._consumer = self._kafka.Consumer(settings, logger=SILENT)
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name}: {error.args[0]}") from error
        if position is None:
            self._back_off.patience = PATIENCE
        partitions = self._list_partitions()
        stored = {} if position is None else self._read_offsets(position)
        # Partitions of a topic can be added, but never removed.
        if missing := sorted(set(stored) - set(partitions)):
            raise ResumeError(
                f"{self.name} has no partition {missing[0]}, which was learned before, so it is "
                "another topic",
                "name the same one",
            )
        self._offsets = {
            number: self._find_offset(number, stored.get(number), is_first=position is None)
            for number in partitions
        }
        self._ended = {number for number, at in self._offsets.items() if at >= self._ends[number]}
        self._consumer.assign([self._at(number, at) for number, at in self._offsets.items()])
        return self._position

    def _list_partitions(self) -> list[int]:
        topic = self._ask(
            lambda: self._consumer.list_topics(self._topic, timeout=TIMEOUT).topics[self._topic]
        )
        if topic.error is not None or not topic.partitions:
            raise ValueError(f"{self.name} cannot be read: {topic.error or 'it has no partitions'}")
        return sorted(topic.partitions)

    def _read_offsets(self, position: Json) -> dict[int, int]:
        """Return the offsets of a position, after validation."""
        at = check_position(TopicPosition, position)
        if at.topic != self._topic:
            raise ValueError(
                f"the model was learned from the topic {at.topic!r}, not {self._topic!r}; name the "
                "same one"
            )
        return {int(number): offset for number, offset in at.offsets.items()}

    def _find_offset(self, number: int, stored: int | None, *, is_first: bool) -> int:
        """Return the offset to resume at; a new partition starts at its first message."""
        low, high = self._ask(
            lambda: self._consumer.get_watermark_offsets(self._at(number), timeout=TIMEOUT)
        )
        self._ends[number] = int(high)
        if stored is None:
            return int(high if is_first and self._options.start == "latest" else low)
        if stored > high:
            raise ResumeError(
                f"{self.name} partition {number} ends at {high}, but was learned up to {stored}: "
                "the topic was recreated or is another one",
                "name the same topic",
            )
        if stored < low:
            lost = f"{self.name} partition {number}: {low - stored:,} messages from {stored} on"
            if self._options.strict:
                raise ValueError(f"{lost} were deleted before they were learned; omit --strict")
            self._say(f"{lost} were deleted before they were learned")
            place = f"{self.name} message {number}:{stored}"
            self.problems.add(DELETED, place, n=low - stored)
        return max(stored, int(low))

    def _at(self, number: int, offset: int = 0) -> Any:
        return self._kafka.TopicPartition(self._topic, number, offset)

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next messages."""
        found = self._fetch(n, 0.0)
        if not found and (self._options.waits or not self._is_at_end):
            # Nothing is there: wait for one message, not for n of them.
            found = self._fetch(1, LOOK)
        return MessageBatch(
            [f"{message.partition()}:{message.offset()}" for message in found],
            [message.value() or b"" for message in found],
            self._position,
            len(found) < n and self._is_at_end,
        )

    @property
    def _is_at_end(self) -> bool:
        return len(self._ended) == len(self._offsets)

    def _fetch(self, n: int, seconds: float) -> list[Any]:
        """Return up to n messages; wait up to `seconds` for the first one."""
        try:
            found = self._consumer.consume(n, timeout=seconds)
        except self._kafka.KafkaException as error:
            raise ValueError(f"{self.name} cannot be read: {error.args[0]}") from error
        messages = [message for message in found if message.error() is None]
        kind = self._kafka.Message
        read = dict(zip(map(kind.partition, messages), map(kind.offset, messages), strict=True))
        self._offsets |= {number: offset + 1 for number, offset in read.items()}
        self._ended -= set(read)
        for message in found if len(messages) < len(found) else ():
            if (problem := message.error()) is not None:
                self._meet(problem, message.partition())
        # The client reports the end of a partition late.
        self._ended |= {number for number, at in self._offsets.items() if at >= self._ends[number]}
        if found and self._is_down:
            self._is_down = False
            self._back_off.n_reconnects += 1
            self._say(f"{self.name} can be reached again")
        return messages

    def _meet(self, error: Any, number: int) -> None:
        """Handle an error of a partition; raise if it is permanent."""
        codes = self._kafka.KafkaError
        if error.code() == codes._PARTITION_EOF:
            self._ended.add(number)
        elif error.code() in (codes._AUTO_OFFSET_RESET, codes.OFFSET_OUT_OF_RANGE):
            at = self._find_offset(number, self._offsets[number], is_first=False)
            self._offsets[number] = at
            self._consumer.seek(self._at(number, at))
        elif error.fatal() or not (error.retriable() or error.code() in self._passing):
            raise ValueError(f"{self.name} cannot be read: {error}")

    @property
    def _passing(self) -> tuple[int, ...]:
        codes = self._kafka.KafkaError
        return (codes._TRANSPORT, codes._ALL_BROKERS_DOWN, codes._TIMED_OUT, codes._RESOLVE)

    def _note_error(self, error: Any) -> None:
        """Report once that brokers cannot be reached; the client reconnects by itself."""
        if error.code() in self._passing and not self._is_down and self._offsets:
            self._is_down = True
            self._say(f"{self.name} cannot be reached ({error.str()}); retrying")

    def _explain(self, error: Any) -> str | None:
        found = error.args[0]
        return found.str() if found.retriable() or found.code() in self._passing else None

    def lag(self, position: Json) -> float:
        """Return how many messages follow a position, by the end offsets that the client knows."""
        n_behind = 0
        for number, offset in position["offsets"].items():
            found = self._consumer.get_watermark_offsets(self._at(int(number)), cached=True)
            n_behind += max(0, found[1] - offset) if found else 0
        return n_behind

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

    @property
    def _position(self) -> Json:
        by_name = {str(number): offset for number, offset in self._offsets.items()}
        return {"topic": self._topic, "offsets": by_name}

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
