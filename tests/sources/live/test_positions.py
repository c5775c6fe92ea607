"""The law of live sources: a position alone decides what comes next."""

import json
import math
import time
from itertools import islice

import pytest

from spectralleader.sources import open_source

TEXTS = [f"rain number {i}" for i in range(230)]


def read_all(address, **options):
    with open_source(address, follow=False, **options) as reader:
        return list(reader)


def texts_of(blocks):
    return [text for block in blocks for text in block.texts]


def test_every_text_comes_once_and_positions_are_plain_json(stream):
    address, add = stream
    add(TEXTS)
    blocks = read_all(address, block=50)
    assert sorted(texts_of(blocks)) == sorted(TEXTS)
    assert [len(block) for block in blocks] == [50, 50, 50, 50, 30]
    for block in blocks:
        assert json.loads(json.dumps(block.position)) == block.position
    places = [block.place(i) for block in blocks for i in range(len(block))]
    assert len(set(places)) == len(TEXTS)


def test_whatever_position_it_is_opened_after_the_rest_is_the_same(stream):
    address, add = stream
    add(TEXTS)
    blocks = read_all(address, block=20)
    for i in range(0, len(blocks), 3):
        rest = read_all(address, block=20, after=blocks[i].position)
        expected = [block.texts for block in blocks[i + 1 :]]
        if address.startswith("kafka"):  # partitions come in any order
            assert sorted(texts_of(rest)) == sorted(texts_of(blocks[i + 1 :]))
            assert list(map(len, rest)) == list(map(len, expected))
        else:
            assert [block.texts for block in rest] == expected
        assert rest[-1:] == [] or rest[-1].position == blocks[-1].position


def test_what_is_added_later_comes_after_what_was_there(stream):
    address, add = stream
    add(TEXTS[:40])
    last = read_all(address, block=40)[-1]
    assert read_all(address, block=40, after=last.position) == []
    add(TEXTS[40:80])
    assert sorted(texts_of(read_all(address, block=7, after=last.position))) == sorted(TEXTS[40:80])


def test_a_source_that_is_followed_gives_whole_blocks_only_if_it_may_wait(stream):
    address, add = stream
    add(TEXTS[:100])
    with open_source(address, block=40, wait=math.inf) as reader:
        first = list(islice(reader, 2))
        assert [len(block) for block in first] == [40, 40]
        idle = [reader.next_or_idle() for _ in range(2)]
        if "folder" not in type(reader).__name__.lower():  # files are complete when they come
            assert [len(block) for block in idle] == [0, 0]
            add(TEXTS[100:120])
            assert len(next(reader)) == 40


def test_what_fills_no_block_comes_all_the_same_after_a_moment(stream):
    address, add = stream
    add(TEXTS[:90])
    with open_source(address, block=40, wait=0.5) as reader:
        blocks = list(islice(reader, 3))
        assert [len(block) for block in blocks] == [40, 40, 10]
        add(TEXTS[90:93])
        began = time.monotonic()
        while sum(map(len, blocks)) < 93:
            blocks.append(next(reader))
        assert time.monotonic() - began < 5
        assert sorted(texts_of(blocks)) == sorted(TEXTS[:93])
    rest = read_all(address, block=40, after=blocks[1].position)
    assert sorted(texts_of(rest)) == sorted(texts_of(blocks[2:]))
    assert read_all(address, block=40, after=blocks[-1].position) == []
    with pytest.raises(ValueError, match="wait must be at least 0 seconds, got -1"):
        open_source(address if "://" in address else __file__, wait=-1)


@pytest.mark.parametrize(
    "position",
    [3, {}, {"kind": "other"}, {"kind": "redis", "at": 1, "read": {}}, [], {"kind": "kafka"}],
    ids=str,
)
def test_a_position_of_something_else_is_refused(stream, position):
    address, add = stream
    add(TEXTS[:10])
    with pytest.raises(ValueError, match=r"\w"):
        open_source(address, after=position)


def test_a_position_that_was_tampered_with_is_refused(stream):
    address, add = stream
    add(TEXTS[:20])
    [block] = read_all(address, block=20)

    def spoiled(value):
        if isinstance(value, dict):
            for key in value:
                # A partition without an offset is new; Redis before version 7 does not tell how
                # many messages were added, so any number of them is believed.
                if not key.isdecimal() and key != "added":
                    yield {name: one for name, one in value.items() if name != key}
                if value[key] is not None or key != "added":
                    yield from ({**value, key: other} for other in spoiled(value[key]))
        elif not isinstance(value, bool):
            yield {"x": []} if value is not None else 3

    for position in spoiled(block.position):
        with pytest.raises(ValueError, match=r"\w"):
            open_source(address, after=position)


def test_an_address_that_is_not_known_says_which_are(tmp_path):
    with pytest.raises(ValueError, match=r"unknown scheme amqp://; use redis://.*kafka://"):
        open_source("amqp://localhost/queue")
    with pytest.raises(ValueError, match="does not exist"):
        open_source(tmp_path / "none.log")
    with pytest.raises(ValueError, match="start must be one of earliest, latest, got 'middle'"):
        open_source(tmp_path, start="middle")
