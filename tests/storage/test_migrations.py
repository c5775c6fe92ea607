import re

import numpy as np
import pytest

from spectralleader import StorageError, load
from spectralleader.storage import FORMAT, KINDS, migrations
from spectralleader.storage.container import pack
from spectralleader.storage.migrations import OLDEST
from tests.factories import assert_valid, model, same_state, texts
from tests.storage.stored import FOLDER, paths
from tests.storage.things import BLOCK


def rename(header):
    """Bring format 3 to 4: the weights had the paper's name."""
    state = dict(header["state"])
    state["weights"] = state.pop("omega")
    return {**header, "state": state}


def scale(header):
    """Bring format 4 to 5: the topics were counted in percent."""
    state = header["state"]
    return {**header, "state": {**state, "topics": state["topics"] / 100}}


@pytest.mark.parametrize("found", [3, 4, 5])
def test_a_file_of_any_older_format_is_read(tmp_path, monkeypatch, found):
    monkeypatch.setattr(migrations, "MIGRATIONS", (rename, scale))
    weights, topics = model().weights, np.ldexp(np.ones((3, 4)), -2)  # exact in percent too
    states = {
        3: {"omega": weights, "topics": 100 * topics},
        4: {"weights": weights, "topics": 100 * topics},
        5: {"weights": weights, "topics": topics},
    }
    path = tmp_path / "m"
    header = {"format": found, "kind": "model", "library": "0"}
    path.write_bytes(pack({**header, "state": states[found]}))
    assert same_state(load(path).to_state(), states[5])


def test_a_file_that_a_migration_cannot_read_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(migrations, "MIGRATIONS", (rename,))
    path = tmp_path / "m"
    path.write_bytes(pack({"format": OLDEST, "kind": "model", "library": "0", "state": {}}))
    with pytest.raises(StorageError, match="is damaged"):
        load(path)


def test_a_file_of_a_newer_format_is_refused_with_advice(tmp_path):
    path = tmp_path / "m"
    header = {"format": FORMAT + 1, "kind": "new", "library": "9.9", "state": 7}
    path.write_bytes(pack(header))
    with pytest.raises(StorageError, match=r"written by '9.9': install that or a newer one"):
        load(path)


def test_a_file_of_a_format_before_the_oldest_is_refused_with_advice(tmp_path):
    first = tmp_path / "m"
    first.write_bytes(pack({"format": 1, "kind": "model", "library": "0", "state": 7}))
    [second] = paths(2)  # of the last format before
    for number, path in ((1, first), (2, second)):
        advice = rf"has format {number}, which spectralleader \S+ cannot read: learn it again"
        with pytest.raises(StorageError, match=rf"^{re.escape(str(path))} {advice}$"):
            load(path)


def test_there_is_a_stored_file_of_every_kind_in_every_format():
    for number in range(OLDEST, FORMAT + 1):
        kinds = {path.stem.replace(".", "/") for path in paths(number)}
        assert kinds == set(KINDS) if number == FORMAT else kinds
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.stored")) < 200_000


@pytest.mark.parametrize(
    "path",
    [path for number in range(OLDEST, FORMAT + 1) for path in paths(number)],
    ids=lambda path: f"{path.parent.name} {path.stem}",
)
def test_a_stored_file_of_every_format_is_read_and_goes_on(path):
    thing = load(path)
    if path.stem in ("text-topics", "checkpoint"):
        thing.learn(texts(9)[0])
        assert_valid(thing.model)
    elif path.stem.startswith("learner."):
        thing.learn(BLOCK)
        assert_valid(thing.model)
    elif path.stem.startswith("sample."):
        assert thing.add(BLOCK).entered.n_docs > 0
    elif path.stem.startswith("vocabulary."):
        assert "grün" in thing
    else:
        assert thing.n_words == BLOCK.n_words
