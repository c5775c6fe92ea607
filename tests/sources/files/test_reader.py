import csv
import gzip
import io
import json
import subprocess
import sys
import zlib
from datetime import UTC, datetime
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.sources import read
from spectralleader.sources.files import byte_stream, parquet, problems, reader
from spectralleader.sources.files.columns import Columns

ROWS = [
    ("2016-11-08T13:00:00Z", "Vote, today", "politics"),
    ("2016-11-08T13:00:01Z", 'He said "no"\nand left', "politics"),
    ("2016-11-08T13:00:02Z", "Ça va ☃", "sports"),
]
COLUMNS = ("timestamp", "text", "label")
TEXTS = [text for _, text, _ in ROWS]


def as_csv(rows, columns=COLUMNS, **options):
    file = io.StringIO(newline="")
    csv.writer(file, **options).writerows([columns, *rows])
    return file.getvalue().encode()


def as_jsonl(rows, columns=COLUMNS, *, ascii_only=True):
    entries = [dict(zip(columns, row, strict=True)) for row in rows]
    return "".join(json.dumps(e, ensure_ascii=ascii_only) + "\n" for e in entries).encode()


def as_parquet(rows, columns=COLUMNS):
    file = io.BytesIO()
    pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row").write_parquet(file)
    return file.getvalue()


WRITERS = {
    "csv": as_csv,
    "tsv": lambda rows: as_csv(rows, delimiter="\t"),
    "jsonl": as_jsonl,
    "parquet": as_parquet,
}


def zstd(data):
    module = pytest.importorskip(byte_stream.ZSTD_MODULE, reason="zstd is an extra")
    return module.compress(data)


PACKERS = {"": bytes, ".gz": gzip.compress, ".zst": zstd}


def write(path, data):
    path.write_bytes(data)
    return path


def everything(*paths, **options):
    reader = read(paths, **options)
    blocks = list(reader)
    return reader, blocks


def texts_of(*paths, **options):
    return [text for block in everything(*paths, **options)[1] for text in block.texts]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_is_read_packed_or_not(tmp_path, ending, packing):
    data = PACKERS[packing](WRITERS[ending](ROWS))
    file = write(tmp_path / f"tweets.{ending}{packing}", data)
    reader, (block,) = everything(file)
    assert reader.columns == Columns(("text",), "timestamp", "label")
    assert len(reader.guesses) == 3
    assert block.texts == TEXTS
    assert block.labels == [label for _, _, label in ROWS]
    assert block.times == [datetime.fromisoformat(time) for time, _, _ in ROWS]
    assert reader.problems.counts == {}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("ending", WRITERS)
def test_a_name_need_not_tell_the_format(tmp_path, ending, packing):
    file = write(tmp_path / "tweets", PACKERS[packing](WRITERS[ending](ROWS)))
    assert texts_of(file) == TEXTS


HEADLESS = b"17,rain and wind over the sea\n18,a late goal wins the cup\n"


def test_a_file_without_a_header_whose_columns_cannot_be_told_is_advised(tmp_path):
    file = write(tmp_path / "b.csv", b"17,rain\n18,wind\n")
    with pytest.raises(ValueError, match=r"cannot tell which column .*; if .* \(--no-header\)"):
        read(file)


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(("ending", "mark"), [("csv", b","), ("tsv", b"\t"), ("csv", b";")])
def test_a_file_without_a_header_is_read_from_its_first_row(tmp_path, ending, mark, packing):
    data = PACKERS[packing](b"\xef\xbb\xbf" + HEADLESS.replace(b",", mark))
    file = write(tmp_path / f"a.{ending}{packing}", data)
    for options in ({}, {"text": "2"}):
        reader, (block,) = everything(file, header=False, keep=["1"], **options)
        assert block.texts == ["rain and wind over the sea", "a late goal wins the cup"]
        assert (block.kept["1"], block.lines.tolist()) == (["17", "18"], [1, 2])
        assert reader.problems.counts == {}


