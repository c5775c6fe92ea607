import json
import os
import struct
import tracemalloc

import numpy as np
import pytest

from spectralleader import LEARNERS, StorageError, Unigram, __version__, load, save
from spectralleader.storage import FORMAT
from spectralleader.storage.container import START, pack, seal, unpack
from tests.factories import model, same_state
from tests.storage.tampering import parts_of
from tests.storage.things import things


def with_header(change):
    """Return a harm: the header is changed, and the file sealed again."""

    def harm(content):
        text, data = parts_of(content)
        header = json.loads(text)
        change(header)
        return seal(json.dumps(header).encode(), data)

    return harm


def with_text(text):
    """Return a harm: the header is another."""
    return lambda _: seal(text, b"")


def with_array(index, value):
    """Return a harm: one thing about an array is another."""
    return with_header(lambda h: h["state"]["topics"]["$array"].__setitem__(index, value))


def with_number(value):
    """Return a harm: a number of an array is another."""

    def harm(content):
        text, data = parts_of(content)
        return seal(text, struct.pack("<d", value) + data[8:])

    return harm


HARMS = {
    "was not saved by spectralleader": lambda c: b"PK" + c,
    "was not saved by": lambda c: c[:40],
    "is truncated": lambda c: c[:-1],
    "trailing bytes": lambda c: c + b"x",
    "its checksum is wrong": lambda c: c[:-9] + b"x" + c[-8:],
    f"reads {FORMAT}; it was written by '{__version__}'": with_header(
        lambda h: h.update(format=FORMAT + 1)
    ),
    "format must be an integer": with_header(lambda h: h.update(format=True)),
    "contains an object of unknown kind 'os'": with_header(lambda h: h.update(kind="os")),
    "unknown kind '../../model'": with_header(lambda h: h.update(kind="../../model")),
    "indptr is missing|n_words is missing": with_header(lambda h: h.update(kind="documents")),
    "state is missing": with_header(lambda h: h.update(other=h.pop("state"))),
    "bytes follow the last array": with_header(lambda h: h.update(state=[])),
    "invalid array: ": with_array(0, "|O"),
    "invalid array: .*True": with_array(1, [True, 6]),
    "invalid array: .*-3": with_array(1, [-3, 6]),
    "invalid array: .*00": with_array(1, [10**100]),
    "invalid array: .*0, 0": with_array(1, [0] * 33),
    "an array of 8000000000 bytes": with_array(1, [10**9]),
    "an array of 396140812571321687967719751680 bytes": with_array(1, [2**46, 2**46, 10]),
    "an array of .* does not fit the": with_array(2, 0),
    "an array of 144 bytes": with_array(2, 64 + 8),
    "shape \\(3, any\\), got one of int64": with_array(0, "<i8"),
    "shape \\(3, any\\), got one of float64 and shape \\(18,\\)": with_array(1, [18]),
    "shape \\(3, any\\), got .* \\(6, 3\\)": with_array(1, [6, 3]),
    "weights must be numbers from 0 to 1, got nan": with_number(np.nan),
    "weights must be numbers from 0 to 1, got inf": with_number(np.inf),
    "weights must be numbers from 0 to 1, got -1": with_number(-1.0),
    "weights must have rows that sum to 1": with_number(0.0),
    "nested too deeply": with_text(b"[" * 10**6),
    "has a duplicate name": with_text(b'{"format": 1, "format": 1}'),
    "contains NaN": with_text(b'{"format": NaN}'),
    "4300 digits": with_text(b'{"format": ' + b"9" * 5000 + b"}"),
    "got a huge number": with_text(b'{"format": ' + b"9" * 4000 + b"}"),
    "JSON object, got \\[\\]": with_text(b"[]"),
    "Expecting value": with_text(b""),
    "utf-8": with_text(b"\xff"),
}


