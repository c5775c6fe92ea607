"""Splitting CSV as Python's csv module does it, at the speed of a compiled loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints
from spectralleader.runtime.compiled import kernel

Bytes = NDArray[np.uint8]

START, PLAIN, QUOTED, QUOTE = 0, 1, 2, 3  # at a field's first byte, in it, in quotes, at a quote
QUOTE_MARK, LF, CR = 34, 10, 13


class Split(NamedTuple):
    """Records found in some bytes; a blank line is none."""

    fields: Bytes  # the fields that were asked for, unquoted, end to end
    spans: Ints  # (n_records, n_slots, 2), where in `fields` each one begins and ends
    n_fields: Ints  # (n_records,), fields that the record really has
    lines: Ints  # (n_records,), line at which it begins, from 0
    used: int  # bytes that the records take up
    n_lines: int  # and lines
    is_open: bool  # whether the bytes end inside quotes


def split(data: bytes, delimiter: bytes, slots: Ints, capacity: int, *, ended: bool) -> Split:
    r"""Split bytes into at most `capacity` records, as ``csv.reader`` does.

    Column j of a record goes to slot ``slots[j]``, nowhere if that is -1. The last record counts
    only when its line is ended, or the whole file is.

    Examples
    --------
    >>> found = split(
    ...     b"1,'a\nb'\r\n2,c".replace(b"'", b'"'), b",", np.array([-1, 0]), 9, ended=True
    ... )
    >>> found.fields.tobytes(), found.spans[:, 0].tolist(), found.lines.tolist()
    (b'a\nbc', [[0, 3], [3, 4]], [0, 2])
    """
    array = np.frombuffer(data, np.uint8)
    n_slots = max(1, int(slots.max()) + 1)
    spans = np.zeros((min(capacity, len(data) + 1), n_slots, 2), np.int64)
    places = np.empty((2, len(spans)), np.int64)
    fields = np.empty(len(data) + 1, np.uint8)
    end, n, used, n_lines, is_open = _split(
        array, delimiter[0], slots, spans, places, int(ended), fields
    )
    return Split(fields[:end], spans[:n], places[0, :n], places[1, :n], used, n_lines, is_open)


@kernel
def _split(
    data: Bytes, delimiter: int, slots: Ints, spans: Ints, places: Ints, ended: int, fields: Bytes
) -> tuple[int, int, int, int, bool]:
    """Fill fields, and spans and places (fields, line) of each record; see `split`."""
    n = len(data)
    is_special = np.zeros(256, np.bool_)
    for byte in (delimiter, QUOTE_MARK, LF, CR):
        is_special[byte] = True
    n_records = used = n_lines = at = line = column = begin = end = 0
    state, is_blank, slot = START, True, slots[0]
    while n_records < len(spans):
        first = at
        while at < n and not is_special[data[at]]:
            at += 1
        if at > first:
            state, is_blank = QUOTED if state == QUOTED else PLAIN, False
            if slot >= 0:
                fields[end : end + at - first] = data[first:at]
                end += at - first
        if at >= n + ended:
            break
        byte = data[at] if at < n else LF  # the end of a file ends its last line
        if byte == CR and at + 1 == n + ended:
            break  # its LF may be yet to come
        at += 1
        line += byte == LF or (byte == CR and at < n and data[at] != LF)
        if state == QUOTED and byte == QUOTE_MARK:
            state = QUOTE
        elif byte == QUOTE_MARK and state == START:
            state, is_blank = QUOTED, False
        elif state == QUOTED or byte == QUOTE_MARK:
            state = QUOTED if state != PLAIN else PLAIN
            fields[end] = byte
            end += slot >= 0
        else:
            is_blank = is_blank and byte != delimiter
            if slot >= 0 and not is_blank:
                spans[n_records, slot, 0], spans[n_records, slot, 1] = begin, end
            column += 1
            if byte != delimiter:
                if not is_blank:
                    places[0, n_records], places[1, n_records] = column, n_lines
                    n_records += 1
                if byte == CR and at < n and data[at] == LF:
                    at += 1
                    line += 1
                used, n_lines, column, is_blank = at, line, 0, True
            state, begin = START, end
            slot = slots[column] if column < len(slots) else -1
    return end, n_records, min(used, n), n_lines, state == QUOTED
