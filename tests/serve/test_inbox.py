"""The inbox: what is in it is on the disk, ids are known again, and it does not grow for ever."""

import json
from unittest import mock

import pytest

from spectralleader.jobs import LearnOptions, Progress, run
from spectralleader.runtime.interrupts import Interrupts
from spectralleader.serve import inbox as module
from spectralleader.serve.inbox import (
    ClosedError,
    FullError,
    Inbox,
    OtherContentError,
)
from spectralleader.serve.inbox_source import InboxSource
from spectralleader.sources.live.file_position import FilePosition


@pytest.fixture
def made(tmp_path):
    opened = []

    def make():
        opened.append(Inbox(tmp_path / "t.inbox"))
        opened[-1].open()
        return opened[-1]

    yield make
    for inbox in opened:
        inbox.close()


def lines(path):
    return [json.loads(line) for line in (path / "t.inbox").read_text().splitlines()]


def test_a_request_that_comes_again_is_known_also_after_a_restart(tmp_path, made):
    documents = [{"text": "a"}, {"text": "b"}]
    first = made()
    assert first.add(documents, "x") == (2, 0)
    assert first.add(documents, "x") == (0, 2)
    assert first.add(documents, None) == (2, 0)
    first.close()
    again = made()
    assert again.add(documents, "x") == (0, 2)
    assert len(lines(tmp_path)) == 4


def test_what_a_crash_cut_short_is_completed_when_it_is_sent_again(tmp_path, made):
    half = '{"id": "x", "text": "a"}\n{"id": "x", "te'
    (tmp_path / "t.inbox").write_text(half)
    again = made()
    assert again.add([{"text": "a"}, {"text": "b"}], "x") == (1, 1)
    assert [line["text"] for line in lines(tmp_path)] == ["a", "b"]


def test_a_part_of_a_request_is_completed_by_the_same_request_only(tmp_path, made):
    first, documents = made(), [{"text": "a", "time": "1"}, {"text": "b"}, {"tokens": {"c": 2}}]
    first.add(documents, "x")
    first.close()
    kept = (tmp_path / "t.inbox").read_text().splitlines(keepends=True)
    (tmp_path / "t.inbox").write_text("".join(kept[:2]))
    again = made()
    for other in (documents[:2], [*documents, {"text": "d"}], [documents[0], *documents[:2]]):
        with pytest.raises(OtherContentError):
            again.add(other, "x")
    again.add([{"text": "e"}], "y")
    assert again.add([{"text": "a", "time": "2"}, *documents[1:]], "x") == (1, 2)
    again.close()
    assert made().add(documents, "x") == (0, 3)  # though another one came in between


def test_other_documents_under_a_known_id_are_refused(tmp_path, made):
    found = made()
    found.add([{"text": "a"}, {"text": "b"}], "x")
    for other in (["a"], ["a", "c"], ["b", "a"], ["a", "b", "c"], ["ab", ""]):
        with pytest.raises(OtherContentError):
            found.add([{"text": text} for text in other], "x")
    assert len(lines(tmp_path)) == 2


def test_a_closed_inbox_says_so(made):
    found = made()
    found.close()
    with pytest.raises(ClosedError):
        found.add([{"text": "a"}], None)


def test_it_is_full_when_too_much_waits(tmp_path, monkeypatch, made):
    found = made()
    monkeypatch.setattr(module, "FULL", 50)
    found.add([{"text": "a" * 100}], None)
    with pytest.raises(FullError):
        found.add([{"text": "b"}], None)


def test_a_disk_that_fails_leaves_no_half_of_a_request(tmp_path, monkeypatch, made):
    found = made()
    found.add([{"text": "a"}], "x")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        found.add([{"text": "b"}], "y")
    monkeypatch.undo()
    assert found.add([{"text": "b"}], "y") == (1, 0)
    assert [line["text"] for line in lines(tmp_path)] == ["a", "b"]


class Feeding(Progress):
    """Adds to the inbox as it is learned, and ends the pass after so many documents."""

    def __init__(self, inbox, n_docs, until):
        self.inbox, self.n_docs, self.until = inbox, n_docs, until
        self.n_added = 0

    def saved(self, checkpoint):
        self.inbox.note_saved(checkpoint.topics.position)

    def stepped(self, result):
        if self.n_added < self.n_docs:
            texts = [{"text": f"rain wind {self.n_added + i}"} for i in range(10)]
            self.inbox.add(texts, f"request {self.n_added} of {self.until}")
            self.n_added += 10
        elif result.topics.n_docs >= self.until:
            raise KeyboardInterrupt


