"""Problems: counts of invalid rows by kind, with the first places of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

UNDECODABLE = "not UTF-8 text"
NO_TEXT = "no text"
NOT_TOKENS = "not a list of tokens or an object of counts"
COLUMN_COUNT = "wrong number of columns"
BROKEN_JSON = "invalid JSON"
OPEN_QUOTE = "unclosed quote"
BAD_TIME = "missing or unreadable time; the text is used"
OUT_OF_ORDER = "earlier than a previous row"
DELETED = "deleted before it was read"
LOST_LINES = "rotated away before it was read, with a number of lines that is unknown"
LATE_FILE = "a file that sorts before one that was read"
SKIPPED = (
    UNDECODABLE, NO_TEXT, NOT_TOKENS, COLUMN_COUNT, BROKEN_JSON, OPEN_QUOTE, DELETED, LOST_LINES,
    LATE_FILE,
)  # fmt: skip
USED = (BAD_TIME, OUT_OF_ORDER)  # problems of documents that are learned all the same

ADVICE = {
    BROKEN_JSON: "write null for NaN and Infinity, and no half of a surrogate pair",
    UNDECODABLE: "if a file has another encoding, name it, as in --encoding latin-1",
    BAD_TIME: "known are ISO 8601, Unix time, Twitter's format and e-mail dates; for others in "
    "files name the format, as in --time-format %d/%m/%Y",
    OUT_OF_ORDER: "to sort by time, pass sort=True (--sort)",
}
N_PLACES = 5  # places remembered per kind


class Skipped(NamedTuple):
    """Why documents were skipped, how many, and the place of the last one."""

    reason: str
    documents: int
    last: str


class Problems:
    """Counts of problems by kind, and the first places of each.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add(NO_TEXT, "a.csv line 5")
    >>> problems.counts, problems.summary()
    ({'no text': 1}, ['1 row: no text (a.csv line 5)'])
    """

    counts: dict[str, int]  # by kind
    places: dict[str, list[str]]  # by kind: the first `N_PLACES`
    examples: dict[str, str]  # by kind: the first detail, such as the value that is invalid
    last: dict[str, str]  # by kind: the last place

    def __init__(self, *, strict: bool = False) -> None:
        self.counts, self.places, self.examples, self.last = {}, {}, {}, {}
        self._strict = strict

    def add(self, kind: str, place: str, detail: str = "", *, n: int = 1) -> None:
        """Count a problem of n rows at a place; if strict, raise `ValueError`.

        A row out of order is valid by itself, and a late file was reported: both are only counted.
        """
        self.counts[kind] = self.counts.get(kind, 0) + n
        if detail:
            self.examples.setdefault(kind, detail)
        self.last[kind] = place
        # A file may have millions of invalid rows: their number is kept, not their places.
        if len(places := self.places.setdefault(kind, [])) < N_PLACES:
            places.append(place)
        if self._strict and kind not in (OUT_OF_ORDER, LATE_FILE):
            said = f"{place}: {kind}" + (f" ({detail})" if detail else "")
            raise ValueError(said + advise(kind))

    @property
    def skipped(self) -> list[Skipped]:
        """Why documents were skipped; without problems of those that are learned all the same."""
        counts = {kind: n for kind, n in self.counts.items() if kind not in USED}
        return [Skipped(kind, n, self.last[kind]) for kind, n in counts.items()]

    def summary(self) -> list[str]:
        """Return one message per kind."""
        return [
            f"{count:,} {'row' if count == 1 else 'rows'}: {kind} ({self._illustrate(kind)}"
            f"{list_places(self.places[kind])}{', ...' if count > len(self.places[kind]) else ''})"
            f"{advise(kind)}"
            for kind, count in self.counts.items()
        ]

    def _illustrate(self, kind: str) -> str:
        return f"such as {self.examples[kind]}; " if kind in self.examples else ""


def advise(kind: str) -> str:
    """Return what to do about a kind of problem, as the end of a message."""
    return f"; {ADVICE[kind]}" if kind in ADVICE else ""


def name_place(file: str, line: int) -> str:
    """Return the name of a line in a file for a message; Parquet files have rows."""
    unit = "row" if file.lower().endswith((".parquet", ".pq")) else "line"
    return f"{'standard input' if file == '-' else file} {unit} {line}"


def list_places(places: Sequence[str]) -> str:
    """Return places as a list for a message that names each file once.

    Examples
    --------
    >>> list_places(["a.csv line 2", "a.csv line 3", "b.csv line 7"])
    'a.csv lines 2, 3, b.csv line 7'
    """
    listed = []
    # A place is a file or stream, a unit such as line or message, and a number or id.
    for where, found in groupby((place.rpartition(" ") for place in places), lambda one: one[0]):
        numbers = [number for _, _, number in found]
        listed.append(f"{where}{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}")
    return ", ".join(listed)
