"""Resuming long files without reading them from the beginning."""

import gzip
import json
from collections import deque

import msgspec
import polars as pl
import pytest

from spectralleader.jobs import Progress, Source, learn
from spectralleader.sources.files import byte_stream, position
from spectralleader.sources.files.byte_stream import ByteStream, PieceStart
from spectralleader.sources.files.position import (
    SAMPLED,
    LearnedInput,
    Piece,
    Position,
)
from spectralleader.sources.reader import FilePosition, check_position
from spectralleader.storage import load
from tests.factories import same_state, texts, without_position

OPTIONS = {"n_topics": 2, "learner": "stepwise-em", "vocabulary": "grow:30"}
WRITTEN = [f"{text} number{i}" for i, text in enumerate(texts(600)[0])]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(byte_stream, "CHUNK", 3000)
    monkeypatch.setattr(position, "SAMPLED", 200)


class Notes(Progress):
    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    @property
    def skipped(self):
        return any("are skipped if" in line for line in self.lines)


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
    monkeypatch.setattr(byte_stream, "CHUNK", 2**20)
    for n_docs in (250, 251, 256, 257, 410, 600):
        write(files[-1], WRITTEN[:n_docs], kind)
        again, notes = resume(files, expected)
        assert notes.skipped == (n_files > 1 and n_docs > 250)
    assert same_state(without_position(again.topics), without_position(result.topics))


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
def test_a_change_is_noticed_at_the_beginning_and_near_the_end(line, tmp_path):
    file, saved = tmp_path / "a.txt", tmp_path / "m"
    write(file, WRITTEN[:500])
    resume([file], saved)
    before = saved.read_bytes()
    changed = list(WRITTEN[:510])
    changed[line] = changed[line].replace("number", "NUMBER")
    write(file, changed)
    if line == 250:  # between what is compared: the limit that the documentation states
        assert resume([file], saved)[1].skipped
    elif line == 499:  # the last one may have been half written
        _, notes = resume([file], saved)
        assert "document 500, the last one learned, has changed" in notes.lines[-1]
    else:
        with pytest.raises(ValueError, match=r"differ(s)? from (the file|those) that w(as|ere) le"):
            resume([file], saved)
        assert saved.read_bytes() == before


def test_a_change_anywhere_is_noticed_in_files_that_are_compared_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(position, "SAMPLED", SAMPLED)
    file, saved = tmp_path / "a.txt", tmp_path / "m"
    write(file, WRITTEN[:500])
    resume([file], saved)
    for line in range(0, 499, 50):
        changed = list(WRITTEN[:510])
        changed[line] = changed[line].replace("number", "NUMBER")
        write(file, changed)
        with pytest.raises(ValueError, match=r"differ(s)? from (the file|those) that w(as|ere) le"):
            resume([file], saved)


def test_files_that_shrink_or_change_their_order_are_refused(tmp_path):
    first, second, saved = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "m"
    write(first, WRITTEN[:200])
    write(second, WRITTEN[200:500])
    resume([first, second], saved)
    with pytest.raises(ValueError, match=r"b\.txt differs from the file that was learned"):
        resume([second, first], saved)
    with pytest.raises(ValueError, match=r"file 2 differs from the file that was learned"):
        resume([first], saved)
    write(first, WRITTEN[:201])
    with pytest.raises(ValueError, match=r"a\.txt differs from the file that was learned"):
        resume([first, second], saved)
    write(first, WRITTEN[:200])
    write(second, WRITTEN[200:490])
    with pytest.raises(ValueError, match="has 490 documents, but 500"):
        resume([first, second], saved)
    write(second, WRITTEN[200:300])
    with pytest.raises(ValueError, match=r"b\.txt differs from the file that was learned"):
        resume([first, second], saved)


def test_what_is_read_as_one_piece_is_read_from_the_beginning(tmp_path):
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
        at = load(saved).position
        assert (at["offset"], at["start"], at["files"]) == (600, 0, [])
        result, notes = resume([tmp_path / name], saved, how=how)
        assert (notes.skipped, result.n_before) == (False, 600)
    saved = tmp_path / "plain"
    resume([tmp_path / "a.csv"], saved)
    assert load(saved).position["start"]
    with pytest.raises(ValueError, match="was learned as UTF-8"):
        resume([tmp_path / "a.csv"], saved, how={"encoding": "latin-1"})


def test_compressed_files_that_are_learned_are_not_read_again(tmp_path):
    saved, files = tmp_path / "m", [tmp_path / f"{i}.txt.gz" for i in range(2)]
    for i, file in enumerate(files):
        file.write_bytes(gzip.compress("\n".join(WRITTEN[300 * i : 300 * i + 300]).encode()))
    resume(files, saved)
    at = load(saved).position
    assert (at["start"], [file["offset"] for file in at["files"]]) == (
        300,
        [files[0].stat().st_size, 0],
    )
    result, notes = resume(files, saved)
    assert (notes.skipped, result.n_before) == (True, 600)
    files[0].write_bytes(gzip.compress(b"other"))
    with pytest.raises(ValueError, match=r"0\.txt\.gz differs from the file that was learned"):
        resume(files, saved)


def test_a_file_that_was_deleted_leaves_no_position(tmp_path):
    learned = LearnedInput([str(tmp_path / "a")], deque([Piece(0, 0, PieceStart(9, 1))]), [])
    learned.add(["rain"])
    assert learned.position() is None


@pytest.mark.parametrize("size", [1, 7, 32, 100])
def test_a_digest_does_not_depend_on_blocks(size, tmp_path):
    def learn_in(size):
        pieces = deque(
            [Piece(0, 0), Piece(40, 0, PieceStart(9, 2)), Piece(96, 0, PieceStart(20, 3))]
        )
        learned = LearnedInput([str(write(tmp_path / "a", WRITTEN))], pieces, [])
        for start in range(0, 100, size):
            learned.add(WRITTEN[start : min(100, start + size)])
        return learned.position()

    assert learn_in(size) == learn_in(100)
    assert learn_in(100)["start"] == 96


def test_a_position_that_does_not_fit_together_is_refused():
    at = FilePosition(100, 4, "ab", 200)
    fits = Position("files", 9, "ab", "cd", 3, [at])
    state = msgspec.to_builtins(fits)
    assert check_position(Position, state) == fits
    wrong = msgspec.to_builtins(at) | {"offset": -1}
    for change in ({"start": 10}, {"start": -1}, {"files": 7}, {"files": [7]}, {"files": [wrong]}):
        with pytest.raises(ValueError, match=r"start|files|offset"):
            check_position(Position, state | change)
    with pytest.raises(ValueError, match="kind"):
        check_position(Position, state | {"kind": "folder"})