def test_all_is_learned_once_while_old_files_go(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONG", 2000)  # bytes: some forty documents
    path, learned = tmp_path / "t.model", 0
    for n_docs in (200, 300):  # the second time from the checkpoint
        inbox = Inbox(tmp_path / "t.inbox")
        source = InboxSource((str(inbox.path),), block=7, inbox=inbox)
        options = LearnOptions(
            source, 2, learner="unigram", save=path, checkpoint_every=20, adopt=True
        )
        progress = Feeding(inbox, n_docs, learned + n_docs)
        with Interrupts():
            found = run(options, progress)
        inbox.close()
        learned += n_docs
        assert found.topics.n_docs == learned
    kept = [one.stat().st_size for one in tmp_path.glob("t.inbox*")]
    assert len(kept) == 2
    assert sum(kept) < 16_000  # half of all that came


@pytest.mark.parametrize(
    "damage", [b"[1,2]", b'{"id":[],"of":"q"}', b"}", b'"\xff"', b"\0" * 12, b"[" * 9999]
)
def test_a_damaged_line_costs_its_own_document_only(tmp_path, made, damage):
    first = made()
    first.add([{"text": "a"}], "x")
    first.close()
    with (tmp_path / "t.inbox").open("ab") as file:
        file.write(damage + b"\n")
    again = made()
    assert again.add([{"text": "a"}], "x") == (0, 1)
    assert again.add([{"text": "b"}], "y") == (1, 0)


def test_a_lost_inbox_is_reported(tmp_path):
    inbox, said = Inbox(tmp_path / "t.inbox"), []
    source = InboxSource((str(inbox.path),), inbox=inbox)
    progress = Progress()
    progress.say = said.append
    with source.open(progress) as reader:
        reader.start({"kind": module.KIND})
    inbox.close()
    assert "is missing or empty" in said[0]


def start(tmp_path, position):
    """Start a reader of the inbox at a position; return what was reported."""
    inbox, said = Inbox(tmp_path / "t.inbox"), []
    progress = Progress()
    progress.say = said.append
    with InboxSource((str(inbox.path),), inbox=inbox).open(progress) as reader:
        reader.start(position)
        position = reader.position
    inbox.close()
    return said, position


def test_only_an_inbox_that_can_have_held_something_is_reported_as_lost(tmp_path):
    said, first = start(tmp_path, None)
    assert start(tmp_path, first)[0] == []  # nothing came in the meantime
    (tmp_path / "t.inbox").unlink()
    said, _ = start(tmp_path, first)
    assert "is missing or empty" in said[0]
    later = {**first, "at": {**first["at"], "offset": 7}}
    said, _ = start(tmp_path, later)  # it is there, but emptied
    assert "is missing or empty" in said[0]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_was_deleted_is_restored_before_a_request_is_acknowledged(
    tmp_path, made, is_replaced
):
    found = made()
    found.add([{"text": "a"}], "x")
    found.path.unlink()
    if is_replaced:
        found.path.write_text("other\n")
    assert found.add([{"text": "b"}], "y") == (1, 0)
    assert [line["text"] for line in lines(tmp_path)] == ["a", "b"]
    assert found.path.stat().st_mode & 0o777 == 0o600
    found.path.unlink()
    assert found.add([{"text": "b"}], "y") == (0, 1)
    assert [line["text"] for line in lines(tmp_path)] == ["a", "b"]
    found.path.unlink()
    assert found.problem() == ""
    assert [line["text"] for line in lines(tmp_path)] == ["a", "b"]


def position_in(path):
    """The position of a checkpoint that has learned all of a file."""
    read = path.read_bytes().split(b"\n")[:-1]
    with path.open("rb") as file:
        at = FilePosition().after(read).identified(file).to_state()
    return {"kind": module.KIND, "at": at}


def test_a_rotated_file_is_restored_until_a_checkpoint_is_in_the_new_one(
    tmp_path, monkeypatch, made
):
    monkeypatch.setattr(module, "LONG", 1)
    found, older = made(), tmp_path / "t.inbox.1"
    found.add([{"text": "a"}], None)
    found.note_saved(position_in(found.path))
    monkeypatch.setattr(module, "LONG", 10**6)
    found.add([{"text": "b"}], None)  # acknowledged, and not learned yet
    monkeypatch.setattr(module, "LONG", 1)
    found.add([{"text": "c"}], None)
    held = older.read_bytes()
    assert [json.loads(line)["text"] for line in held.splitlines()] == ["a", "b"]
    older.unlink()
    assert found.problem() == ""
    assert (older.read_bytes(), found.n_restored) == (held, 1)
    found.close()
    again = made()  # the position is still in it
    older.unlink()
    again.add([{"text": "d"}], None)
    assert older.read_bytes() == held
    again.note_saved(position_in(again.path))
    older.unlink()
    assert again.problem() == ""
    assert not older.exists()  # all of it is learned and saved
    again.add([{"text": "e"}], None)
    assert [json.loads(line)["text"] for line in older.read_text().splitlines()] == ["c", "d"]
    assert [line["text"] for line in lines(tmp_path)] == ["e"]


def test_a_rotation_that_fails_is_undone(tmp_path, monkeypatch, made):
    found = made()
    found.add([{"text": "a"}], None)
    found.note_saved(position_in(found.path))
    monkeypatch.setattr(module, "LONG", 1)
    fail = mock.Mock(side_effect=OSError(24, "Too many"))
    with mock.patch.object(module, "open_for_both", fail), pytest.raises(OSError, match="Too many"):
        found.add([{"text": "b"}], None)
    assert found.add([{"text": "b"}], None) == (1, 0)
    assert [line["text"] for line in lines(tmp_path)] == ["b"]
    assert json.loads((tmp_path / "t.inbox.1").read_text())["text"] == "a"


def test_a_file_that_cannot_be_restored_is_a_problem(tmp_path, made):
    (tmp_path / "folder").mkdir()
    found = Inbox(tmp_path / "folder" / "t.inbox")
    found.open()
    found.add([{"text": "a"}], None)
    (tmp_path / "folder").rename(tmp_path / "moved")
    with pytest.raises(FileNotFoundError):
        found.add([{"text": "b"}], None)
    assert "No such file" in found.problem()
    (tmp_path / "moved").rename(tmp_path / "folder")
    assert found.add([{"text": "b"}], None) == (1, 0)
    assert found.problem() == ""
    stored = found.path.read_text().splitlines()
    assert [json.loads(line)["text"] for line in stored] == ["a", "b"]
    found.close()


def test_every_error_of_the_system_is_a_problem_and_named(monkeypatch, made):
    found = made()
    found.add([{"text": "a"}], None)
    found.note_saved({"kind": module.KIND, "at": {"offset": 1}})

    def fail(*given):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(module, "find_position", fail)
    with pytest.raises(OSError, match="Too many"):
        found.add([{"text": "b"}], None)
    assert "Too many open files; raise the limit on open files" in found.problem()


class Deleting(Feeding):
    """Deletes the inbox, or also the file before it, before each request."""

    is_all = False

    def stepped(self, result):
        if self.n_added < self.n_docs:
            self.inbox.path.unlink(missing_ok=True)
            if self.is_all:
                self.inbox.path.with_name(f"{self.inbox.path.name}.1").unlink(missing_ok=True)
        super().stepped(result)


@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("n_long", [2000, 10**6])
def test_all_is_learned_once_while_the_inbox_is_deleted(tmp_path, monkeypatch, n_long, is_all):
    monkeypatch.setattr(Deleting, "is_all", is_all)
    monkeypatch.setattr(module, "LONG", n_long)  # bytes: with and without rotations
    inbox = Inbox(tmp_path / "t.inbox")
    source = InboxSource((str(inbox.path),), block=7, inbox=inbox)
    options = LearnOptions(
        source, 2, learner="unigram", save=tmp_path / "t.model", checkpoint_every=20, adopt=True
    )
    with Interrupts():
        found = run(options, Deleting(inbox, 200, 200))
    inbox.close()
    assert found.topics.n_docs == 200
    texts = [json.loads(one)["text"] for one in inbox.path.read_text().splitlines()]
    assert texts[-1] == "rain wind 199"
    if n_long > 2000:
        assert len(texts) == len(set(texts))
