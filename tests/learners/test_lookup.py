"""Learners by name: what may be imported, and what a file may not cause."""

import sys
from importlib.metadata import EntryPoint

import pytest

from spectralleader import (
    StorageError,
    TextTopics,
    TopicModel,
    Unigram,
    load,
    register_learner,
    save,
)
from spectralleader.learners import registry
from spectralleader.learners.registry import (
    GROUP,
    find_learner,
    installed_learners,
    name_of,
)
from spectralleader.storage import FORMAT
from spectralleader.storage.container import pack
from tests.factories import documents, same_state

MODULE = """
from pathlib import Path
from spectralleader import Unigram

Path(__file__).with_name("imported").touch()  # what a test can see of an import


class Mine(Unigram):
    "A learner of one's own."


class Outer:
    class Inner(Mine):
        "One within another class."


class Lacking:
    def __init__(self, n_topics, *, n_words=None, seed=0): ...
    def learn(self, documents): ...


class Deaf(Mine):
    def __init__(self, n_topics): ...


number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a module, on the path; what was registered is forgotten afterwards."""
    (tmp_path / "own_learner.py").write_text(MODULE)
    (tmp_path / "broken_learner.py").write_text("raise OSError('no licence')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})
    yield tmp_path
    for name in ("own_learner", "broken_learner"):
        sys.modules.pop(name, None)


@pytest.fixture
def offers(monkeypatch):
    """A function that makes installed packages offer learners."""

    def offer(**values):
        found = [EntryPoint(name, value, GROUP) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: found if group == GROUP else [])

    return offer


def was_imported(folder):
    return (folder / "imported").exists() or "own_learner" in sys.modules


def write(path, kind, state):
    header = {"format": FORMAT, "kind": kind, "library": "0", "state": state}
    path.write_bytes(pack(header))
    return path


def test_a_learner_is_found_by_module_and_class(folder):
    mine = find_learner("own_learner:Mine")
    assert (mine.__module__, mine.__name__) == ("own_learner", "Mine")
    assert find_learner("own_learner:Mine") is mine
    assert name_of(mine(2)) == "own_learner:Mine"
    assert find_learner("own_learner:Outer.Inner").__qualname__ == "Outer.Inner"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", r"unknown learner 'nothing'; choose one of hedged, .*package.module:Class"),
        (
            "no_such_module:Mine",
            "cannot import no_such_module:Mine: .*run the command in the folder",
        ),
        ("broken_learner:Mine", "cannot import broken_learner:Mine: OSError: no licence"),
        ("own_learner:Yours", "cannot import own_learner:Yours: .* has no attribute 'Yours'"),
        ("own_learner:number", "own_learner:number is not a class of learners but of type int"),
        ("own_learner:Lacking", "is not a learner: it lacks recode, model, predictive, to_state"),
        ("own_learner:Deaf", "it lacks the argument n_words, the argument seed"),
        ("own_learner:", "cannot import own_learner:: .* is named package.module:Class"),
        (":Mine", "is named package.module:Class"),
        ("../own_learner:Mine", "is named package.module:Class"),
        ("own_learner:Mine()", "is named package.module:Class"),
        ("os:system", "os:system is not a class"),
    ],
)
def test_a_name_that_is_no_learner_says_what_is_wrong(folder, name, message):
    with pytest.raises(ValueError, match=message):
        find_learner(name)


def test_what_a_learner_of_ones_own_learned_is_saved_and_loaded(folder):
    topics = TextTopics(2, learner="own_learner:Mine")
    topics.learn(["rain and wind", "a late goal"] * 3)
    loaded = load(save(topics, folder / "topics"))
    assert type(loaded.learner) is type(topics.learner)
    assert same_state(loaded.to_state(), topics.to_state())
    learner = find_learner("own_learner:Mine")(2, n_words=6)
    learner.learn(documents(9, 6))
    assert same_state(load(save(learner, folder / "learner")).to_state(), learner.to_state())