def test_reading_resumes_in_a_file_without_a_header(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_stream, "CHUNK", 100)
    rows = [f"{i},rain and wind {i}" for i in range(100)]
    file = write(tmp_path / "a.csv", "".join(f"{row}\n" for row in rows).encode())
    with read(file, header=False, block=10) as reader:
        reader.open(None)
        for n_docs in (10, 20):
            position = next(reader).position
            assert 0 < position["start"] < n_docs
            again = read(file, header=False, block=10)
            again.open(position)
            again.catch_up(lambda _: None)
            rest = [text for block in again for text in block.texts]
            assert rest == [f"rain and wind {i}" for i in range(n_docs, 100)]


def test_no_header_is_for_formats_with_one(tmp_path):
    for name, data in (("a.jsonl", as_jsonl(ROWS)), ("a.txt", HEADLESS), ("a", HEADLESS)):
        with pytest.raises(ValueError, match=r"has no header: omit .*--format csv"):
            read(write(tmp_path / name, data), header=False)
    with pytest.raises(ValueError, match="must start with a row"):
        read(write(tmp_path / "a.csv", b"\n\n"), header=False)
    assert len(texts_of(tmp_path / "a", header=False, format="csv")) == 2


def test_plain_text_is_one_document_a_line(tmp_path):
    file = write(tmp_path / "a.txt", b"\xef\xbb\xbfone, two\r\n\n  \nthree four\n\xff\nfive")
    reader, (block,) = everything(file)
    assert block.texts == ["one, two", "three four", "five"]
    assert block.times is block.labels is None
    assert block.lines.tolist() == [1, 4, 6]
    assert reader.guesses == ("each line is a text",)
    assert reader.problems.counts == {problems.UNDECODABLE: 1, problems.NO_TEXT: 2}
    assert reader.problems.places[problems.NO_TEXT] == [f"{file} line 2", f"{file} line 3"]
    with pytest.raises(ValueError, match=r"a\.txt has no column 'body'"):
        read(file, text="body")


@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize("chunk", [1, 7, 50, 2**20])
@pytest.mark.parametrize("ending", WRITERS)
def test_blocks_hold_the_same_documents_whatever_their_size(
    tmp_path, monkeypatch, ending, chunk, block
):
    monkeypatch.setattr(byte_stream, "CHUNK", chunk)
    monkeypatch.setattr(parquet, "BATCH", 1)
    rows = [(time, f"{text} {i}", label) for i in range(5) for time, text, label in ROWS]
    file = write(tmp_path / f"a.{ending}", WRITERS[ending](rows))
    _, blocks = everything(file, file, block=block)
    assert [text for part in blocks for text in part.texts] == [text for _, text, _ in rows] * 2
    assert {len(part) for part in blocks[:-1]} <= {block}
    assert np.concatenate([part.files for part in blocks]).tolist() == [0] * 15 + [1] * 15
    first, second = np.concatenate([part.lines for part in blocks]).reshape(2, 15)
    assert (first == second).all()
    assert (np.diff(first) > 0).all()


# NUL bytes mean binary data.
FIELD = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
FIELD |= st.sampled_from(["a,b", 'say "x"', "1\r\n2", "\r", "\ufeff"])
TABLE = st.lists(st.tuples(FIELD, FIELD), max_size=8)


@given(TABLE, st.integers(1, 60), st.integers(1, 9))
def test_written_rows_come_back(tmp_path_factory, rows, chunk, block):
    folder = tmp_path_factory.mktemp("rows")
    columns = ("text", "label")
    kept = [(text, label or None) for text, label in rows if text and not text.isspace()]
    files = {
        "csv": as_csv(rows, columns, quoting=csv.QUOTE_ALL, lineterminator="\n"),
        "tsv": as_csv(rows, columns, delimiter="\t"),
        "jsonl": as_jsonl(rows, columns),
        "ndjson": as_jsonl(rows, columns, ascii_only=False),
        "parquet": as_parquet(rows, columns),
    }
    for ending, data in files.items():
        if not data:
            continue
        file = write(folder / f"a.{ending}", data)
        with mock.patch.object(byte_stream, "CHUNK", chunk):
            reader, blocks = everything(file, text="text", label="label", block=block)
        found = [pair for part in blocks for pair in zip(part.texts, part.labels, strict=True)]
        assert found == kept, ending
        assert sum(reader.problems.counts.values()) == len(rows) - len(kept)
        assert [len(part) for part in blocks[:-1]] == [block] * (len(blocks) - 1)


