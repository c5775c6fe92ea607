import csv
import io

from hypothesis import example, given
from hypothesis import strategies as st

from spectralleader.sources.files.delimited import split

CHARACTERS = st.text(alphabet='a, "\r\n;é', max_size=30)


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
    found = split(text.encode(), ",", ended=True)
    expected, lines = read_lines(text)
    if found.is_open:  # the csv module takes a quote that is never closed for closed at the end
        expected, lines = expected[:-1], lines[:-1]
    assert (found.records, found.lines) == (expected, lines)


@given(CHARACTERS, st.integers(0, 30))
def test_records_are_the_same_wherever_the_bytes_are_cut(text, cut):
    data = text.encode()
    first = split(data[:cut], ",", ended=cut >= len(data))
    second = split(first.rest + data[cut:], ",", ended=True)
    whole = split(data, ",", ended=True)
    assert first.records + second.records == whole.records
    assert first.lines + [first.n_lines + line for line in second.lines] == whole.lines
    assert (second.rest, second.is_open) == (whole.rest, whole.is_open)


def test_an_unfinished_record_waits():
    assert split(b"a,b\nc,d", ",", ended=False).rest == b"c,d"
    assert split(b"a\r", ",", ended=False).rest == b"a\r"
    assert split(b'"a\n', ",", ended=True).is_open


def test_bytes_that_are_not_utf8_come_back_as_they_were():
    found = split(b'a,"\xff\n', ",", ended=False)
    assert (found.records, found.rest, found.is_utf8) == ([], b'a,"\xff\n', False)
