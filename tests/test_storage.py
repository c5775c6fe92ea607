import hashlib
import json
import os
import stat

import numpy as np
import pytest

from spectralleader import (
    LEARNERS,
    Documents,
    Everything,
    GrowingVocabulary,
    Reservoir,
    StorageError,
    TextTopics,
    Vocabulary,
    Window,
    Words,
    load,
    save,
)
from spectralleader.batched import Batched
from spectralleader.learners.fixed import Fixed
from spectralleader.storage import FORMAT, KINDS, START, check_target
from tests.factories import documents, model, same_state, texts

BLOCK = documents(60)


def things():
    for name, entry in LEARNERS.items():
        learner = entry.learner(2, n_words=BLOCK.n_words)
        learner.learn(BLOCK)
        yield f"learner/{name}", learner
    for name, sample in (
        ("reservoir", Reservoir(9)),
        ("window", Window(9)),
        ("everything", Everything()),
    ):
        sample.add(BLOCK)
        yield f"sample/{name}", sample
    growing = GrowingVocabulary(10)
    growing.count_texts(["grün und blau", "ein 漢字"], Words())
    yield "vocabulary/growing", growing
    yield "vocabulary/given", Vocabulary(["grün", "blau"])
    yield "model", model()
    yield "documents", BLOCK
    topics = TextTopics(3, learner="stepwise-em")
    topics.learn(texts(50)[0])
    yield "text-topics", topics
    batched = Batched.of(topics)
    batched.batch = 7
    yield "batched", batched
    yield "learner/fixed", Fixed(model())


def test_every_kind_comes_back_as_it_was(tmp_path):
    seen = set()
    for kind, thing in things():
        path = save(thing, tmp_path / "thing")
        again = load(path)
        assert type(again) is type(thing) is KINDS[kind]
        assert same_state(again.to_state(), thing.to_state()), kind
        seen.add(kind)
    assert seen == set(KINDS)


def test_a_learner_goes_on_as_if_never_stopped(tmp_path):
    for kind, thing in things():
        if kind.startswith("learner/"):
            again = load(save(thing, tmp_path / "thing"))
            for learner in (thing, again):
                learner.learn(BLOCK)
            assert same_state(again.to_state(), thing.to_state()), kind
            assert np.array_equal(again.model.topics, thing.model.topics)


def test_what_learn_saves_has_a_model_and_its_vocabulary(tmp_path):
    topics = TextTopics(3)
    topics.learn(texts()[0])
    again = load(save(topics, tmp_path / "my.model"))
    assert list(again.vocabulary) == list(topics.vocabulary)
    assert np.array_equal(again.posterior(["rain"]), topics.posterior(["rain"]))


def test_the_header_can_be_read_by_anybody(tmp_path):
    content = save(model(), tmp_path / "m").read_bytes()
    _, n_header, n_data, _ = START.unpack_from(content)
    header = json.loads(content[START.size : START.size + n_header])
    assert (header["format"], header["kind"]) == (FORMAT, "model")
    assert header["library"].startswith("0.")
    dtype, shape, offset = header["state"]["topics"]["$array"]
    stored = np.frombuffer(content, dtype, 18, START.size + n_header + offset).reshape(shape)
    assert np.array_equal(stored, model().topics)
    assert len(content) == START.size + n_header + n_data


def reseal(content, change):
    """Return a file with a changed header, whose digest is right."""
    magic, n_header, n_data, _ = START.unpack_from(content)
    header = json.loads(content[START.size : START.size + n_header])
    change(header)
    text = json.dumps(header).encode()
    body = text + content[START.size + n_header :]
    return START.pack(magic, len(text), n_data, hashlib.sha256(body).digest()) + body


def with_array(index, value):
    """Return a change of a header: one thing about an array is another."""
    return lambda header: header["state"]["topics"]["$array"].__setitem__(index, value)


HARMS = {
    "was not saved by spectralleader": lambda c: b"PK" + c,
    "cut short": lambda c: c[:-1],
    "something after its end": lambda c: c + b"x",
    "it is not what was saved": lambda c: c[:-9] + b"x" + c[-8:],
    "reads up to 1; it was written by": lambda c: reseal(c, lambda h: h.update(format=2)),
    "nobody here knows": lambda c: reseal(c, lambda h: h.update(kind="os")),
    "KeyError": lambda c: reseal(c, lambda h: h.pop("state")),
    "TypeError": lambda c: reseal(c, lambda h: h.update(state=[])),
    "no such array": lambda c: reseal(c, with_array(0, "|O")),
    "buffer is smaller": lambda c: reseal(c, with_array(1, [10**9])),
    "must sum to 1": lambda c: reseal(c, with_array(2, 0)),
}


@pytest.mark.parametrize("message", HARMS)
def test_a_file_that_is_not_whole_is_an_error_of_one_line(tmp_path, message):
    path = save(model(), tmp_path / "m")
    path.write_bytes(HARMS[message](path.read_bytes()))
    with pytest.raises(StorageError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_saved_or_read_is_named(tmp_path):
    with pytest.raises(TypeError, match="a dict cannot be saved"):
        save({}, tmp_path / "x")
    with pytest.raises(StorageError, match=r"cannot read .*nothing: No such file"):
        load(tmp_path / "nothing")
    with pytest.raises(StorageError, match="there is no folder"):
        save(model(), tmp_path / "no" / "m")
    with pytest.raises(StorageError, match="is a folder"):
        check_target(tmp_path)


def test_saving_leaves_the_old_file_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path = save(model(seed=1), tmp_path / "m")
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError, match="No space left on device"):
        save(model(seed=2), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path):
    other = tmp_path / "other"
    other.touch()
    saved = save(Documents.empty(3), tmp_path / "m")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_saving_through_a_link_keeps_the_link_and_a_pipe_is_not_replaced(tmp_path):
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "there.model")
    save(model(), link)
    assert link.is_symlink()
    assert same_state(load(tmp_path / "there.model").to_state(), model().to_state())
    os.mkfifo(pipe)
    with pytest.raises(StorageError, match="no ordinary file"):
        save(model(), pipe)
    assert pipe.is_fifo()


def test_a_save_that_is_interrupted_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(model(), tmp_path / "my.model")
    assert list(tmp_path.iterdir()) == []
