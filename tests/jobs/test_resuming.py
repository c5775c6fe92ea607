import errno
import gzip
import json
import os
import signal
import threading
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from filelock import FileLock

from spectralleader import (
    GrowingVocabulary,
    StepwiseEM,
    StorageError,
    TextTopics,
    TopicModel,
    load,
    save,
)
from spectralleader.errors import NotSavedError
from spectralleader.jobs import Progress, Source, checkpointing, describe, learn
from spectralleader.jobs.checkpointing import CheckpointInterval
from spectralleader.learners.learner_base import Fixed
from spectralleader.runtime.interrupts import Terminated
from spectralleader.sources.files.byte_stream import ZSTD_MODULE
from spectralleader.storage import Checkpoint, load_checkpoint
from spectralleader.storage.lock import Lock
from tests.factories import (
    comparable,
    same_state,
    texts,
    texts_with_rare_words,
    without_position,
    write_csv,
)

FAST = {"n_topics": 3, "learner": "stepwise-em"}


class StopAfter(Progress):
    """Asks to stop after some documents, and takes notes."""

    def __init__(self, n_docs=None, number=signal.SIGTERM):
        self.n_docs, self.number, self.lines, self.steps = n_docs, number, [], []

    def say(self, line):
        self.lines.append(line)

    def stepped(self, result):
        self.steps.append(result.topics.n_docs)
        if result.topics.n_docs == self.n_docs:
            signal.raise_signal(self.number)


def write_rows(folder, n_docs=300):
    """The same documents in every format that is read, in no order of time; the files of each."""
    written, _ = texts(n_docs)
    times = [f"2020-01-{i * 7 % 28 + 1:02}" for i in range(n_docs)]
    frame = pl.DataFrame({"text": written, "date": times})
    raw = frame.write_csv().encode()
    (folder / "a.csv").write_bytes(raw)
    (folder / "a.csv.gz").write_bytes(gzip.compress(raw))
    (folder / "a.csv.zst").write_bytes(import_module(ZSTD_MODULE).compress(raw))
    frame.write_parquet(folder / "a.parquet")
    frame[:130].write_ndjson(folder / "b.jsonl")
    frame[130:].write_ndjson(folder / "c.jsonl")
    names = ("a.csv", "a.csv.gz", "a.csv.zst", "a.parquet")
    return {name: (name,) for name in names} | {"two files": ("b.jsonl", "c.jsonl")}


@pytest.mark.parametrize("sort", [False, True], ids=["as it comes", "sorted"])
@pytest.mark.parametrize("vocabulary", ["15", "grow:15", None])
def test_a_pass_in_pieces_is_one_pass_for_every_format(vocabulary, sort, tmp_path):
    for name, files in write_rows(tmp_path).items():
        paths = tuple(str(tmp_path / file) for file in files)
        source = Source(paths, block=30, sort=sort, time="date")
        whole, pieces = tmp_path / f"{name}.whole", tmp_path / f"{name}.pieces"
        learn(source, **FAST, vocabulary=vocabulary, save=whole)
        for n_docs in (60, 150):
            stopped = learn(
                source, **FAST, vocabulary=vocabulary, save=pieces, progress=StopAfter(n_docs)
            )
            assert isinstance(stopped.stopped, Terminated)
            assert load(pieces).n_docs == n_docs
        notes = StopAfter()
        result = learn(source, **FAST, vocabulary=vocabulary, save=pieces, progress=notes)
        assert (result.n_before, notes.steps) == (150, [180, 210, 240, 270, 300])
        known = 130 if name == "two files" and not sort else 0  # the first file, by its bytes
        how = f"the first {known} are skipped if they are the same" if known else "checking that"
        assert any(line.startswith(f"resuming after 150 documents; {how}") for line in notes.lines)
        assert not any("counting" in line for line in notes.lines)
        assert same_state(comparable(pieces), comparable(whole)), name


