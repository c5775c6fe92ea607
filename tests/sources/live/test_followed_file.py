import json
import os
import shutil

import pytest

from spectralleader.sources import open_source
from spectralleader.sources.live.followed_file import FollowedFile
from spectralleader.sources.live.reader import LiveReader
from spectralleader.sources.options import SourceOptions


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "app.log"
    path.touch()
    return path


def write(path, *lines):
    with path.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def now(reader, n=6):
    """What comes within a moment, in blocks of one."""
    return [text for _ in range(n) for text in reader.next_or_idle().texts]


def follow(path, **options):
    return open_source(path, block=1, **options)


def test_lines_come_as_they_are_written_and_half_lines_wait(log):
    write(log, "one", "", "two")
    with follow(log) as reader:
        assert reader.guesses == ("each message is a text",)
        assert now(reader) == ["one", "two"]
        with log.open("a") as file:
            file.write("thr")
            file.flush()
            assert now(reader) == []
            file.write("ee\r\n")
        assert now(reader) == ["three"]


def test_a_file_that_is_renamed_is_read_to_its_end_and_the_new_one_after_it(log, tmp_path):
    write(log, "one")
    with follow(log) as reader:
        assert now(reader) == ["one"]
        log.rename(tmp_path / "app.log.1")
        write(tmp_path / "app.log.1", "late")  # by a process that has not noticed
        assert now(reader) == ["late"]  # there is no new one yet
        write(log, "two", "three")
        assert now(reader, 9) == ["two", "three"]
        assert reader.position["at"]["number"] == 1


def test_a_file_that_is_copied_and_truncated_is_finished_in_the_copy(log, tmp_path):
    write(log, "one", "two")
    with follow(log) as reader:
        assert now(reader) == ["one", "two"]
        write(log, "three")  # not read before the file is truncated
        shutil.copy(log, tmp_path / "app.log.1")
        os.truncate(log, 0)
        assert now(reader) == ["three"]
        write(log, "four")
        assert now(reader) == ["four"]


def test_a_file_that_is_truncated_and_grows_past_the_position_is_noticed(log):
    said = []
    write(log, "one", "two")
    with follow(log, say=said.append) as reader:
        assert now(reader) == ["one", "two"]
        log.write_text("a much longer line than those before\nand more\n")
        assert now(reader, 9) == ["a much longer line than those before", "and more"]
    assert "was truncated and no copy" in said[0]


@pytest.mark.parametrize("how", ["rename", "copy"])
@pytest.mark.parametrize("times", [1, 3])
def test_rotation_while_nobody_follows_loses_nothing(log, tmp_path, how, times):
    write(log, "one", "two")
    with follow(log) as reader:
        next(reader)
        position = reader.position
    expected = ["two"]
    for i in range(times):
        write(log, f"last {i}")
        expected.append(f"last {i}")
        for number in range(i, 0, -1):
            (tmp_path / f"app.log.{number}").rename(tmp_path / f"app.log.{number + 1}")
        if how == "rename":
            log.rename(tmp_path / "app.log.1")
        else:
            shutil.copy(log, tmp_path / "app.log.1")
        log.write_text(f"first {i}\n")
        os.utime(log, ns=(1, (2 + i) * 10**18))  # later than the rotated ones, on any clock
        if how == "copy":
            os.utime(tmp_path / "app.log.1", ns=(1, (1 + i) * 10**18 + 7))
        expected.append(f"first {i}")
    with follow(log, after=position) as reader:
        assert now(reader, 20) == expected
    # the model, and other files beside it, are not taken for rotated ones
    assert not any("model" in text for text in expected)


def test_only_what_looks_rotated_is_read(log, tmp_path):
    write(log, "one")
    write(tmp_path / "app.log.model", "model")
    with follow(log) as reader:
        assert now(reader) == ["one"]
        log.rename(tmp_path / "app.log-20240131")
        write(log, "two")
        write(tmp_path / "app.log.model", "model")
        assert now(reader) == ["two"]


def rotate(log, how):
    if how == "rename":
        log.rename(log.with_name("app.log.1"))
    else:
        shutil.copy(log, log.with_name("app.log.1"))
    os.utime(log.with_name("app.log.1"), ns=(1, 10**18))
    if how == "copy":
        os.truncate(log, 0)


@pytest.mark.parametrize("how", ["rename", "copy"])
@pytest.mark.parametrize("is_empty", [True, False])
def test_a_file_of_which_nothing_was_learned_is_found_after_its_rotation(log, how, is_empty):
    if not is_empty:
        write(log, "one", "two")
    with follow_late(log) if is_empty else open_source(log, wait=60) as reader:
        first = reader.position
    assert first["at"]["offset"] == 0
    rotate(log, how)
    write(log, "three")
    said = []
    with follow(log, after=first, say=said.append) as reader:
        assert now(reader, 20) == ["one", "two", "three"]
    assert said == [f"{log} was rotated: resuming in {log}.1"]


