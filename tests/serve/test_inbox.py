"""The inbox: what is in it is on the disk, ids are known again, and it does not grow for ever."""

import json
import sqlite3

import pytest

from spectralleader.jobs import LearnOptions, Progress, Source, run
from spectralleader.runtime.interrupts import Interrupts
from spectralleader.serve import inbox as module
from spectralleader.serve.inbox import Inbox, open_inbox
from spectralleader.serve.messages import RequestError
from spectralleader.sources import SourceOptions
from tests.serve.serving import full_disk


@pytest.fixture
def made(tmp_path):
    opened = []

    def make(position=None):
        opened.append(Inbox(tmp_path / "t.inbox"))
        opened[-1].open(position)
        return opened[-1]

    yield make
    for inbox in opened:
        inbox.close()


def position_at(row):
    """The position of a checkpoint."""
    return {"kind": Inbox.kind, "at": row}


def stored(folder):
    """The documents in the database of a closed inbox."""
    connection = sqlite3.connect(folder / "t.inbox")
    rows = connection.execute("SELECT content FROM documents ORDER BY row").fetchall()
    connection.close()
    return [json.loads(content)["text"] for (content,) in rows]


def taken(inbox):
    return [json.loads(one)["text"] for one in inbox.take(100).payloads]


def test_a_request_that_comes_again_is_known_also_after_a_restart(tmp_path, made):
    documents = [{"text": "a", "time": "1"}, {"text": "b"}]
    first = made()
    assert first.add(documents, "x") == (2, 0)
    assert first.add([{"text": "a", "time": "2"}, {"text": "b"}], "x") == (0, 2)
    assert first.add(documents, None) == (2, 0)
    first.close()
    again = made()
    assert again.add(documents, "x") == (0, 2)
    again.forget(position_at(4))  # what is learned is known too
    assert again.add(documents, "x") == (0, 2)
    again.close()
    assert stored(tmp_path) == []


def test_other_documents_under_a_known_id_are_refused(tmp_path, made):
    inbox = made()
    inbox.add([{"text": "a"}, {"text": "b"}], "x")
    for other in (["a"], ["a", "c"], ["b", "a"], ["a", "b", "c"], ["ab", ""]):
        with pytest.raises(RequestError, match="other documents"):
            inbox.add([{"text": text} for text in other], "x")
    inbox.add([{"tokens": {"a": 2, "b": 1}}], "y")
    assert inbox.add([{"tokens": {"b": 1, "a": 2}}], "y") == (0, 1)  # the same counts
    assert len(inbox.take(9).payloads) == 3


def test_ids_are_forgotten_at_last(made, monkeypatch):
    monkeypatch.setattr(module, "N_IDS", 2)
    inbox = made()
    for id in "abc":
        inbox.add([{"text": id}], id)
    inbox.forget(position_at(3))
    assert [inbox.add([{"text": id}], id)[1] for id in "cba"] == [1, 1, 0]


def test_a_closed_inbox_says_so(made):
    inbox = made()
    inbox.close()
    with pytest.raises(RequestError, match="stops"):
        inbox.add([{"text": "a"}], None)


def test_it_is_full_when_too_much_waits(monkeypatch, made):
    inbox = made()
    monkeypatch.setattr(module, "FULL", 50_000)
    inbox.add([{"text": "a" * 50_000}], "x")
    with pytest.raises(RequestError, match="too many documents wait"):
        inbox.add([{"text": "b"}], None)
    assert inbox.add([{"text": "a" * 50_000}], "x") == (0, 1)
    inbox.forget(position_at(1))
    assert inbox.add([{"text": "b"}], None) == (1, 0)


def test_a_full_disk_leaves_no_part_of_a_request(tmp_path, made):
    inbox = made()
    inbox.add([{"text": "a"}], "x")
    long = [{"text": "b"}, {"text": "c" * 50_000}]
    with full_disk(inbox), pytest.raises(OSError, match="full; make room on the disk"):
        inbox.add(long, "y")
    assert inbox.problem() == "database or disk is full; make room on the disk"
    assert inbox.add(long, "y") == (2, 0)
    assert inbox.problem() == ""
    assert [text[0] for text in taken(inbox)] == ["a", "b", "c"]


def test_long_documents_are_read_in_parts(made, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 1000)
    inbox = made()
    inbox.add([{"text": "a" * 400}] * 7, None)
    batches = [inbox.take(100) for _ in range(3)]
    assert [len(batch.ids) for batch in batches] == [3, 3, 1]
    assert [batch.at_end for batch in batches] == [False, False, True]
    assert [batch.after for batch in batches] == [3, 6, 7]