def test_a_file_that_has_grown_teaches_its_new_lines_only(tmp_path):
    written, _ = texts(205)
    file, saved = tmp_path / "log.txt", tmp_path / "m"
    file.write_text("".join(f"{line}\n" for line in written[:95]))
    learn(Source((str(file),), block=20), n_topics=2, vocabulary="grow:30", save=saved)
    with file.open("a") as end:
        end.writelines(f"{line}\n" for line in written[95:])
    notes = StopAfter()
    source = Source((str(file),), block=20)
    learn(source, n_topics=2, vocabulary="grow:30", save=saved, progress=notes)
    assert notes.steps == [115, 135, 155, 175, 195, 205]
    before = saved.stat().st_mtime_ns
    again = learn(source, n_topics=2, vocabulary="grow:30", save=saved)
    assert again.n_before == again.topics.n_docs == 205
    assert saved.stat().st_mtime_ns == before  # nothing is new: nothing is written
    topics = TextTopics(2, vocabulary=GrowingVocabulary(30, min_count=2), block_size=20)
    topics.learn(written[:95])
    topics.learn(written[95:])
    assert same_state(without_position(again.topics), topics.to_state())


def write_new_subject(tmp_path):
    """Return a file, and a function that appends to it texts of which half have new words."""
    file, written = tmp_path / "log.txt", texts(300)[0]
    file.write_text("".join(f"{line}\n" for line in written))

    def append():
        with file.open("a") as end:
            end.writelines(f"{line}\nbonds yields falling\n" for line in written)

    return file, append


@pytest.mark.parametrize("learner", ["hedged", "stepwise-em"])
def test_a_resumed_run_learns_new_subjects(learner, tmp_path):
    file, append = write_new_subject(tmp_path)
    options = {"n_topics": 3, "learner": learner, "save": tmp_path / "m"}
    assert learn(file, **options).summary()["vocabulary"] == {"words": 24, "grows": True}
    append()
    found = learn(file, **options)
    assert {"bonds", "yields", "falling"} <= set(found.topics.vocabulary)
    assert (found.topics.n_docs, found.topics.n_empty, found.n_unknown) == (900, 0, None)
    assert found.summary()["vocabulary"] == {"words": 27, "grows": True}


def test_a_counted_vocabulary_is_that_of_the_first_run(tmp_path):
    file, append = write_new_subject(tmp_path)
    source = Source((str(file),), block=50)
    options = FAST | {"vocabulary": 5000, "save": tmp_path / "m"}
    assert learn(source, **options, progress=StopAfter(100)).stopped
    append()
    found = learn(source, **options)
    assert found.summary()["vocabulary"] == {"words": 24, "grows": False}
    assert (found.topics.n_docs, found.topics.n_empty) == (900, 300)


@pytest.mark.parametrize("seed", range(3))
def test_where_a_stream_was_cut_into_two_runs_it_has_not_changed(seed, tmp_path):
    written, rng = texts_with_rare_words(24_000), np.random.default_rng(seed)
    rng.shuffle(written)
    file, options = tmp_path / "log.txt", {"n_topics": 3, "save": tmp_path / "m"}
    file.write_text("".join(f"{line}\n" for line in written[: rng.integers(17_000, 19_000)]))
    first = learn(file, **options).topics
    assert first.learner.settles_at is None  # from then on drift is tested
    file.write_text("".join(f"{line}\n" for line in written))
    found = learn(file, **options).topics
    assert found.n_docs == 24_000
    assert found.vocabulary.n_words > first.vocabulary.n_words > 4000
    assert (found.learner.events, found.learner.drifts_since) == ((), None)
    assert describe(found.read()).history == []


def test_many_new_documents_without_known_words_are_reported(tmp_path):
    file, append = write_new_subject(tmp_path)
    options = FAST | {"vocabulary": 5000, "save": tmp_path / "m"}
    assert learn(file, **options).n_unknown is None
    append()
    assert learn(file, **options).n_unknown == 300
    assert learn(file, **options).n_unknown is None  # nothing is new


def test_a_last_line_that_was_not_finished_stays_as_it_was_learned(tmp_path):
    file, saved, notes = tmp_path / "log.txt", tmp_path / "m", StopAfter()
    file.write_text("rain wind\nlate goal\nrain and wi")
    options = {"n_topics": 2, "vocabulary": "grow", "save": saved}
    learn(file, **options)
    file.write_text("rain wind\nlate goal\nrain and wind\nlate again\n")
    assert learn(file, **options, progress=notes).topics.n_docs == 4
    assert any("document 3, the last one learned, has changed" in n for n in notes.lines)


