import json
import threading
import time
from itertools import islice

import pytest

from spectralleader.sources import open_source
from spectralleader.sources.files import problems
from spectralleader.sources.live import redis_stream
from spectralleader.sources.options import SourceOptions
from tests.servers import RedisServer, needs_redis

pytestmark = needs_redis


def read_all(address, **options):
    with open_source(address, follow=False, **options) as reader:
        return reader, [text for block in reader for text in block.texts]


def test_fields_and_json_in_them_are_columns(redis_server):
    address = f"{redis_server.address}/mixed"
    entries = [
        {"payload": json.dumps({"body": f"rain {i}", "items": ["a", i]}), "user": i}
        for i in range(5)
    ]
    redis_server.fill("mixed", entries)
    assert read_all(address, text="payload.body")[1] == [f"rain {i}" for i in range(5)]
    reader, found = read_all(address, tokens="payload.items")
    assert found == [["a", str(i)] for i in range(5)]
    assert reader.guesses == ("payload.items: 2 tokens, first 'a'",)
    assert read_all(address, text="user")[1] == list("01234")
    with pytest.raises(ValueError, match=r"has no column 'body'; its columns are 'payload', "):
        open_source(address, text="body")


def test_bad_messages_are_counted_with_their_ids_and_skipped(redis_server):
    address = f"{redis_server.address}/bad"
    entries = [{"text": "rain"}, {"text": b"\xff"}, {"other": "x"}, {"text": " "}, {"text": "wind"}]
    redis_server.fill("bad", entries)
    with redis_server.client() as client:
        ids = [id.decode() for id, _ in client.xrange("bad")]
    reader, found = read_all(address, block=2)
    assert found == ["rain", "wind"]
    assert reader.problems.counts == {problems.UNDECODABLE: 1, problems.NO_TEXT: 2}
    assert reader.problems.places[problems.UNDECODABLE] == [f"{address} message {ids[1]}"]
    with pytest.raises(ValueError, match=f"message {ids[1]}: not UTF-8 text"):
        read_all(address, strict=True)


def test_latest_is_the_first_message_after_the_start(redis_server):
    address = f"{redis_server.address}/late"
    redis_server.fill("late", [{"text": "old"}])
    with open_source(address, text="text", block=1, start="latest", follow=False) as reader:
        assert list(reader) == []
        assert reader.position is None
    reader = redis_stream.RedisStream(address, SourceOptions(start="latest", say=print))
    position = reader.open(None)
    redis_server.fill("late", [{"text": "new"}])
    assert reader.take(9).payloads == [[b"text", b"new"]]
    reader.open(position)
    assert len(reader.take(9).ids) == 1
    reader.close()


def test_a_stream_that_is_another_is_refused(redis_server):
    address = f"{redis_server.address}/first"
    redis_server.fill("first", [{"text": "rain"}] * 3)
    with open_source(address, follow=False) as reader:
        position = next(reader).position
    with pytest.raises(ValueError, match="learned from the stream 'first', not 'second'"):
        open_source(f"{redis_server.address}/second", after=position)
    with redis_server.client() as client:
        client.delete("first")
    with pytest.raises(ValueError, match=r"ends at 0-0, but was learned up to .*--fresh"):
        open_source(address, after=position)
    with redis_server.client() as client:
        client.set("first", "text")
    with pytest.raises(ValueError, match="cannot be read: WRONGTYPE"):
        open_source(address)


@pytest.fixture
def trimmed(redis_server, request):
    """A stream of which 10 of 30 messages are learned; its address and the position."""
    with redis_server.client() as client:
        if int(client.info()["redis_version"].split(".")[0]) < 7:
            pytest.skip("Redis before version 7 does not tell how many messages were added")
    name = f"trimmed-{request.node.name}"
    redis_server.fill(name, [{"text": f"rain {i}"} for i in range(10)])
    with open_source(f"{redis_server.address}/{name}", block=10) as reader:
        position = next(reader).position
    redis_server.fill(name, [{"text": f"rain {i}"} for i in range(10, 30)])
    return name, f"{redis_server.address}/{name}", position


def delete_by(client, name, how):
    if how == "XTRIM":
        client.xtrim(name, maxlen=12, approximate=False)
    elif how == "MAXLEN":
        client.xadd(name, {"text": "rain 30"}, maxlen=13, approximate=False)
    else:
        client.xdel(name, *(id for id, _ in client.xrange(name)[10:18]))


@pytest.mark.parametrize("how", ["XTRIM", "MAXLEN", "XDEL"])
def test_messages_deleted_before_they_were_read_are_reported_with_their_number(
    redis_server, trimmed, how
):
    name, address, position = trimmed
    with redis_server.client() as client:
        delete_by(client, name, how)
    said = []
    reader, found = read_all(address, after=position, say=said.append)
    assert found[:12] == [f"rain {i}" for i in range(18, 30)]
    [lost] = said
    assert "was trimmed: 8 messages were deleted before learning" in lost
    assert [row[:2] for row in reader.problems.skipped] == [("deleted before it was read", 8)]
    with pytest.raises(ValueError, match=r"8 messages were deleted.*omit --strict"):
        read_all(address, after=position, strict=True)
    said.clear()
    assert read_all(address, after=reader.position, say=said.append)[1] == []
    assert said == []  # once is enough