def follow_late(log):
    """Open an empty log whose first lines come while it is followed."""
    source = FollowedFile(str(log), SourceOptions(wait=60))
    take = source.take

    def write_and_take(n):
        if not log.stat().st_size:
            write(log, "one", "two")
        return take(n)

    source.take = write_and_take
    reader = LiveReader(source, SourceOptions(wait=60))
    reader.open(None)
    return reader


def test_files_that_begin_alike_are_told_apart(log):
    write(log, "started", "one")
    with follow(log) as reader:
        assert next(reader).texts == ["started"]
        position = reader.position
    rotate(log, "rename")
    write(log, "started", "two")
    with follow(log, after=position) as reader:
        assert now(reader, 20) == ["one", "started", "two"]


def test_a_file_that_is_not_created_yet_is_awaited(log):
    write(log, "one", "two")
    with follow(log) as reader:
        next(reader)
        position = reader.position
    log.rename(log.with_name("app.log.1"))
    with follow(log, after=position) as reader:
        assert now(reader) == ["two"]
        write(log, "three")
        assert now(reader) == ["three"]
    log.unlink()
    with pytest.raises(ValueError, match=r"app\.log does not exist"):
        follow(log)  # without a position there is nothing to resume
    log.with_name("app.log.1").unlink()
    with pytest.raises(ValueError, match=r"app\.log does not exist"):
        follow(log, after=position)


def test_a_file_that_is_gone_is_an_error_that_says_what_to_do(log):
    write(log, "one", "two")
    with follow(log) as reader:
        next(reader)
        position = reader.position
    log.write_text("another file altogether\n")
    with pytest.raises(ValueError, match=r"the file that was learned.*restore it"):
        follow(log, after=position)


def test_latest_begins_after_what_is_there(log):
    write(log, "old")
    with log.open("a") as file:
        file.write("half")
    with open_source(log, block=1, start="latest", follow=False) as reader:
        assert next(reader).texts == ["half"]


def test_json_lines_are_followed_and_tables_are_not(tmp_path):
    path = tmp_path / "events.jsonl"
    write(path, *(json.dumps({"payload": {"items": ["a", i]}}) for i in range(3)))
    with follow(path, tokens="payload.items") as reader:
        assert now(reader, 3) == [["a", "0"], ["a", "1"], ["a", "2"]]
    (tmp_path / "a.csv").write_text("text\nrain\n")
    with pytest.raises(ValueError, match=r"looks like csv, but only JSON lines.*--format text"):
        follow(tmp_path / "a.csv")
    with follow(tmp_path / "a.csv", format="text") as reader:
        assert now(reader, 2) == ["text", "rain"]


def test_a_folder_picks_up_new_files_in_order_of_their_names(tmp_path):
    said = []
    (tmp_path / "b.txt").write_text("one\n")
    (tmp_path / ".c.txt").write_text("hidden\n")
    (tmp_path / "empty.txt").touch()
    with follow(tmp_path, say=said.append) as reader:
        assert now(reader) == ["one"]
        (tmp_path / ".c.txt").rename(tmp_path / "c.txt")
        (tmp_path / "a.txt").write_text("late\n")
        assert now(reader) == ["hidden"]
        assert said == ["a.txt sorts before b.txt, which was already read; skipped"]
        assert [row.last for row in reader.problems.skipped] == [f"{tmp_path} file a.txt"]
        position = reader.position
    (tmp_path / "c.txt").write_text("changed\n")
    with pytest.raises(ValueError, match=r"c\.txt has changed since it was learned; restore it"):
        follow(tmp_path, after=position)
    (tmp_path / "c.txt").unlink()
    with pytest.raises(ValueError, match=r"c\.txt is missing"):
        follow(tmp_path, after=position)


def rotate_all(log, how, time):
    """Rotate as logrotate does: app.log.1 becomes app.log.2, and the log app.log.1."""
    numbers = sorted((int(path.suffix[1:]) for path in log.parent.glob("app.log.*")), reverse=True)
    for number in numbers:
        log.with_name(f"app.log.{number}").rename(log.with_name(f"app.log.{number + 1}"))
    first = log.with_name("app.log.1")
    if how == "rename":
        log.rename(first)
        log.touch()
    else:
        shutil.copy(log, first)
        os.truncate(log, 0)
    os.utime(first, ns=(time, time))