def test_bad_rows_are_counted_with_their_lines_and_reading_goes_on(tmp_path):
    lines = [b"id,text", b'1,"two', b'lines"', b"2", b"3,c,d", b"4,", b"5,\xff", b"\xff,fine"]
    data = b"\r\n".join([*lines, b'7,"open', b"8,end"])
    file = write(tmp_path / "a.csv", data)
    reader, (block,) = everything(file)
    assert block.texts == ["two\r\nlines", "fine", "end"]
    assert block.lines.tolist() == [2, 8, 10]
    assert block.place(1) == f"{file} line 8"
    assert reader.problems.counts == {
        problems.COLUMN_COUNT: 2,
        problems.UNDECODABLE: 1,
        problems.NO_TEXT: 1,
        problems.OPEN_QUOTE: 1,
    }
    assert reader.problems.places[problems.COLUMN_COUNT] == [f"{file} line 4", f"{file} line 5"]
    expected = f"1 row: not UTF-8 text ({file} line 7); if a file has another encoding, name it"
    assert any(line.startswith(expected) for line in reader.problems.summary())


def test_broken_json_is_counted_with_its_lines_and_reading_goes_on(tmp_path):
    lines = [
        b'{"text": "one", "label": 1}',
        b"",
        b'{"text": "broken',
        b'["text"]',
        b'{"text": "\xff"}',
        rb'{"text": "half \ud83d"}',
        rb'{"text": "smile \ud83d\ude00", "label": true}',
        b'{"label": "no text"}',
        b'{"text": null}',
        b"null",
        b'{"text": 17}',
    ]
    file = write(tmp_path / "a.jsonl", b"\r\n".join(lines))
    reader, (block,) = everything(file)
    assert block.texts == ["one", "smile 😀", "17"]
    assert block.labels == ["1", "true", None]
    assert block.lines.tolist() == [1, 7, 11]
    assert reader.problems.places == {
        problems.BROKEN_JSON: [f"{file} line {line}" for line in (3, 4, 6, 10)],
        problems.UNDECODABLE: [f"{file} line 5"],
        problems.NO_TEXT: [f"{file} line {line}" for line in (8, 9)],
    }


def test_values_of_json_that_are_no_strings_are_read_as_they_were_sent(tmp_path):
    sent = ["1", "2.50", "true", '"b"', "null", '{"c": 1}', '[1, "d"]', "1.7e9"]
    lines = [f'{{"text": "a", "label": {value}}}'.encode() for value in sent]
    _, (block,) = everything(write(tmp_path / "a.jsonl", b"\n".join(lines)))
    assert block.labels == ["1", "2.50", "true", "b", None, *sent[5:7], "1700000000.0"]


@pytest.mark.parametrize(
    ("ending", "data", "message"),
    [
        ("csv", b"id,text\n1,a\n2\n", r"a\.csv line 3: wrong number of columns \(1 instead of 2"),
        ("csv", b"text\na\n\xff\n", r"a\.csv line 3: not UTF-8 text"),
        ("csv", b'text\na\n"b\n', r"a\.csv line 3: unclosed quote"),
        ("csv", b'text\na\n""\n', r"a\.csv line 3: no text"),
        ("csv", b"text,time\na,1\nb,x\n", r"a\.csv line 3: missing or unreadable time.* \('x'\)"),
        ("jsonl", b'{"text": "a"}\n{"text"}\n', r"a\.jsonl line 2: invalid JSON"),
        ("txt", b"a\n\xff\n", r"a\.txt line 2: not UTF-8 text"),
    ],
)
def test_strict_reading_stops_at_the_first_bad_row(tmp_path, ending, data, message):
    file = write(tmp_path / f"a.{ending}", data)
    assert texts_of(file)[0] == "a"
    with read(file, strict=True) as reader, pytest.raises(ValueError, match=message):
        list(reader)


