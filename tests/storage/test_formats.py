import re

import pytest

from spectralleader import StorageError, load
from spectralleader.storage import FORMAT, KINDS
from spectralleader.storage.container import pack
from tests.factories import assert_valid, texts
from tests.storage.stored import FOLDER, paths
from tests.storage.things import BLOCK


def test_a_file_of_a_newer_format_is_refused_with_advice(tmp_path):
    path = tmp_path / "m"
    header = {"format": FORMAT + 1, "kind": "new", "library": "9.9", "state": 7}
    path.write_bytes(pack(header))
    with pytest.raises(StorageError, match=r"written by '9.9': install that or a newer one"):
        load(path)


def test_a_file_of_an_earlier_format_is_refused_with_advice(tmp_path):
    first = tmp_path / "m"
    first.write_bytes(pack({"format": 1, "kind": "model", "library": "0", "state": 7}))
    [second] = paths(2)  # of the last format before
    for number, path in ((1, first), (2, second)):
        advice = rf"has format {number}, which spectralleader \S+ cannot read: learn it again"
        with pytest.raises(StorageError, match=rf"^{re.escape(str(path))} {advice}$"):
            load(path)


def test_there_is_a_stored_file_of_every_kind():
    kinds = {path.stem.replace(".", "/") for path in paths(FORMAT)}
    assert kinds == set(KINDS)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.stored")) < 200_000


@pytest.mark.parametrize(
    "path",
    paths(FORMAT),
    ids=lambda path: path.stem,
)
def test_a_stored_file_is_read_and_goes_on(path):
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