@pytest.mark.parametrize(
    "name", ["own_learner:Mine", "own_learner:Outer.Inner", "own_learner:number", "own_learner:"]
)
def test_no_file_has_code_imported(folder, name):
    state = Unigram(2, n_words=6).to_state()
    topics = TextTopics(2, learner="unigram").to_state()
    topics["learner"]["kind"] = name
    files = [
        write(folder / "a", f"learner/{name}", state),
        write(folder / "b", "text-topics", topics),
        write(folder / "c", "checkpoint", {"topics": topics}),
    ]
    for path in files:
        with pytest.raises(StorageError, match=r"--learner .*spectralleader\.register_learner"):
            load(path)
    assert not was_imported(folder)


@pytest.mark.parametrize(
    "name",
    [
        "spectralleader.learners.unigram:Unigram",  # loaded, but not by that name
        "os:system",
        "builtins:eval",
        "spectralleader.models.model:TopicModel",
        "own_learner",
        "__main__",
        "",
    ],
)
def test_a_file_names_no_class_that_is_not_registered(folder, name):
    path = write(folder / "a", f"learner/{name}", Unigram(2, n_words=6).to_state())
    with pytest.raises(StorageError, match=r"holds a learner .*not known here"):
        load(path)


@pytest.mark.parametrize("name", ["a:\x1b[31mB", "a\n:B", "a:" + "B" * 300, 3, None, ["a:B"], {}])
def test_a_name_that_cannot_be_shown_is_not_shown(folder, name):
    topics = TextTopics(2, learner="unigram").to_state()
    topics["learner"]["kind"] = name
    with pytest.raises(StorageError, match="is damaged: kind must be a line of text"):
        load(write(folder / "a", "text-topics", topics))
    kind = f"learner/{name}" if isinstance(name, str) else name
    with pytest.raises(StorageError, match="is damaged: kind must be a line of text"):
        load(write(folder / "b", kind, topics))


def test_a_registered_class_is_loaded(folder):
    import own_learner

    learner = own_learner.Mine(2, n_words=6)
    with pytest.raises(TypeError, match=r"spectralleader\.register_learner\(Mine\)"):
        save(learner, folder / "learner")
    path = write(folder / "learner", "learner/own_learner:Mine", learner.to_state())
    with pytest.raises(StorageError, match="not known here"):
        load(path)  # imported already, and still not loaded: a file does not choose the class
    assert register_learner(own_learner.Mine) is own_learner.Mine
    assert type(load(path)) is own_learner.Mine


def test_only_learners_are_registered(folder):
    with pytest.raises(ValueError, match="is not a learner: it lacks learn"):
        register_learner(TopicModel)
    with pytest.raises(ValueError, match="not a class"):
        registry.check_learner_class(Unigram(2), "a learner")


def test_an_installed_package_offers_learners_by_entry_points(folder, offers):
    offers(mine="own_learner:Mine", unigram="own_learner:Mine")
    with pytest.raises(ValueError, match=r"unigram, .*mine, or your own as"):
        find_learner("nothing")
    assert find_learner("unigram") is Unigram  # a built-in name stays what it is
    assert not was_imported(folder)
    learner = find_learner("mine")(2, n_words=6)
    assert (type(learner).__name__, name_of(learner)) == ("Mine", "mine")
    path = save(learner, folder / "learner")
    registry._registered.clear()
    assert type(load(path)) is type(learner)  # what was installed needs no registering


def test_an_entry_point_that_is_no_learner_says_so(folder, offers):
    offers(mine="own_learner:Lacking", broken="broken_learner:Mine")
    with pytest.raises(ValueError, match="own_learner:Lacking is not a learner"):
        find_learner("mine")
    with pytest.raises(ValueError, match="cannot import broken_learner"):
        find_learner("broken")
    path = write(folder / "a", "learner/broken", {})
    with pytest.raises(StorageError, match="holds a learner 'broken', but cannot import"):
        load(path)


def test_installed_learners_are_listed_without_an_import(folder, offers):
    offers(mine="own_learner:Mine")
    assert list(installed_learners()) == ["mine"]
    assert not was_imported(folder)
