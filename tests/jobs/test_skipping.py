"""Resuming long files without reading them from the beginning."""

import gzip
import json
from dataclasses import replace

import polars as pl
import pytest

from spectralleader.jobs import Progress, Source, input_digest, learn
from spectralleader.jobs.input_digest import InputDigest
from spectralleader.sources.files import byte_stream, reader, resume_point
from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.resume_point import ResumePoint
from spectralleader.storage import load_checkpoint, save
from tests.factories import same_state, texts

OPTIONS = {"n_topics": 2, "learner": "stepwise-em", "vocabulary": "grow:30"}
WRITTEN = [f"{text} number{i}" for i, text in enumerate(texts(600)[0])]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(byte_stream, "CHUNK", 3000)
    monkeypatch.setattr(resume_point, "SAMPLED", 200)
    monkeypatch.setattr(input_digest, "CHEAP", 2000)
    monkeypatch.setattr(input_digest, "SEGMENT", 32)
    monkeypatch.setattr(reader, "MARKED", 32)


class Notes(Progress):
    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    @property
    def skipped(self):
        return any("skipping the first" in line for line in self.lines)


def as_lines(kind, written):
    if kind == "jsonl":
        return [json.dumps({"text": text}) for text in written]
    if kind == "csv":
        return ["id,text", *(f'{i},"{text},\n{text}"' for i, text in enumerate(written))]
    return written


def write(path, written, kind="txt"):
    path.write_text("".join(f"{line}\n" for line in as_lines(kind, written)))
    return path


def resume(files, saved, **more):
    notes = Notes()
    source = Source(tuple(map(str, files)), text=("text",), block=20, **more.pop("how", {}))
    result = learn(source, **OPTIONS, save=saved, progress=notes, **more)
    return result, notes


@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
@pytest.mark.parametrize("n_files", [1, 3])
def test_a_grown_file_is_read_from_the_mark_on_and_gives_the_same_topics(
    kind, n_files, tmp_path, monkeypatch
):
    files = [tmp_path / f"{i}.{kind}" for i in range(n_files)]
    saved, read, more = tmp_path / "m", [], ByteStream.more
    for file in files[:-1]:
        write(file, WRITTEN[:100], kind)
    monkeypatch.setattr(ByteStream, "more", lambda self, *a: read.append(self) or more(self, *a))
    results = []
    for n_docs in (250, 251, 256, 257, 410, 600):
        write(files[-1], WRITTEN[:n_docs], kind)
        read.clear()
        result, notes = resume(files, saved)
        results.append(len(read))
        assert notes.skipped == (n_docs > 250), n_docs
        assert result.topics.n_docs == n_docs + 100 * (n_files - 1)
    write(files[-1], WRITTEN, kind)
    read.clear()
    resume(files, tmp_path / "never")
    assert max(results[1:4]) < len(read) / 3
    expected = tmp_path / "expected"
    monkeypatch.setattr(input_digest, "CHEAP", 2**40)
    for n_docs in (250, 251, 256, 257, 410, 600):
        write(files[-1], WRITTEN[:n_docs], kind)
        again, notes = resume(files, expected)
        assert not notes.skipped
    assert same_state(again.topics.to_state(), result.topics.to_state())
    assert load_checkpoint(expected).position.digest == load_checkpoint(saved).position.digest


def test_lines_are_counted_from_the_beginning(tmp_path):
    file, saved = tmp_path / "a.txt", tmp_path / "m"
    write(file, WRITTEN[:500])
    resume([file], saved)
    with file.open("ab") as end:
        end.write(b"late goal\n\xff\nlate goal\n")
    result, notes = resume([file], saved)
    assert notes.skipped
    assert result.reader.problems.places == {"not UTF-8 text": [f"{file} line 502"]}


@pytest.mark.parametrize("line", [0, 250, 480, 499])
def test_a_change_is_noticed_at_the_beginning_and_from_the_mark_on(line, tmp_path):
    file, saved = tmp_path / "a.txt", tmp_path / "m"
    write(file, WRITTEN[:500])
    resume([file], saved)
    before = saved.read_bytes()
    changed = list(WRITTEN[:510])
    changed[line] = changed[line].replace("number", "NUMBER")
    write(file, changed)
    if line == 250:  # between the samples: the limit that the documentation states
        assert resume([file], saved)[1].skipped
        saved.write_bytes(before)
    elif line == 499:  # the last one may have been half written
        _, notes = resume([file], saved)
        assert "document 500, the last one learned, has changed" in notes.lines[-1]
        return
    with pytest.raises(ValueError, match="the first 500 documents of the input differ"):
        resume([file], saved, verify=True)
    if line != 250:
        with pytest.raises(ValueError, match="the first 500 documents of the input differ"):
            resume([file], saved)
    assert saved.read_bytes() == before