@pytest.mark.parametrize("how", ["rename", "copy"])
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("n_read", [0, 1, 3])
@pytest.mark.parametrize("same_time", [True, False])
def test_rotations_while_the_reader_is_behind_lose_and_repeat_nothing(
    log, how, times, n_read, same_time
):
    expected, said = [], []

    def fill(name):
        lines = [f"{name} line {i}" for i in range(3)]
        write(log, *lines)
        expected.extend(lines)

    source = FollowedFile(str(log), SourceOptions(say=said.append))
    source.open(None)
    found = []
    if n_read:
        fill("first")
        found += [line.decode() for line in source.take(n_read).payloads]
    for i in range(times):
        fill(f"generation {i}")
        rotate_all(log, how, 10**18 + (0 if same_time else i))
    fill("last")
    for _ in range(30):
        found += [line.decode() for line in source.take(2).payloads]
    source.close()
    assert found == expected
    assert said == []


@pytest.mark.parametrize("how", ["rename", "copy"])
def test_rotations_while_older_files_are_read_lose_and_repeat_nothing(log, how):
    expected, found = [], []
    source = FollowedFile(str(log), SourceOptions())
    source.open(None)
    for i in range(60):
        line = f"line {i} of a log that is rotated faster than it is read"
        write(log, line)
        expected.append(line)
        if i % 5 == 4:
            rotate_all(log, how, 10**18 + i)
        if i % 2:
            found += [line.decode() for line in source.take(1).payloads]
    for _ in range(150):
        found += [line.decode() for line in source.take(1).payloads]
    source.close()
    assert found == expected


def test_a_truncation_without_a_copy_is_an_error_if_strict(log):
    write(log, "one", "two")
    with follow(log, strict=True) as reader:
        assert now(reader) == ["one", "two"]
        log.write_text("a much longer line than those before\n")
        with pytest.raises(ValueError, match=r"no copy was found: .* after byte 8 .*omit --strict"):
            now(reader)


def read_lines(source, n=20):
    return [line.decode() for _ in range(n) for line in source.take(2).payloads]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("how", ["rename", "copy"])
def test_rotated_files_that_were_deleted_or_compressed_unread_are_reported(log, how, strict):
    said = []
    source = FollowedFile(str(log), SourceOptions(say=said.append, strict=strict))
    source.open(None)
    write(log, "first 0", "first 1", "first 2")
    assert len(source.take(1).payloads) == 1
    for i in range(3):
        rotate_all(log, how, 10**18 + i)
        write(log, f"generation {i}")
    assert log.with_name("app.log.3").exists()
    log.with_name("app.log.2").rename(log.with_name("app.log.2.gz"))  # of generation 0
    if strict:
        with pytest.raises(ValueError, match=r"app\.log\.2\.gz was compressed before.*--strict"):
            read_lines(source)
        source.close()
        return
    assert read_lines(source) == ["first 1", "first 2", "generation 1", "generation 2"]
    assert said == [f"{log}.2.gz was compressed before it was read: its lines are lost"]
    source.close()


def test_rotated_files_that_were_deleted_while_an_older_one_was_read_are_reported(log):
    said = []
    write(log, "first 0", "first 1", "first 2")
    with follow(log) as reader:
        next(reader)
        position = reader.position
    for i in range(3):
        rotate_all(log, "copy", 10**18 + i)
        write(log, f"generation {i}")
    with open_source(log, block=1, after=position, say=said.append, wait=0) as reader:
        for number in (3, 2):  # the file that is being read, and the one after it
            log.with_name(f"app.log.{number}").unlink()
        assert now(reader, 20) == ["first 1", "first 2", "generation 1", "generation 2"]
    assert f"files older than {log}.1 were deleted, and their lines may be lost" in said[-1]


@pytest.mark.parametrize("how", ["rename", "copy"])
def test_files_that_begin_with_the_same_banner_are_told_apart(log, how):
    banner = [f"# banner {i}" for i in range(60)]
    expected = []
    source = FollowedFile(str(log), SourceOptions())
    source.open(None)
    for i in range(4):
        write(log, *banner, f"generation {i}")
        expected += [*banner, f"generation {i}"]
        if i < 3:
            rotate_all(log, how, 10**18 + i)
    assert read_lines(source, 200) == expected
    source.close()


def test_a_renamed_file_is_not_left_before_the_new_one_has_a_line(log):
    source = FollowedFile(str(log), SourceOptions())
    source.open(None)
    write(log, "one")
    assert read_lines(source, 2) == ["one"]
    rotate_all(log, "rename", 10**18)
    assert read_lines(source, 2) == []
    write(log.with_name("app.log.1"), "late")  # by a process that has not reopened the log
    write(log, "two")
    assert read_lines(source, 5) == ["late", "two"]
    source.close()