class Feeding(Progress):
    """Adds to the inbox as it is learned, and ends the pass after so many documents."""

    def __init__(self, inbox, n_docs, until):
        self.inbox, self.n_docs, self.until = inbox, n_docs, until
        self.n_added = 0

    def saved(self, checkpoint, seconds):
        self.inbox.forget(checkpoint.topics.position)

    def stepped(self, result):
        if self.n_added < self.n_docs:
            texts = [{"text": f"rain wind {self.n_added + i}"} for i in range(10)]
            self.inbox.add(texts, f"request {self.n_added} of {self.until}")
            self.n_added += 10
        elif result.topics.n_docs >= self.until:
            raise KeyboardInterrupt


def learn(folder, n_docs, learned=0):
    """Learn what is posted, from the checkpoint if there is one."""
    inbox = Inbox(folder / "t.inbox")
    source = Source((str(inbox.path),), block=7, follow=True)
    options = LearnOptions(
        source, 2, learner="unigram", save=folder / "t.model", checkpoint_every=20, adopt=True
    )
    with Interrupts():
        progress = Feeding(inbox, n_docs, learned + n_docs)
        found = run(options, progress, open_inbox(inbox, source, progress.say))
    inbox.close()
    assert found.topics.n_docs == learned + n_docs


def test_all_is_learned_once_and_then_deleted(tmp_path):
    learn(tmp_path, 200)
    assert len(stored(tmp_path)) < 20
    learn(tmp_path, 300, learned=200)
    assert len(stored(tmp_path)) < 20


@pytest.mark.parametrize("ending", ["", "-wal"])
@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_inbox_that_was_deleted_accepts_nothing_more(made, ending, is_replaced):
    inbox = made()
    inbox.add([{"text": "a"}], "x")
    path = inbox.path.with_name(f"{inbox.path.name}{ending}")
    path.unlink()
    if is_replaced:
        path.write_text("other\n")
    assert "restart the service" in inbox.problem()
    with pytest.raises(OSError, match="was deleted or replaced"):
        inbox.add([{"text": "b"}], "y")
    assert taken(inbox) == ["a"]  # what was accepted is learned


def test_the_inbox_is_readable_by_its_owner_only(made):
    inbox = made()
    inbox.add([{"text": "a"}], None)
    modes = [path.stat().st_mode & 0o777 for path in inbox.path.parent.glob("t.inbox*")]
    assert modes == [0o600, 0o600]


def test_a_folder_that_is_away_is_a_problem_until_it_is_back(tmp_path):
    (tmp_path / "folder").mkdir()
    inbox = Inbox(tmp_path / "folder" / "t.inbox")
    inbox.open(None)
    inbox.add([{"text": "a"}], None)
    (tmp_path / "folder").rename(tmp_path / "moved")
    with pytest.raises(OSError, match="deleted or replaced"):
        inbox.add([{"text": "b"}], None)
    assert inbox.problem()
    (tmp_path / "moved").rename(tmp_path / "folder")
    assert inbox.problem() == ""
    assert inbox.add([{"text": "b"}], None) == (1, 0)
    inbox.close()
    assert stored(tmp_path / "folder") == ["a", "b"]


def start(tmp_path, position):
    """Start a reader of the inbox at a position; return what was reported."""
    inbox, said = Inbox(tmp_path / "t.inbox"), []
    progress = Progress()
    progress.say = said.append
    with open_inbox(inbox, SourceOptions(), progress.say) as reader:
        reader.open(position)
        position = reader.position
    inbox.close()
    return said, position


def test_only_an_inbox_that_can_have_held_something_is_reported_as_lost(tmp_path):
    said, first = start(tmp_path, None)
    assert said == []
    assert start(tmp_path, first)[0] == []  # nothing came in the meantime
    (tmp_path / "t.inbox").unlink()
    said, _ = start(tmp_path, first)
    assert "is missing" in said[0]


def test_a_new_inbox_goes_on_from_the_position_of_the_model(made):
    inbox = made(position=7)
    inbox.add([{"text": "a"}], None)
    assert taken(inbox) == ["a"]
    assert (inbox.lag(7), inbox.lag(8)) == (1, 0)


@pytest.mark.parametrize("at", ["7-0", {"offset": 7}, True, -1, 1.0])
def test_other_positions_and_files_are_refused(tmp_path, made, at):
    with pytest.raises(ValueError, match="no position in this kind of inbox"):
        made(position=at)
    (tmp_path / "t.inbox").write_text('{"text": "of another version"}\n' * 99)
    with pytest.raises(OSError, match="not a database; rename"):
        made()


def test_positions_of_other_sources_delete_nothing(made):
    inbox = made()
    inbox.add([{"text": "a"}], None)
    for position in (None, {"kind": "redis", "at": "7-0"}, {"kind": "kafka", "at": 7}):
        inbox.forget(position)
    assert taken(inbox) == ["a"]
