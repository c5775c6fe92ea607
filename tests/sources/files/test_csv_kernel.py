import csv
import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spectralleader.sources.files.csv_kernel import split

CHARACTERS = st.text(alphabet='a, "\r\n;é', max_size=30)


def read_records(data, n_columns=40, capacity=1000, *, ended=True):
    found = split(data, b",", np.arange(n_columns), capacity, ended=ended)
    raw = found.fields.tobytes()
    records = [
        [raw[a:b].decode() for a, b in spans[:n]]
        for spans, n in zip(found.spans.tolist(), found.n_fields.tolist(), strict=True)
    ]
    return records, found


def read_lines(text):
    """The first line of each of the csv module's records, from 0, and the records."""
    reader = csv.reader(io.StringIO(text, newline=""))
    records, lines, line = [], [], 0
    for record in reader:
        if record:
            records.append(record)
            lines.append(line)
        line = reader.line_num
    return records, lines


@given(CHARACTERS)
@example('"a""b",c\r\n"d\r\ne"f"g",\n\n""\n')
@example("a\rb\r\nc\r\r\nd")
@example('"a\rb"\rc')
def test_records_and_their_lines_are_those_of_the_csv_module(text):
    records, found = read_records(text.encode())
    expected, lines = read_lines(text)
    if found.is_open:  # the csv module takes a quote that is never closed for closed at the end
        expected, lines = expected[:-1], lines[:-1]
    assert records == expected
    assert found.lines.tolist() == lines


@given(CHARACTERS, st.integers(0, 30), st.integers(1, 4))
def test_records_are_the_same_wherever_the_bytes_are_cut(text, cut, capacity):
    data = text.encode()
    records, lines, used, n_lines = [], [], 0, 0
    for end in (cut, len(data)):
        part = [[]] * capacity
        while len(part) == capacity:  # there may be more
            ended = end == len(data)
            part, found = read_records(data[used:end], capacity=capacity, ended=ended)
            records += part
            lines += (n_lines + found.lines).tolist()
            used, n_lines = used + found.used, n_lines + found.n_lines
    at_once, found = read_records(data)
    assert records == at_once
    assert lines == found.lines.tolist()


def test_only_columns_with_a_slot_are_copied():
    found = split(b"a,b,c\nd,e,f\n", b",", np.array([-1, 1, 0]), 9, ended=False)
    raw = found.fields.tobytes()
    assert raw == b"bcef"
    assert [[raw[a:b] for a, b in spans] for spans in found.spans] == [[b"c", b"b"], [b"f", b"e"]]


@pytest.mark.parametrize(("row", "n"), [(b"a\n", 1), (b"a,b,c,d\n", 4), (b",,\n", 3)])
def test_fields_are_counted_beyond_the_columns(row, n):
    found = split(row, b",", np.array([-1, 0]), 9, ended=False)
    assert found.n_fields.tolist() == [n]


def test_an_unfinished_record_waits():
    assert split(b"a,b\nc,d", b",", np.array([0]), 9, ended=False).used == 4
    assert split(b"a\r", b",", np.array([0]), 9, ended=False).used == 0
    assert split(b'"a\n', b",", np.array([0]), 9, ended=True).is_open