def test_only_the_first_places_are_told(tmp_path):
    file = write(tmp_path / "a.csv", b"id,text\n" + b"1\n" * 1000)
    reader, blocks = everything(file)
    assert blocks == []
    [summary] = reader.problems.summary()
    assert summary.startswith("1,000 rows: wrong number of columns (")
    assert summary.endswith(f"; {file} lines 2, 3, 4, 5, 6, ...)")


def test_places_of_problems_name_each_file_once():
    places = ["a b.csv line 2", "a b.csv line 9", "b.pq row 3", "redis://x/s message 1-0"]
    listed = "a b.csv lines 2, 9, b.pq row 3, redis://x/s message 1-0"
    assert problems.list_places(places) == listed


def test_several_texts_are_joined_by_a_space(tmp_path):
    file = write(tmp_path / "a.csv", b"title,content,x\nA,b c,1\n,d,2\nE,,3\n,,4\n")
    reader, (block,) = everything(file, text=["title", "content"])
    assert block.texts == ["A b c", "d", "E"]
    assert reader.problems.places == {problems.NO_TEXT: [f"{file} line 5"]}


@pytest.mark.parametrize("data", [b"text\n", b"text", b"\xef\xbb\xbftext\r\n\r\n"])
def test_a_header_alone_has_no_documents(tmp_path, data):
    reader, blocks = everything(write(tmp_path / "a.csv", data))
    assert reader.columns.text == ("text",)
    assert blocks == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"", r"a\.csv is empty"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), r"a\.csv\.gz is empty"),
        (
            "a.csv",
            "text\na\n".encode("utf-16"),
            r"a\.csv is UTF-16 text; read it with --encoding utf-16",
        ),
        (
            "a.csv.gz",
            gzip.compress(b"text\n" + b"a\n" * 99, mtime=0)[:-12],
            "is damaged or truncated",
        ),
        ("a.csv.gz", b"\x1f\x8bnonsense", "is damaged or truncated"),
        ("a.json", b'[\n{"text": "a"}]', r"a\.json begins like a JSON array"),
        ("a.parquet", b"PAR1 nonsense", r"a\.parquet cannot be read"),
        ("a.csv", b'"text', r"a\.csv must start with a header"),
        ("a.csv", b"a,b\n1,2\n", r"which column of .*a\.csv is the text"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path, name, data, message):
    file = write(tmp_path / name, data)
    with pytest.raises(ValueError, match=message) as caught:
        list(read(file))
    assert "\n" not in str(caught.value)


def test_names_that_are_no_files_are_refused_before_anything_is_read(tmp_path):
    good = write(tmp_path / "a.csv", b"text\na\n")
    with pytest.raises(ValueError, match=r"b\.csv does not exist"):
        read([good, tmp_path / "b.csv"])
    with pytest.raises(ValueError, match="is a folder; name the files in it"):
        read([good, tmp_path])
    with pytest.raises(ValueError, match="nothing to read"):
        read([])
    with pytest.raises(ValueError, match="block must be at least 1"):
        read(good, block=0)
    with pytest.raises(ValueError, match="unknown format 'xml'; choose one of csv"):
        read(good, format="xml")


def test_zstd_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    file = write(tmp_path / "a.csv.zst", byte_stream.ZSTD + b"rest")
    monkeypatch.setitem(sys.modules, byte_stream.ZSTD_MODULE, None)
    with pytest.raises(ValueError, match=r"the extra 'zstd': pip install backports\.zstd"):
        read(file)


def test_parquet_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    file = write(tmp_path / "a.parquet", as_parquet(ROWS))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"a\.parquet .* extra 'parquet': pip install pyarrow$"):
        read(file)