def test_other_documents_are_refused(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    whole = file.read_text()
    learn(file, **FAST, vocabulary=15, save=saved)
    before = saved.read_bytes()
    lines = whole.splitlines(keepends=True)
    for content, message in (
        ("".join([*lines[:9], lines[10], lines[9], *lines[11:]]), "the first 300 documents"),
        ("".join(lines[:200]), "the input has 199 documents, but 300 were learned"),
        (whole.replace("rain", "hail") + whole, "a file has changed or is another"),
    ):
        file.write_text(content)
        with pytest.raises(ValueError, match=message):
            learn(file, **FAST, vocabulary=15, save=saved)
    assert saved.read_bytes() == before
    other = tmp_path / "renamed.csv.gz"
    other.write_bytes(gzip.compress(whole.encode()))
    assert learn(other, **FAST, vocabulary=15, save=saved).n_before == 300


def test_other_settings_are_refused_and_named(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    words = tmp_path / "words.txt"
    words.write_text("rain\nwind\n")
    source, options = Source((str(file),)), FAST | {"vocabulary": 15, "save": saved}
    learn(source, **options)
    for change, message in (
        ({"n_topics": 4, "seed": 1}, "topics was 3, is 4; seed was 0, is 1; use the same"),
        ({"learner": "unigram"}, "learner was stepwise-em, is unigram"),
        ({"vocabulary": "grow:15"}, "vocabulary was 15, is grow:15"),
        ({"min_count": 3}, "min-count was 2, is 3"),
        ({"vocabulary": str(words)}, r"vocabulary was 15, is 2 given words \("),
        ({"stop_words": "none"}, "stop-words was english, is none"),
        ({"stop_words": str(words)}, r"stop-words was english, is 2 given words \("),
    ):
        with pytest.raises(ValueError, match=message):
            learn(source, **{**options, **change})
    for change, message in (
        ({"block": 50}, "block was 100, is 50"),
        ({"sort": True}, "sort was no, is by timestamp"),
        ({"text": ("label",)}, "text was text, is label"),
        ({"time": ""}, "time was timestamp, is none"),
        ({"time_format": "%Y"}, "time was timestamp, is timestamp as %Y"),
    ):
        with pytest.raises(ValueError, match=message):
            learn(Source((str(file),), **change), **options)
    assert load(saved).n_docs == 300


def test_fresh_starts_anew_and_keeps_what_was_there(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, save=saved)
    for n_topics, backup in ((2, "m.bak"), (4, "m.bak2")):
        before = saved.read_bytes()
        result = learn(file, n_topics=n_topics, learner="unigram", save=saved, fresh=True)
        assert result.backup == tmp_path / backup
        assert result.backup.read_bytes() == before
        assert load(saved).model.n_topics == n_topics


def test_what_learn_has_not_saved_is_not_resumed(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, save=saved)
    found = load_checkpoint(saved)
    found.topics.learn(["rain and wind"])
    for changed in (found, Checkpoint(found.topics), found.topics):
        save(changed, saved)
        with pytest.raises(StorageError, match=r"learned other documents .*; start over with"):
            learn(file, **FAST, save=saved)
    save(found.topics.learner, saved)
    with pytest.raises(StorageError, match=r"contains a StepwiseEM, not topics; start over with"):
        learn(file, **FAST, save=saved)
    saved.write_bytes(b"damaged")
    with pytest.raises(StorageError, match="start over with --fresh"):
        learn(file, **FAST, save=saved)
    assert learn(file, **FAST, save=saved, fresh=True).saved == saved


def test_what_learn_saves_is_a_model_with_its_vocabulary(tmp_path):
    result = learn(write_csv(tmp_path / "a.csv"), **FAST, save=tmp_path / "m")
    found = load(tmp_path / "m")
    assert type(found) is TextTopics
    assert (found.model.topics == result.topics.model.topics).all()
    assert list(found.vocabulary) == list(result.topics.vocabulary)
    assert same_state(found.to_state(), result.topics.to_state())


def learn_pipe(path, written, **options):
    """Learn texts from a named pipe."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("".join(f"{t}\n" for t in written),))
    writer.start()
    try:
        return learn(Source((str(path),), block=10), **options)
    finally:
        writer.join()
        path.unlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_a_pipe_brings_is_new(tmp_path):
    written, saved, notes = texts(60)[0], tmp_path / "m", StopAfter()
    learn_pipe(tmp_path / "pipe", written[:40], **FAST, save=saved)
    result = learn_pipe(tmp_path / "pipe", written[40:], **FAST, save=saved, progress=notes)
    assert (result.n_before, result.topics.n_docs) == (40, 60)
    assert "resuming after 40 documents; the input of a pipe is new" in notes.lines
    file = tmp_path / "all.txt"
    file.write_text("\n".join(written))
    source = Source((str(file),), block=10)
    with pytest.raises(ValueError, match="the model was learned from a pipe"):
        learn(source, **FAST, vocabulary="grow", save=saved)
    whole = learn(source, **FAST, vocabulary="grow")
    assert same_state(without_position(whole.topics), without_position(result.topics))
    assert whole.mean_loss == result.mean_loss


def full_disk(monkeypatch, failing):
    """Let the disk be full whenever a call of this, with the number of tries, says so."""
    real, tries = os.fsync, []

    def fsync(handle):
        tries.append(handle)
        if failing(len(tries)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    return tries


def test_a_full_disk_on_the_way_leaves_the_last_checkpoint_and_learning_goes_on(
    tmp_path, monkeypatch
):
    file, saved, seen = write_csv(tmp_path / "a.csv", 600), tmp_path / "m", []
    learn(file, **FAST, vocabulary=15, save=tmp_path / "whole")
    is_full = False

    class Notes(StopAfter):
        def stepped(self, result):
            nonlocal is_full
            seen.append(load(saved).n_docs)
            is_full = result.topics.n_docs in (200, 300)

    notes = Notes()
    full_disk(monkeypatch, lambda _: is_full)
    options = FAST | {"vocabulary": 15, "save": saved, "checkpoint_every": 100}
    result = learn(file, **options, progress=notes)
    assert seen == [100, 200, 200, 200, 500, 600]
    assert [line for line in notes.lines if "save" in line] == [
        f"cannot save to {saved}: No space left on device; the last good checkpoint has 200 "
        "documents; learning continues",
        f"saved again: 500 documents in {saved}",
    ]
    assert result.saved == saved
    assert same_state(comparable(saved), comparable(tmp_path / "whole"))


def test_topics_of_an_engine_are_not_resumed(tmp_path):
    path = tmp_path / "t.model"
    given = Fixed(TopicModel([1.0], [[0.5, 0.5]]))
    save(TextTopics(learner=given, vocabulary=["rain", "wind"]), path)
    with pytest.raises(ValueError, match="cannot learn more"):
        learn(write_csv(tmp_path / "news.csv", 30), save=path, adopt=True)


def test_a_full_disk_at_the_end_is_an_error_that_keeps_the_last_checkpoint(tmp_path, monkeypatch):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, vocabulary=15, save=saved, progress=StopAfter(200))
    before = saved.read_bytes()
    full_disk(monkeypatch, lambda _: True)
    with pytest.raises(NotSavedError, match=r"No space left.*the last good checkpoint has 200"):
        learn(file, **FAST, vocabulary=15, save=saved)
    assert saved.read_bytes() == before
    with pytest.raises(NotSavedError, match=r"No space left.*nothing has been saved yet"):
        learn(file, **FAST, vocabulary=15, save=tmp_path / "new")
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "m"}


def test_a_folder_that_cannot_be_written_to_is_an_error_at_once(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, save=saved)
    before, notes = saved.read_bytes(), StopAfter()
    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(StorageError, match=r"cannot save to .*m: Read-only file system"):
        learn(file, **FAST, save=saved, progress=notes)
    assert (saved.read_bytes(), notes.lines) == (before, [])


def test_a_step_that_was_broken_off_is_not_saved(tmp_path, monkeypatch):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, vocabulary="grow", save=tmp_path / "whole")
    whole, learned = StepwiseEM.learn, []
    for error in (KeyboardInterrupt, ValueError("no such block")):

        def break_off(learner, documents, error=error):
            if documents.n_docs and learned:
                raise error
            whole(learner, documents)
            learned.extend([documents] if documents.n_docs else [])

        monkeypatch.setattr(StepwiseEM, "learn", break_off)
        options = FAST | {"vocabulary": "grow", "save": saved, "checkpoint_every": 1}
        if error is KeyboardInterrupt:
            assert learn(file, **options).stopped
        else:
            with pytest.raises(ValueError, match="no such block; the 100 documents before it were"):
                learn(file, **options)
        assert load(saved).n_docs == 100
    monkeypatch.undo()
    learn(file, **options)
    assert same_state(comparable(saved), comparable(tmp_path / "whole"))


def test_a_second_process_is_refused_while_the_first_is_at_it(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    link = tmp_path / "link"
    link.symlink_to(saved)
    refused = []

    class Rival(Progress):
        def stepped(self, result):
            for path in (saved, link):
                with pytest.raises(StorageError) as error:
                    learn(file, **FAST, save=path)
                refused.append(str(error.value))

    learn(file, **FAST, save=saved, progress=Rival())
    message = f"another process (process {os.getpid()}) is learning into"
    assert len(refused) == 6
    assert all(message in line for line in refused)
    assert learn(file, **FAST, save=saved).n_before == 300  # it is free again
    assert not (tmp_path / "m.lock").exists()


def test_a_lock_file_that_was_left_behind_locks_nobody_out(tmp_path):
    (tmp_path / "m.lock").write_text("999999\n")
    with Lock(tmp_path / "m") as lock:
        assert lock.path.read_text() == f"{os.getpid()}\n"


def test_a_folder_without_locks_is_said_and_used(tmp_path, monkeypatch):
    def refuse(_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(FileLock, "acquire", refuse)
    saved, notes = tmp_path / "m", StopAfter()
    learn(write_csv(tmp_path / "a.csv"), **FAST, save=saved, progress=notes)
    assert f"the file system cannot lock {saved}: make sure that no other" in notes.lines[0]
    assert load(saved).n_docs == 300


def test_a_request_to_end_before_learning_begins_ends_it_at_once(tmp_path):
    class Early(Progress):
        def counted(self, n_docs):
            signal.raise_signal(signal.SIGTERM)

    file, before = write_csv(tmp_path / "a.csv"), signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated):
        learn(file, **FAST, vocabulary=15, save=tmp_path / "m", progress=Early())
    assert signal.getsignal(signal.SIGTERM) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_what_a_killed_process_left_behind_is_deleted_and_nothing_else(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, save=saved)
    (tmp_path / ".m.ab12cdef").write_bytes(saved.read_bytes()[:500])
    (tmp_path / ".m.cd34abef").write_bytes(b"")
    kept = {".m.settings": "mine..", ".m.settings.json": "", ".mine.ab12cdef": ""}
    for name, content in kept.items():
        (tmp_path / name).write_text(content)
    learn(file, **FAST, save=saved)
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "m", *kept}


def test_checkpoints_come_as_often_as_is_said(tmp_path):
    file, saved, seen = write_csv(tmp_path / "a.csv"), tmp_path / "m", []

    class Notes(Progress):
        def stepped(self, result):
            seen.append(result.n_saved)

    source = Source((str(file),), block=50)
    learn(source, **FAST, save=saved, checkpoint_every=120, progress=Notes())
    assert seen == [None, None, 150, 150, 150, 300]
    assert CheckpointInterval.of(" 90 s") == CheckpointInterval(seconds=90)
    for wish in ("often", "0", "0s", "-5", "5 days", "1.5", ""):
        with pytest.raises(ValueError, match="a number of documents or a time"):
            CheckpointInterval.of(wish)


def test_the_first_checkpoint_comes_soon_and_the_waits_double_up_to_the_interval(
    tmp_path, monkeypatch
):
    file, saved, clock, seen = tmp_path / "a.txt", tmp_path / "m", [0.0], []
    file.write_text("late goal\n" * 100)
    monkeypatch.setattr(checkpointing, "monotonic", lambda: clock[0])

    class Notes(Progress):
        def stepped(self, result):
            if result.n_saved and result.n_saved not in seen:
                seen.append(result.n_saved)
            clock[0] += 2.0  # seconds for a document

    source = Source((str(file),), block=1)
    options = FAST | {"vocabulary": "grow", "checkpoint_every": "50s"}
    learn(source, **options, save=saved, progress=Notes())
    assert seen == [6, 16, 36, 61, 86]  # after 10, 20, 40, 50, 50 seconds, at the next document
    # an interval that is shorter than the first wait is kept from the start
    seen.clear()
    learn(source, **options | {"checkpoint_every": "4s"}, save=saved, fresh=True, progress=Notes())
    assert seen[:3] == [3, 5, 7]


def test_progress_can_be_told_as_json(tmp_path):
    file, saved = write_csv(tmp_path / "a.csv"), tmp_path / "m"
    learn(file, **FAST, save=saved, progress=StopAfter(100, signal.SIGTERM))
    told = json.loads(json.dumps(learn(file, **FAST, save=saved).summary()))
    assert (told["documents_learned_before"], told["documents"]) == (100, 300)