@pytest.mark.parametrize("message", HARMS)
def test_a_file_that_is_not_right_is_an_error_of_one_line(tmp_path, message):
    path = save(model(), tmp_path / "m")
    path.write_bytes(HARMS[message](path.read_bytes()))
    with pytest.raises(StorageError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


def test_a_header_that_is_not_filled_up_is_refused(tmp_path):
    # the arrays would not stand where processors want numbers to stand
    content = pack({"format": 1})
    path = tmp_path / "m"
    path.write_bytes(START.pack(content[:16], 13, 0, b"0" * 32) + content[64:77])
    with pytest.raises(StorageError, match="its checksum is wrong"):
        load(path)


def test_what_is_unpacked_is_what_was_packed():
    header = {
        "arrays": [np.arange(6.0).reshape(2, 3), np.zeros((0, 4), np.int32), np.array(7)],
        "bytes": np.frombuffer(b"abc", np.uint8),
        "floats": [0.1, float("inf"), -float("inf")],
        "plain": [None, True, 2**100, "ü\x00"],
    }
    again = unpack(bytearray(pack(header)))
    assert same_state(again, header)
    again["arrays"][0][0] = 1.0  # can be written to, and no other array changes
    assert again["bytes"].tobytes() == b"abc"


def test_no_two_arrays_share_memory():
    # or a small file could be a thousand large arrays
    content = pack({"a": np.zeros(8), "b": np.zeros(8)})
    text, data = parts_of(content)
    header = json.loads(text)
    header["b"] = header["a"]
    with pytest.raises(ValueError, match="an array of 64 bytes at offset 0 does not fit the 128"):
        unpack(bytearray(seal(json.dumps(header).encode(), data)))


@pytest.mark.parametrize("value", [10**12, 10**15, 10**30, 2**31 - 1, -1, 0, True, None, "3", 2.5])
@pytest.mark.parametrize("name", ["n_topics", "n_words"])
def test_sizes_that_the_file_does_not_bear_out_are_refused(tmp_path, name, value):
    for kind, thing in things():
        state = thing.to_state()
        if name in state and kind != "documents":  # which may know words that they do not have
            header = {
                "format": FORMAT,
                "kind": kind,
                "library": "0",
                "state": state | {name: value},
            }
            path = tmp_path / "m"
            path.write_bytes(pack(header))
            with pytest.raises(StorageError, match=r"must be|does not|at most"):
                load(path)


def test_what_is_no_file_is_not_read(tmp_path):
    with pytest.raises(StorageError, match="Is a directory"):
        load(tmp_path)
    with pytest.raises(StorageError, match="not a regular file"):
        load("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="not a regular file"):
        load(tmp_path / "pipe")


def test_of_a_file_that_is_not_ours_only_the_beginning_is_read(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(2**40)  # takes no room
    with pytest.raises(StorageError, match="was not saved by spectralleader"):
        load(tmp_path / "large")


@pytest.mark.parametrize("name", ["algorithm1", "spectral", "batch-em", "spectral-method"])
def test_a_learner_of_any_size_that_has_learned_nothing_loads_without_taking_memory(tmp_path, name):
    # these work out a model when it is read; the others' files have their arrays in them
    learner = LEARNERS[name](10_000, n_words=2**31 - 1)
    path = save(learner, tmp_path / "m")
    tracemalloc.start()
    try:
        assert load(path).n_words == 2**31 - 1
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_loading_takes_a_small_multiple_of_the_file(tmp_path):
    path = save(Unigram(2, n_words=10**6), tmp_path / "m")
    tracemalloc.start()
    try:
        load(path)
        assert tracemalloc.get_traced_memory()[1] < 5 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_no_more_is_read_of_a_file_than_it_declares(tmp_path):
    path = save(model(), tmp_path / "t.model")
    os.truncate(path, 2**42)  # sparse: as a whole it would not fit into memory
    with pytest.raises(StorageError, match="trailing bytes"):
        load(path)