def test_zstd_is_read_frame_after_frame_and_missed_if_cut_short(tmp_path):
    frames = [zstd(b"text\n" + b"one word\n" * 50_000), zstd(b"end\n")]
    file = write(tmp_path / "a.csv.zst", b"".join(frames))
    assert texts_of(file)[49_998:] == ["one word", "one word", "end"]
    write(file, frames[0][:-1])
    with pytest.raises(ValueError, match=r"a\.csv\.zst is damaged or truncated"):
        texts_of(file)
    write(file, frames[0] + byte_stream.ZSTD + b"\xff" * 50)
    with pytest.raises(ValueError, match=r"a\.csv\.zst is damaged or truncated"):
        texts_of(file)


def test_a_later_file_needs_the_named_columns_but_not_the_guessed_ones(tmp_path):
    first = write(tmp_path / "a.csv", as_csv(ROWS))
    second = write(tmp_path / "b.jsonl", b'{"text": "x"}\n')
    _, (block,) = everything(first, second)
    assert block.labels == ["politics", "politics", "sports", None]
    assert block.times[-1] is None
    with pytest.raises(ValueError, match=r"b\.jsonl has no column 'label'"):
        everything(first, second, label="label")


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
def test_the_delimiter_is_seen(tmp_path, delimiter):
    data = as_csv(ROWS, delimiter=delimiter)
    assert texts_of(write(tmp_path / "a.csv", data)) == TEXTS