def test_files_that_shrink_or_change_their_order_are_refused(tmp_path):
    first, second, saved = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "m"
    write(first, WRITTEN[:200])
    write(second, WRITTEN[200:500])
    resume([first, second], saved)
    with pytest.raises(ValueError, match="differ from those that were learned"):
        resume([second, first], saved)
    with pytest.raises(ValueError, match="has 200 documents, but 500"):
        resume([first], saved)
    write(first, WRITTEN[:201])
    with pytest.raises(ValueError, match="differ from those that were learned"):
        resume([first, second], saved)
    write(first, WRITTEN[:200])
    write(second, WRITTEN[200:480])
    with pytest.raises(ValueError, match="has 480 documents, but 500"):
        resume([first, second], saved)


def test_what_has_no_marks_is_read_from_the_beginning(tmp_path):
    frame = pl.DataFrame({"text": WRITTEN, "date": ["2020-01-01"] * len(WRITTEN)})
    frame.write_parquet(tmp_path / "a.parquet")
    raw = frame.write_csv().encode()
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(raw))
    (tmp_path / "a.csv").write_bytes(raw)
    (tmp_path / "latin.csv").write_bytes(raw)
    for name, how in (
        ("a.parquet", {}),
        ("a.csv.gz", {}),
        ("a.csv", {"sort": True, "time": "date"}),
        ("latin.csv", {"encoding": "latin-1"}),
    ):
        saved = tmp_path / f"{name}.m"
        resume([tmp_path / name], saved, how=how)
        assert load_checkpoint(saved).position.mark is None
        result, notes = resume([tmp_path / name], saved, how=how)
        assert (notes.skipped, result.n_before) == (False, 600)
    saved = tmp_path / "plain"
    resume([tmp_path / "a.csv"], saved)
    assert load_checkpoint(saved).position.mark is not None
    assert not resume([tmp_path / "a.csv"], saved, how={"encoding": "latin-1"})[1].skipped


def test_a_checkpoint_of_version_0_1_0_is_resumed(tmp_path):
    file, saved, old = tmp_path / "a.txt", tmp_path / "m", InputDigest(is_chained=False)
    write(file, WRITTEN[:500])
    resume([file], saved)
    found = load_checkpoint(saved)
    old.add(WRITTEN[:500])
    save(replace(found, position=old.position), saved)
    write(file, WRITTEN)
    result, notes = resume([file], saved)
    assert (notes.skipped, result.n_before, result.topics.n_docs) == (False, 500, 600)
    assert resume([file], saved)[1].skipped
    old.add(["another"])
    save(replace(found, position=replace(old.position, offset=500)), saved)
    with pytest.raises(ValueError, match="differ from those that were learned"):
        resume([file], saved)


@pytest.mark.parametrize("size", [1, 7, 32, 100])
def test_a_digest_does_not_depend_on_blocks_and_continues_from_a_chain(size):
    whole, parts = InputDigest(), InputDigest()
    whole.add(WRITTEN[:100])
    for start in range(0, 100, size):
        parts.add(WRITTEN[start : min(100, start + size)])
    assert (parts.position, parts.chain) == (whole.position, whole.chain)
    again = InputDigest(whole.n_chained, whole.chain)
    again.add(WRITTEN[96:100])
    assert (whole.n_chained, again.position.digest) == (96, whole.position.digest)


def test_a_mark_that_does_not_fit_together_is_refused():
    state = ResumePoint(3, 100, 4, (50, 100), "ab").to_state()
    assert ResumePoint.from_state(state) == ResumePoint(3, 100, 4, (50, 100), "ab")
    for change in ({"ends": [50]}, {"ends": []}, {"ends": 7}, {"offset": -1}, {"ends": [-1, 100]}):
        with pytest.raises(ValueError, match=r"ends|offset"):
            ResumePoint.from_state(state | change)
    assert not ResumePoint(3, 100, 4, (50, 100), "ab").fits(["missing", "missing"])
    assert not ResumePoint(3, 100, 4, (50, 100), "ab").fits(["missing"])
