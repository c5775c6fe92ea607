import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from spectralleader.sources import open_source
from spectralleader.sources.files import problems
from spectralleader.sources.live import kafka_topic
from spectralleader.sources.options import SourceOptions
from tests.servers import needs_kafka

pytestmark = needs_kafka


def as_json(*texts):
    return [json.dumps({"text": text}) for text in texts]


def test_all_partitions_are_read_each_in_its_order(kafka_cluster):
    kafka_cluster.fill("many", as_json(*(f"{i % 4}-{i // 4}" for i in range(64))))
    with open_source(f"{kafka_cluster.address}/many", block=10, follow=False) as reader:
        blocks = list(reader)
    assert [len(block) for block in blocks] == [10] * 6 + [4]
    found = [text for block in blocks for text in block.texts]
    for number in range(4):
        own = [text for text in found if text.startswith(f"{number}-")]
        assert own == [f"{number}-{i}" for i in range(16)]


def test_a_busy_partition_does_not_wait_for_the_others(kafka_cluster):
    kafka_cluster.fill("left", as_json(*map(str, range(10))), n_partitions=1)
    address = f"{kafka_cluster.address}/left"
    with open_source(address, block=32, follow=False) as reader:
        blocks = list(reader)
    assert [text for block in blocks for text in block.texts] == list(map(str, range(10)))
    for _ in range(8):
        kafka_cluster.producer.produce("left", as_json("new")[0], partition=3)
    kafka_cluster.producer.flush(10)
    with open_source(address, block=8, after=blocks[-1].position) as reader:
        assert next(reader).texts == ["new"] * 8


def test_the_position_after_a_batch_is_of_all_partitions(kafka_cluster):
    kafka_cluster.fill("between", as_json(*["rain"] * 20))
    topic = kafka_topic.KafkaTopic(f"{kafka_cluster.address}/between", SourceOptions())
    offsets = topic.open(None)["offsets"]
    batches = [topic.take(3)]
    while not batches[-1].at_end:
        batches.append(topic.take(3))
    topic.close()
    assert sum(len(batch.ids) for batch in batches) == 20
    for batch in batches:
        for id in batch.ids:
            number, offset = id.split(":")
            offsets[number] = int(offset) + 1
        assert batch.after["offsets"] == offsets
    assert len(offsets) == 4


def test_plain_text_and_bad_messages_are_read_as_they_are(kafka_cluster):
    kafka_cluster.fill("plain", [b"rain and wind", b"\xff", b"goal"], n_partitions=1)
    with open_source(f"{kafka_cluster.address}/plain", follow=False) as reader:
        assert next(reader).texts == ["rain and wind", "goal"]
        assert reader.guesses == ("each message is a text",)
        assert reader.problems.counts == {problems.UNDECODABLE: 1}
        assert reader.problems.places[problems.UNDECODABLE][0].endswith("/plain message 0:1")


def test_broken_json_is_counted_and_strict_stops(kafka_cluster):
    values = ['{"text": "rain"}', "{", '{\n"text": "wi\\nnd"}', '{"text": "\\ud800"}']
    kafka_cluster.fill("broken", values, n_partitions=1)
    address = f"{kafka_cluster.address}/broken"
    with open_source(address, follow=False) as reader:
        assert next(reader).texts == ["rain", "wi\nnd"]
        assert reader.problems.counts == {problems.BROKEN_JSON: 2}
    with (
        open_source(address, follow=False, strict=True) as reader,
        pytest.raises(ValueError, match=r"message 0:1: invalid JSON"),
    ):
        next(reader)


def test_broken_messages_at_the_beginning_decide_nothing(kafka_cluster):
    said = []
    kafka_cluster.fill("began", ["{", '{"text": '], n_partitions=1)
    address = f"{kafka_cluster.address}/began"
    with open_source(address, follow=False) as reader:
        assert list(reader) == []
        assert reader.problems.counts == {problems.BROKEN_JSON: 2}
    with ThreadPoolExecutor() as pool:
        opened = pool.submit(open_source, address, block=1, say=said.append)
        while not said:
            time.sleep(0.05)
        kafka_cluster.fill("began", as_json("rain"), n_partitions=1)
        with opened.result(timeout=30) as reader:
            assert next(reader).texts == ["rain"]
    assert said == [f"{address} message 0:0: invalid JSON; further ones are only counted"]