def test_a_long_line_is_read_and_an_endless_one_is_refused(tmp_path):
    long = b"word " * 2_000_000
    for name, before in (("a.csv", b"text\n"), ("a.txt", b"")):
        assert texts_of(write(tmp_path / name, before + b"short\n" + long + b"\nend"))[1:] == [
            long.decode(),
            "end",
        ]
    packer = zlib.compressobj(1, wbits=31)
    pieces = [packer.compress(b" a" * 2**19) for _ in range(byte_stream.MAX_RECORD // 2**20 + 2)]
    endless = b"".join([*pieces, packer.flush()])
    for name in ("b.csv.gz", "b.txt.gz", "b.jsonl.gz"):
        file = write(tmp_path / name, gzip.compress(b'{"text":1}\n') + endless)
        with pytest.raises(ValueError, match=r"line 2: a record is longer than 64 MiB"):
            everything(file, text='{"text":1}' if "csv" in name else None)


def test_a_quote_that_is_never_closed_does_not_take_the_rest_with_it(tmp_path, monkeypatch):
    for module in ("byte_stream", "delimited"):
        monkeypatch.setattr(f"spectralleader.sources.files.{module}.MAX_RECORD", 2000)
    monkeypatch.setattr(byte_stream, "CHUNK", 100)
    file = write(tmp_path / "a.tsv", b'text\n"open\n' + b"fine\n" * 2000)
    reader, blocks = everything(file)
    assert sum(map(len, blocks)) == 2000
    assert reader.problems.places == {problems.OPEN_QUOTE: [f"{file} line 2"]}


def test_times_out_of_order_are_reported_and_sorted_on_demand(tmp_path):
    seconds = [5, 3, 9, None, 9, 1]
    rows = [
        ("" if s is None else f"2016-11-08T13:00:0{s}Z", f"text {i}") for i, s in enumerate(seconds)
    ]
    file = write(tmp_path / "a.csv", as_csv(rows, ("time", "text")))
    reader, _ = everything(file)
    assert reader.problems.counts == {problems.BAD_TIME: 1, problems.OUT_OF_ORDER: 2}
    assert reader.problems.places[problems.OUT_OF_ORDER] == [f"{file} line 3", f"{file} line 7"]
    assert reader.problems.summary()[-1].endswith("; to sort by time, pass sort=True (--sort)")
    reader, blocks = everything(file, sort=True, block=4)
    assert [text for part in blocks for text in part.texts] == [
        f"text {i}" for i in (5, 1, 0, 2, 4, 3)
    ]
    assert blocks[0].times[0] == datetime(2016, 11, 8, 13, 0, 1, tzinfo=UTC)
    assert blocks[0].place(0) == f"{file} line 7"
    assert blocks[1].times[-1] is None
    assert problems.OUT_OF_ORDER not in reader.problems.counts


@given(st.lists(st.integers(0, 20), min_size=1, max_size=40))
def test_sorting_is_stable_and_keeps_what_belongs_to_a_document(tmp_path_factory, seconds):
    rows = [(str(1478610000 + s), f"text {i}", f"label {i}") for i, s in enumerate(seconds)]
    file = write(tmp_path_factory.mktemp("sort") / "a.jsonl", as_jsonl(rows) + b"\n")
    order = sorted(range(len(rows)), key=lambda i: seconds[i])
    with mock.patch.object(byte_stream, "CHUNK", 100):
        _, blocks = everything(file, sort=True, block=7, keep=["timestamp"])
    assert [text for part in blocks for text in part.texts] == [rows[i][1] for i in order]
    assert [label for part in blocks for label in part.labels] == [rows[i][2] for i in order]
    assert [time for part in blocks for time in part.kept["timestamp"]] == [
        rows[i][0] for i in order
    ]
    assert np.concatenate([part.lines for part in blocks]).tolist() == [i + 1 for i in order]


def test_what_does_not_fit_into_memory_is_not_sorted(tmp_path, monkeypatch):
    file = write(tmp_path / "a.jsonl", as_jsonl(ROWS))
    monkeypatch.setattr(reader, "MAX_SORTED", 3 * reader.PER_DOCUMENT + sum(map(len, TEXTS)))
    assert texts_of(file, sort=True) == TEXTS
    monkeypatch.setattr(reader, "MAX_SORTED", reader.MAX_SORTED - 1)
    with pytest.raises(ValueError, match=r"too large to sort .* line 3; sort it before, .*DuckDB"):
        texts_of(file, sort=True)
    assert texts_of(file) == TEXTS


def test_sorting_needs_times(tmp_path):
    file = write(tmp_path / "a.csv", b"text\na\n")
    with pytest.raises(ValueError, match="without times: name the column"):
        read(file, sort=True)


def test_parquet_columns_of_other_types_become_text(tmp_path):
    frame = pl.DataFrame(
        {
            "text": ["a", "b"],
            "time": [datetime(2016, 11, 8, 13), None],
            "label": pl.Series(["x", "y"], dtype=pl.Categorical),
            "nested": [[1], [2]],
        }
    )
    zoned = frame.with_columns(pl.col("time").dt.replace_time_zone("America/New_York"))
    for hour, table in ((13, frame), (18, zoned)):
        table.write_parquet(tmp_path / "a.parquet")
        reader, (block,) = everything(tmp_path / "a.parquet")
        assert block.times == [datetime(2016, 11, 8, hour, tzinfo=UTC), None]
        assert block.labels == ["x", "y"]
        assert block.place(1).endswith("a.parquet row 2")
    reader, (block,) = everything(tmp_path / "a.parquet", text="nested")
    assert (block.texts, reader.guesses[0]) == ([["1"], ["2"]], "nested: 1 token, first '1'")


CODE = """
import sys
from spectralleader.sources import read
reader = read("-", block=2)
for block in reader:
    print(block.place(0), block.texts, flush=True)
print(reader.guesses, reader.problems.counts)
"""


@pytest.mark.parametrize(
    ("ending", "packing"),
    [("csv", ""), ("tsv", ".gz"), ("jsonl", ".zst"), ("parquet", ""), ("text", "")],
)
def test_standard_input_is_read_in_any_format(ending, packing):
    data = b"one two\nthree\nfour" if ending == "text" else WRITERS[ending](ROWS)
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=PACKERS[packing](data), capture_output=True
    )
    assert done.stderr == b""
    expected = ["one two", "three", "four"] if ending == "text" else TEXTS
    first, second, _ = done.stdout.decode().splitlines()
    assert first.startswith("standard input line ")
    assert first.endswith(str(expected[:2]))
    assert second.endswith(str(expected[2:]))


def test_a_live_pipe_gives_its_documents_as_they_come():
    with subprocess.Popen(
        [sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdin.write(b"one\ntwo\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b"['one', 'two']\n")
        process.stdin.write(b"three\nfour\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b"['three', 'four']\n")
        process.stdin.close()


MEMORY = """
import resource, sys
from spectralleader.sources import read
reader = read(sys.argv[1])
for block in range(20):
    next(reader)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
n = sum(len(block) for block in reader)
print(n, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
@pytest.mark.parametrize("ending", ["csv.gz", "jsonl", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path, ending):
    rows = [(f"{i}", "forty bytes of text for one document, " * 5, "x") for i in range(1000)]
    if ending == "parquet":
        data = as_parquet(rows * 200)
    else:
        part = WRITERS[ending.split(".")[0]](rows)
        header = part[: part.index(b"\n") + 1] if "csv" in ending else b""
        data = header + part.removeprefix(header) * 200
    file = write(tmp_path / f"a.{ending}", gzip.compress(data, 1) if "gz" in ending else data)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(file)], capture_output=True, text=True, check=True
    )
    n, megabytes = map(int, done.stdout.split())
    assert n == 180_000
    assert megabytes < 30  # the text alone has 42


def test_nan_and_infinity_are_invalid_json_and_too_large_numbers_are_missing(tmp_path):
    values = ["NaN", "Infinity", "-Infinity", "1e999", "null"]
    lines = [f'{{"text": {value}, "at": {{"text": {value}}}}}' for value in values]
    lines += ['{"text": "NaN", "at": {"text": "infinity"}}', '{"text": 1.5, "at": {"text": 2}}']
    file = write(tmp_path / "a.jsonl", "\n".join(lines).encode())
    for column, texts in (("text", ["NaN", "1.5"]), ("at.text", ["infinity", "2"])):
        reader, (block,) = everything(file, text=column)
        assert block.texts == texts
        assert reader.problems.counts == {problems.BROKEN_JSON: 3, problems.NO_TEXT: 2}
    [advice] = [said for said in reader.problems.summary() if "invalid JSON" in said]
    assert advice.endswith("write null for NaN and Infinity, and no half of a surrogate pair")


@pytest.mark.parametrize("name", ["a.bin", "a.csv", "a.jsonl", "a.txt", "a.gz"])
def test_binary_data_are_refused(tmp_path, name):
    for data in (
        np.random.default_rng(0).bytes(20_000),
        "some text in words\n".encode("utf-16-le") * 20,
        b"name" + bytes(500) + b"a text in an archive\n" * 9999,
    ):
        file = write(tmp_path / name, gzip.compress(data) if name == "a.gz" else data)
        with pytest.raises(ValueError, match=r"binary data, not text: .* --encoding utf-16"):
            everything(file, text="text")


def test_nul_bytes_that_come_later_or_in_a_named_encoding_are_read(tmp_path):
    rows = [b"rain", *[b"late goal"] * 2000, b"rain\0wind", bytes(range(0x80, 0x100))]
    file = write(tmp_path / "a.txt", b"\n".join(rows))
    loaded, blocks = everything(file)
    assert blocks[-1].texts[-1] == "rain\0wind"
    assert loaded.problems.counts == {problems.UNDECODABLE: 1}
    file = write(tmp_path / "b.txt", b"rain\0wind\n")
    with pytest.raises(ValueError, match="--encoding utf-16"):
        read(file)
    assert texts_of(file, encoding="latin-1") == ["rain\0wind"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("日本語の文章です\n", "iso2022_jp"),
        ("\x1b[31merror\x1b[0m in the café\n", "latin-1"),
        ("rain\x01wind\x01été\x01à\n", "utf-8"),  # separators of Hive
    ],
)
def test_control_characters_are_no_binary_data(tmp_path, text, encoding):
    file = write(tmp_path / "a.txt", text.encode(encoding))
    assert texts_of(file, encoding=encoding) == [text.removesuffix("\n")]


def test_a_file_without_json_objects_is_named_for_what_it_is_not(tmp_path):
    file = write(tmp_path / "a.jsonl", b"rain and wind\n\n[1]\n{}\n")
    with pytest.raises(
        ValueError, match=r"is not JSON lines: none of its first 3 lines .*--format"
    ):
        everything(file)
