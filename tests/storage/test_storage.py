import json
import subprocess
import sys

import numpy as np
import pytest

from spectralleader import (
    LEARNERS,
    Learner,
    SpectralLeader,
    StorageError,
    TextTopics,
    load,
    save,
)
from spectralleader.checks.paths import check_target
from spectralleader.learners.learner_base import Fixed
from spectralleader.storage import FORMAT, KINDS, load_as_saved
from spectralleader.storage.container import START
from tests.factories import documents, model, same_state, texts
from tests.storage.things import BLOCK, more_things, things


def test_every_kind_comes_back_as_it_was(tmp_path):
    seen = set()
    for kind, thing in things():
        path = save(thing, tmp_path / "thing")
        again = load_as_saved(path)
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


def test_what_cannot_be_saved_or_read_is_named(tmp_path):
    with pytest.raises(TypeError, match="a dict cannot be saved"):
        save({}, tmp_path / "x")
    with pytest.raises(StorageError, match=r"cannot read .*nothing: No such file"):
        load(tmp_path / "nothing")
    with pytest.raises(StorageError, match="does not exist"):
        save(model(), tmp_path / "no" / "m")
    with pytest.raises(StorageError, match="is a folder"):
        check_target(tmp_path)


GO_ON = """
import sys
from spectralleader import load, save
from tests.factories import documents
for path in sys.argv[1:]:
    learner = load(path)
    for block in documents(150, seed=1).blocks(5):
        learner.learn(block)
    save(learner, path)
"""


def test_a_learner_goes_on_in_another_process_as_if_never_stopped(tmp_path):
    learners = [thing for _, thing in [*things(), *more_things()] if isinstance(thing, Learner)]
    learners = [learner for learner in learners if learner.n_words == BLOCK.n_words]
    learners = [learner for learner in learners if not isinstance(learner, Fixed)]  # learns no more
    paths = [save(learner, tmp_path / str(i)) for i, learner in enumerate(learners)]
    subprocess.run([sys.executable, "-c", GO_ON, *paths], check=True)
    assert {type(learner) for learner in learners} == set(LEARNERS.values())
    for learner, path in zip(learners, paths, strict=True):
        before = learner.to_state()
        for block in documents(150, seed=1).blocks(5):
            learner.learn(block)
        again = load(path)
        assert same_state(again.to_state(), learner.to_state()), type(learner)
        assert np.array_equal(again.model.topics, learner.model.topics)
        if isinstance(learner, SpectralLeader):  # and it was anchored anew on the way
            after = learner.to_state()["anchored"]
            assert after["n_anchors"] > before["anchored"]["n_anchors"]


def test_other_states_of_the_same_kinds_come_back_too(tmp_path):
    for name, thing in more_things():
        again = load(save(thing, tmp_path / "thing"))
        assert same_state(again.to_state(), thing.to_state()), name
