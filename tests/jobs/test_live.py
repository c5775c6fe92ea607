"""Learning from live sources: commands end in time, positions are saved, settings are kept."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from spectralleader import load
from spectralleader.errors import NotEmittedError
from spectralleader.jobs import Progress, Source, evaluate, learn, predict
from spectralleader.jobs.predicting import FileEmitter
from spectralleader.storage import load_checkpoint
from tests.factories import same_state, texts, without_position
from tests.servers import RedisServer, needs_redis

TEXTS = texts(240)[0]
COMMAND = [sys.executable, "-m", "spectralleader"]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "app.log"
    path.write_text("".join(f"{text}\n" for text in TEXTS))
    return path


def options(tmp_path, **more):
    return {"n_topics": 3, "vocabulary": "grow:100", "save": tmp_path / "model", **more}


def test_a_followed_file_teaches_what_the_file_teaches(log, tmp_path):
    found = learn(Source((str(log),), block=40), n_topics=3, vocabulary="grow:100")
    live = learn(
        Source((str(log),), block=40, start="earliest", follow=True),
        n_topics=3,
        vocabulary="grow:100",
        progress=Until(240),
    )
    assert same_state(without_position(live.topics), without_position(found.topics))
    assert (found.topics.position["kind"], found.topics.position["offset"]) == ("files", 240)
    assert live.topics.position["at"]["line"] == 240


class Until(Progress):
    def __init__(self, n_docs):
        self.n_docs, self.said = n_docs, []

    def say(self, line):
        self.said.append(line)

    def stepped(self, result):
        if result.topics.n_docs >= self.n_docs:
            raise KeyboardInterrupt


def test_what_was_stopped_before_it_learned_anything_is_resumed(log, tmp_path):
    class Early(Progress):
        def begun(self, result):
            signal.raise_signal(signal.SIGTERM)

    for source in (Source((str(log),), block=40), Source((str(log),), block=40, follow=True)):
        saved = options(tmp_path, save=tmp_path / f"{source.follow}")
        assert learn(source, **saved, progress=Early()).n_docs == 0
        assert learn(source, **saved, progress=Until(240)).n_docs == 240


def test_what_is_stopped_is_resumed_after_its_position(log, tmp_path):
    source = Source((str(log),), block=40, follow=True)
    whole = learn(source, **options(tmp_path, save=tmp_path / "whole"), progress=Until(240))
    for n_docs in (80, 120, 240):
        progress = Until(n_docs)
        part = learn(source, **options(tmp_path), progress=progress)
        assert part.topics.n_docs == n_docs
    assert any("resuming after 120 documents; " in line for line in progress.said)
    assert same_state(part.topics.to_state(), whole.topics.to_state())
    assert load(tmp_path / "model").position == whole.topics.position


def test_a_live_source_and_a_file_are_not_taken_for_each_other(log, tmp_path):
    live, file = Source((str(log),), block=40, follow=True), Source((str(log),), block=40)
    learn(live, **options(tmp_path), progress=Until(80))
    with pytest.raises(ValueError, match="kind 'file' and has no position in files"):
        learn(file, **options(tmp_path))
    learn(file, **options(tmp_path, fresh=True))
    with pytest.raises(ValueError, match="learned from files and has no position in a live source"):
        learn(live, **options(tmp_path))


def test_what_cannot_be_followed_is_refused_at_once(log, tmp_path):
    for wrong, message in (
        ({"sort": True}, "cannot be sorted"),
        ({"files": (str(log), str(log))}, "only one broker"),
        ({"follow": None, "start": "latest"}, "files are read from beginning to end"),
    ):
        with pytest.raises(ValueError, match=message):
            Source(**{"files": (str(log),), "follow": True, **wrong})
    with pytest.raises(ValueError, match="standard input is always followed"):
        Source(("-",), follow=True).open()
    with pytest.raises(ValueError, match=r"all files in .* are input"):
        learn(str(tmp_path), **options(tmp_path))


def test_a_folder_is_read_in_order_of_names_and_grows_by_new_files(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(ValueError, match="has no files"):
        learn(str(folder), n_topics=3)
    (folder / "b.txt").write_text("\n".join(TEXTS[100:200]))
    (folder / "a.txt").write_text("\n".join(TEXTS[:100]))
    (folder / "_temporary").write_text("not data\n")
    saved = options(tmp_path)
    learn(str(folder), **saved)
    (folder / "c.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TEXTS[200:]))
    found = learn(str(folder), **saved)
    assert (found.n_before, found.topics.n_docs) == (200, 240)
    (folder / "aa.txt").write_text("too late\n")
    with pytest.raises(ValueError, match="differs from the file that was learned"):
        learn(str(folder), **saved)


def test_bad_messages_stop_a_strict_run_and_what_came_before_is_saved(tmp_path):
    path = tmp_path / "events.jsonl"
    lines = [json.dumps({"text": text}) for text in TEXTS]
    path.write_text("\n".join([*lines[:100], "{", *lines[100:]]) + "\n")
    strict = Source((str(path),), block=40, follow=True, strict=True)
    with pytest.raises(ValueError, match=r"message 0:101: invalid JSON.*the 80 documents before"):
        learn(strict, **options(tmp_path))
    lenient = Source((str(path),), block=40, follow=True)
    found = learn(lenient, **options(tmp_path), progress=Until(240))
    assert (found.n_before, found.topics.n_docs) == (80, 240)
    assert found.reader.problems.counts == {"invalid JSON": 1}


@needs_redis
def test_signals_end_a_command_that_waits_for_messages_or_for_the_broker(tmp_path):
    server = RedisServer(tmp_path)
    saved, lag = tmp_path / "model", tmp_path / "said"
    command = [*COMMAND, "learn", f"{server.address}/clicks", "-k", "2", "--block", "40"]
    environment = {**os.environ, "COLUMNS": "200"}
    try:
        for is_down in (False, True):
            server.fill("clicks", [{"text": text} for text in TEXTS[:120]])
            with lag.open("w") as file:
                process = subprocess.Popen(
                    [*command, "--save", str(saved), "--checkpoint-every", "1"],
                    stdout=subprocess.PIPE, stderr=file, text=True, env=environment,
                )  # fmt: skip
                wait_for(lambda n=120 * (1 + is_down): saved.exists() and load(saved).n_docs == n)
                if is_down:
                    server.kill()
                    wait_for(lambda: "cannot be reached" in lag.read_text())
                process.send_signal(signal.SIGTERM)
                began = time.monotonic()
                said, _ = process.communicate(timeout=30)
                assert time.monotonic() - began < 5
                assert process.returncode == 0, lag.read_text()
            assert f"{120 * (1 + is_down)} documents" in said
    finally:
        server.kill()
    assert load_checkpoint(saved).topics.n_docs == 240


def wait_for(condition, seconds=200):  # the first command compiles kernels on a busy machine
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


@needs_redis
def test_evaluating_a_stream_ends(tmp_path):
    server = RedisServer(tmp_path)
    try:
        server.fill("clicks", [{"text": text} for text in TEXTS])
        source = Source((f"{server.address}/clicks",), block=40)
        found = evaluate(source, learners=["unigram"], n_topics=1)
        assert (found.n_docs, found.n_steps) == (240, 6)
        for name, seconds, n_docs in (("clicks", 2.0, 240), ("empty", 1.0, 0)):
            command = ["evaluate", f"{server.address}/{name}", "--learners", "unigram", "--json"]
            began = time.monotonic()
            done = subprocess.run(
                [*COMMAND, *command, "--for", str(seconds), "--vocabulary", "grow"],
                capture_output=True, text=True, check=False, timeout=120,
            )  # fmt: skip
            assert time.monotonic() - began > seconds
            assert json.loads(done.stdout)["documents"] == n_docs, done.stderr
    finally:
        server.kill()
    with pytest.raises(ValueError, match="--for require a broker or --follow"):
        Source(("a.csv",), seconds=3)


@needs_redis
def test_a_stream_that_is_not_followed_is_read_to_its_end(tmp_path):
    server = RedisServer(tmp_path)
    try:
        server.fill("clicks", [{"text": text} for text in TEXTS[:40]])
        source = Source((f"{server.address}/clicks",), block=20, text=("text",), follow=False)
        found = learn(source, n_topics=2)
        assert found.topics.n_docs == 40
        rows = [row for one in predict(found.topics, source) for row in one.rows()]
        assert len({row["line"] for row in rows}) == 40
    finally:
        server.kill()


@pytest.mark.parametrize("n_docs", [80, 240])
def test_topics_are_emitted_with_their_ids_at_least_once(log, tmp_path, n_docs):
    emitted = tmp_path / "topics.jsonl"
    source = Source((str(log),), block=40, follow=True)
    asked = {**options(tmp_path), "emit": str(emitted)}
    emitted.write_text('{"id": "killed he')
    learn(source, **asked, progress=Until(n_docs))
    learn(source, **asked, progress=Until(240))
    rows = [json.loads(line) for line in emitted.read_text().splitlines()[1:]]
    assert [row["id"] for row in rows] == [f"0:{i + 1}" for i in range(240)]
    assert {row["topic"] for row in rows} == {1, 2, 3}


def test_a_document_without_known_words_is_emitted_without_a_topic(log, tmp_path):
    emitted = tmp_path / "topics.jsonl"
    log.write_text(log.read_text() + "!!!\n")
    learn(Source((str(log),), block=40), n_topics=3, vocabulary="grow:100", emit=str(emitted))
    *known, unknown = [json.loads(line) for line in emitted.read_text().splitlines()]
    assert all(row["topic"] in (1, 2, 3) and row["probability"] > 1 / 3 for row in known)
    assert unknown == {"id": f"{log} line 241", "topic": None, "probability": None}


def test_what_could_not_be_emitted_is_not_saved_as_learned(log, tmp_path, monkeypatch):
    emitted, source = tmp_path / "topics.jsonl", Source((str(log),), block=40, follow=True)
    asked = {**options(tmp_path, checkpoint_every=40), "emit": str(emitted)}
    write = FileEmitter.write

    def fail(self, rows):
        if rows[0]["id"] == "0:121":
            raise NotEmittedError("no room")
        write(self, rows)

    monkeypatch.setattr(FileEmitter, "write", fail)
    with pytest.raises(NotEmittedError):
        learn(source, **asked)
    assert load(tmp_path / "model").n_docs == 120
    monkeypatch.undo()
    learn(source, **asked, progress=Until(240))
    assert len(emitted.read_text().splitlines()) == 240


def test_where_topics_cannot_be_emitted_is_said_before_anything_is_learned(log, tmp_path):
    source, link = Source((str(log),), block=40), tmp_path / "link"
    link.symlink_to(tmp_path / "model")
    for emit, message in (
        (log, "would be overwritten"),
        (tmp_path / "model", "is the model file"),
        (link, "is the model file"),
        (tmp_path / "none" / "x", "does not exist"),
        ("kafka://localhost/x", "takes a file or redis"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(ValueError, match=message):
            learn(source, **options(tmp_path, emit=str(emit)))
    assert not (tmp_path / "model").exists()


@needs_redis
def test_topics_are_emitted_to_a_stream(log, tmp_path):
    (tmp_path / "redis").mkdir()
    server = RedisServer(tmp_path / "redis")
    log.write_text(log.read_text() + "!!!\n")
    try:
        emit = f"{server.address}/topics"
        learn(Source((str(log),), block=40), n_topics=3, vocabulary="grow:100", emit=emit)
        with server.client() as client:
            rows = [fields for _, fields in client.xrange("topics")]
    finally:
        server.kill()
    assert len(rows) == 241
    assert rows[1][b"id"].decode() == f"{log} line 2"
    assert float(rows[-2][b"probability"]) > 1 / 3
    assert (rows[-1][b"topic"], rows[-1][b"probability"]) == (b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
def test_signals_end_a_command_that_follows_a_file(log, tmp_path):
    saved, said = tmp_path / "model", tmp_path / "said"
    command = [*COMMAND, "learn", "--follow", "-k", "2", "--block", "40", "--save", str(saved)]
    empty = tmp_path / "empty.log"
    empty.touch()
    for path, code in ((log, 0), (empty, 143)):
        with said.open("w") as file:
            process = subprocess.Popen(
                [*command, "--checkpoint-every", "1", "--fresh", str(path)],
                stdout=subprocess.DEVNULL,
                stderr=file,
            )
            if code == 0:
                wait_for(lambda: saved.exists() and load(saved).n_docs == 240)
            else:
                time.sleep(3)  # waits for the first line: nothing is at stake
            process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            assert process.wait(timeout=30) == code, said.read_text()
            assert time.monotonic() - began < 5