def test_read_messages_may_be_deleted_without_a_word(redis_server, trimmed):
    name, address, position = trimmed
    said = []
    with redis_server.client() as client:
        client.xdel(name, client.xrange(name)[0][0])
        client.xtrim(name, maxlen=20, approximate=False)
    found = read_all(address, after=position, say=said.append, strict=True)[1]
    assert (len(found), said) == (20, [])
    with redis_server.client() as client:  # what was deleted before the first start is not missed
        client.xtrim(name, maxlen=5, approximate=False)
    assert (len(read_all(address, say=said.append, strict=True)[1]), said) == (5, [])


def test_messages_deleted_while_the_stream_is_followed_are_reported(
    redis_server, trimmed, monkeypatch
):
    monkeypatch.setattr(redis_stream, "LAG_EVERY", 0.0)
    name, address, position = trimmed
    said = []
    with open_source(address, after=position, block=20, say=said.append, wait=0) as reader:
        assert len(next(reader)) == 20
        redis_server.fill(name, [{"text": "wind"}] * 7)
        with redis_server.client() as client:
            client.xtrim(name, maxlen=3, approximate=False)
        n = 0
        while n < 3:
            n += len(next(reader))
        reader.next_or_idle()
    [lost] = said
    assert "4 messages were deleted" in lost


def test_the_password_comes_from_a_file(redis_server, tmp_path):
    redis_server.fill("secret", [{"text": "rain"}])
    given = tmp_path / "settings"
    given.write_text("# of the reader\nusername=reader\n\n password = a=b \n")
    with redis_server.client() as client:
        client.acl_setuser(
            "reader", enabled=True, passwords=["+a=b"], keys=["secret"], commands=["+@all"]
        )
    _, found = read_all(f"{redis_server.address}/secret", broker_settings=str(given))
    assert found == ["rain"]
    given.write_text("username=reader\npassword=wrong")
    with pytest.raises(ValueError, match="denies access"):
        read_all(f"{redis_server.address}/secret", broker_settings=str(given))
    given.write_text("a-password")
    with pytest.raises(ValueError, match="must have lines such as") as error:
        read_all(f"{redis_server.address}/secret", broker_settings=str(given))
    assert "a-password" not in str(error.value)


def test_a_stream_that_was_recreated_is_refused_though_its_ids_are_later(redis_server, trimmed):
    name, address, position = trimmed
    with redis_server.client() as client:
        client.delete(name)
    redis_server.fill(name, [{"text": "wind"}])
    with pytest.raises(ValueError, match=r"was recreated or is another one.*--fresh"):
        open_source(address, after=position)


def test_a_position_of_an_earlier_version_reports_that_nothing_is_known(redis_server, trimmed):
    name, address, position = trimmed
    del position["at"]["added"]
    said = []
    assert len(read_all(address, after=position, say=said.append)[1]) == 20
    assert said == []
    with redis_server.client() as client:
        delete_by(client, name, "XTRIM")
    reader, found = read_all(address, after=position, say=said.append)
    assert len(found) == 12
    [unknown] = said
    assert "whether messages between them were deleted is unknown" in unknown
    assert reader.position["at"]["added"] == 30  # from now on it is known
    position["at"]["added"] = -1
    with pytest.raises(ValueError, match="added"):
        open_source(address, after=position)


def test_an_address_without_a_server_is_an_error_soon(monkeypatch):
    monkeypatch.setattr(redis_stream, "PATIENCE", 0.3)
    with pytest.raises(ValueError, match=r"redis://127.0.0.1:1/0/x cannot be reached.*address"):
        open_source("redis://:secret@127.0.0.1:1/0/x")
    with pytest.raises(
        ValueError, match=r"must be redis://host:port/db/STREAM, got redis://host/$"
    ):
        open_source("redis://:secret@host/")


def test_a_server_that_restarts_is_connected_to_again(tmp_path):
    server, said = RedisServer(tmp_path), []
    try:
        server.fill("s", [{"text": f"rain {i}"} for i in range(50)])
        with open_source(f"{server.address}/s", block=10, say=said.append) as reader:
            assert len(list(islice(reader, 5))) == 5
            server.kill()

            def restart():
                time.sleep(0.5)
                server.start()
                server.fill("s", [{"text": f"wind {i}"} for i in range(10)])

            thread = threading.Thread(target=restart)
            thread.start()
            assert next(reader).texts == [f"wind {i}" for i in range(10)]
            thread.join()
            assert reader.lag() == (0, "s")
    finally:
        server.kill()
    assert len(said) == 2
    assert "cannot be reached" in said[0]
    assert "can be reached again" in said[1]


def test_without_its_client_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(ImportError, match=r"the extra 'redis': pip install 'redis\[hiredis\]'"):
        open_source("redis://localhost/0/x")
