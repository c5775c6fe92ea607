"""Problems: counts of invalid rows by kind, with the first places of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

UNDECODABLE = "not UTF-8 text"
NO_TEXT = "no text"
NOT_TOKENS = "not a list of tokens or an object of counts"
COLUMN_COUNT = "wrong number of columns"
BROKEN_JSON = "invalid JSON"
OPEN_QUOTE = "unclosed quote"
BAD_TIME = "missing or unreadable time; the text is used"
OUT_OF_ORDER = "earlier than a previous row"

ADVICE = {
    BROKEN_JSON: "write null for NaN and Infinity, and no half of a surrogate pair",
    UNDECODABLE: "if a file has another encoding, name it, as in --encoding latin-1",
    BAD_TIME: "known are ISO 8601, Unix time, Twitter's format and e-mail dates; for others in "
    "files name the format, as in --time-format %d/%m/%Y",
    OUT_OF_ORDER: "to sort by time, pass sort=True (--sort)",
}
N_PLACES = 5  # places remembered per kind


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

    def __init__(self, *, strict: bool = False) -> None:
        self.counts, self.places, self.examples = {}, {}, {}
        self._strict = strict

    def add(self, kind: str, place: str, detail: str = "") -> None:
        """Count a problem at a place; if strict, raise `ValueError`.

        A row out of order is valid by itself, and only counted.
        """
        self.counts[kind] = count = self.counts.get(kind, 0) + 1
        if detail:
            self.examples.setdefault(kind, detail)
        # A file may have millions of invalid rows: their number is kept, not their places.
        if count <= N_PLACES:
            self.places.setdefault(kind, []).append(place)
        if self._strict and kind != OUT_OF_ORDER:
            said = f"{place}: {kind}" + (f" ({detail})" if detail else "")
            raise ValueError(said + advise(kind))

    def summary(self) -> list[str]:
        """Return one message per kind."""
        return [
            f"{count:,} {'row' if count == 1 else 'rows'}: {kind} ({self._illustrate(kind)}"
            f"{list_places(self.places[kind])}{', ...' if count > N_PLACES else ''})"
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