def test_latest_begins_at_the_end_and_other_topics_are_refused(kafka_cluster):
    kafka_cluster.fill("late", as_json(*["old"] * 8))
    address = f"{kafka_cluster.address}/late"
    topic = kafka_topic.KafkaTopic(address, SourceOptions(start="latest", say=print))
    position = topic.open(None)
    assert position["offsets"] == {"0": 2, "1": 2, "2": 2, "3": 2}
    topic.close()
    format = {"kind": "json", "columns": {"text": ["text"]}}
    stored = {"kind": "kafka", "at": position, "read": format}
    kafka_cluster.fill("late", as_json("new"), n_partitions=1)
    with open_source(address, after=stored, follow=False) as reader:
        assert next(reader).texts == ["new"]
        assert reader.lag() == (0, "messages")
    kafka_cluster.fill("other", as_json("x"))
    with pytest.raises(ValueError, match="learned from the topic 'late', not 'other'"):
        open_source(f"{kafka_cluster.address}/other", after=stored)
    position["offsets"]["0"] = 99
    with pytest.raises(ValueError, match=r"partition 0 ends at 3, but was learned up to 99"):
        open_source(address, after=stored)


def test_an_address_without_brokers_is_an_error_soon(monkeypatch):
    monkeypatch.setattr(kafka_topic, "PATIENCE", 0.3)
    monkeypatch.setattr(kafka_topic, "TIMEOUT", 0.3)
    with pytest.raises(ValueError, match=r"kafka://127.0.0.1:1/x cannot be reached.*address"):
        open_source("kafka://127.0.0.1:1/x")
    with pytest.raises(ValueError, match="must be kafka://host:port/TOPIC, got kafka://host/"):
        open_source("kafka://host/")
    with pytest.raises(ValueError, match="No such configuration property"):
        open_source("kafka://127.0.0.1:1/x?no.such=1")


def test_without_its_client_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "confluent_kafka", None)
    with pytest.raises(ImportError, match=r"the extra 'kafka': pip install confluent-kafka"):
        open_source("kafka://localhost/x")


def test_what_is_saved_is_committed_for_monitors_and_never_read_back(kafka_cluster):
    from confluent_kafka import Consumer, TopicPartition

    kafka_cluster.fill("watched", as_json(*["rain"] * 20))
    address = f"{kafka_cluster.address}/watched?group.id=monitored"
    with open_source(address, block=8, follow=False) as reader:
        position = next(reader).position
        rest = [len(block) for block in reader]
        reader.tell(position)
    settings = {"bootstrap.servers": kafka_cluster.servers, "group.id": "monitored"}
    monitor = Consumer(settings)
    partitions = [TopicPartition("watched", number) for number in range(4)]
    end, offsets = time.monotonic() + 10, [*position["at"]["offsets"].values()]
    assert sum(offsets) == 8
    while (found := [one.offset for one in monitor.committed(partitions, 5)]) != offsets:
        assert time.monotonic() < end, found
    monitor.commit(offsets=[TopicPartition("watched", 0, 5)], asynchronous=False)  # by somebody
    monitor.close()
    with open_source(address, block=8, follow=False, after=position) as reader:
        assert [len(block) for block in reader] == rest == [8, 4]


def test_a_broker_that_refuses_commits_is_reported_once(kafka_cluster):
    from confluent_kafka import KafkaError

    said = []
    topic = kafka_topic.KafkaTopic("kafka://x/y", SourceOptions(start="latest", say=said.append))
    for _ in range(2):
        topic._note_commit(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED), [])
        topic._note_commit(KafkaError(KafkaError._TRANSPORT), [])  # away: reported elsewhere
        topic._note_commit(None, [])
    assert len(said) == 1
    assert "rejects commits" in said[0]
