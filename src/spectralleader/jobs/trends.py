"""Trends: the share of each topic over time, as a table."""

from __future__ import annotations

import csv
import json
from typing import TextIO

from spectralleader.text.topics import TextTopics

COLUMNS = ("time", "topic", "share", "error", "documents")


def write_trends(
    topics: TextTopics, file: TextIO, level: int | str | None = None, format: str = "csv"
) -> int:
    """Write one line per time interval and topic, as CSV or JSON lines; return their number.

    If any topic has a name, names are a column; a missing name is null, in CSV empty.
    """
    names = topics.at(level).names
    rows = topics.trends(level).rows()
    if any(names):
        rows = [{**row, "name": names[row["topic"] - 1] or None} for row in rows]
    if format == "jsonl":
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return len(rows)
    columns = [*COLUMNS, "name"] if any(names) else COLUMNS
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return len(rows)
