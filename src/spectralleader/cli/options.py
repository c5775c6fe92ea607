"""Options that commands for text share, and what becomes of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO

import typer

from spectralleader.runtime.interrupts import Interrupts, Terminated

if TYPE_CHECKING:
    from spectralleader.text.topics import TextTopics

# Exit codes; the last two are those that shells have for Ctrl-C and SIGTERM.
NOTHING_USEFUL, STOPPED, TERMINATED = 1, 130, 143
PATIENCE = 4.0  # seconds until a command that was asked to end, and saves nothing, is ended
FILES = (
    "Files or folders to read, one after the other; - is standard input; or a stream, "
    "redis://host:port/db/STREAM or kafka://host:port/TOPIC."
)


class FileFormat(StrEnum):
    """The formats that are read."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    text = "text"


class OutFormat(StrEnum):
    """The formats that predictions are written in."""

    csv = "csv"
    jsonl = "jsonl"


class SplitBy(StrEnum):
    """How text is split into tokens."""

    whitespace = "whitespace"
    comma = ","


class Start(StrEnum):
    """Where a live source begins."""

    earliest = "earliest"
    latest = "latest"


def check_files(files: list[str]) -> list[str]:
    """Say at once which file is not there."""
    for name in files:
        if name != "-" and "://" not in name and not Path(name).exists():
            raise typer.BadParameter(f"{name} does not exist")
    return files


Files = Annotated[list[str], typer.Argument(help=FILES, metavar="FILE", callback=check_files)]
Model = Annotated[str, typer.Argument(help="File that learn --save wrote.", metavar="MODEL")]
OwnLearner = Annotated[
    str | None,
    typer.Option(
        "--learner",
        metavar="PACKAGE.MODULE:CLASS",
        help="Learner of your own that MODEL holds: a file alone never has code imported.",
    ),
]
Level = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Read the topics merged to N, or to as many as their prices suggest, without learning "
        "again.",
    ),
]
Words = Annotated[
    str | None,
    typer.Option(
        "--vocabulary",
        metavar="N|grow|grow:N|FILE",
        help="The N most frequent words, counted in a first pass (default: 5000); or words that "
        "grow with the stream up to N, 50000 if not said (default for a pipe); or a file of words.",
    ),
]
Block = Annotated[int, typer.Option(min=1, help="Documents learned at a step.")]
StopWords = Annotated[str, typer.Option(metavar="english|none|FILE", help="Words to leave out.")]
Text = Annotated[
    str | None,
    typer.Option(metavar="COL,COL", help="Columns of the text, joined; guessed if obvious."),
]
Tokens = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column of tokens, instead of text: lists, or objects of counts, taken as they are; "
        "guessed if obvious.",
    ),
]
Split = Annotated[
    SplitBy | None,
    typer.Option("--split", help="Split text that is tokens already: at whitespace, or at commas."),
]
Follow = Annotated[
    bool | None,
    typer.Option(
        "--follow/--no-follow",
        help="Wait for more at the end of a file, folder or stream (default: for streams only).",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="How long a block that is not full waits for more messages; inf: as long as it takes.",
    ),
]
From = Annotated[
    Start,
    typer.Option("--from", help="Where to begin in a stream or followed file, at first only."),
]
Time = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the time; guessed if obvious.")
]
Label = Annotated[
    str | None, typer.Option(metavar="COL", help="Column of the label; guessed if obvious.")
]
Format = Annotated[
    FileFormat | None, typer.Option(help="Format of the files; known by name or content.")
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of the text, such as latin-1, cp1252 or utf-16 (default: utf-8).",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad row, exit code 2.")]
Sort = Annotated[bool, typer.Option("--sort", help="Sort the documents by time first.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is random.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def split_names(names: str | None) -> tuple[str, ...] | None:
    """Return names that were given with commas between, None if none was."""
    return tuple(name.strip() for name in names.split(",") if name.strip()) if names else None


@contextmanager
def exit_code_of_signals(said: str = "spectralleader: stopped") -> Iterator[None]:
    """End with the exit code of the signal that was raised; typer has one for both."""
    try:
        yield
    except KeyboardInterrupt as reason:
        typer.echo(said, err=True)
        code = TERMINATED if isinstance(reason, Terminated) else STOPPED
        raise typer.Exit(code) from reason


@contextmanager
def stoppable(*, saves: bool = False) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a command between two of its steps."""
    patience = None if saves else PATIENCE
    with exit_code_of_signals(), Interrupts(owns_process=True, patience=patience):
        yield


def allow_own_modules(learners: Iterable[str]) -> None:
    """Let modules of the current folder be imported, if a learner is named package.module:Class.

    `python -m` does so always. Here the folder comes last: nothing in it can stand in for an
    installed module.
    """
    if sys.flags.safe_path or not any(":" in name for name in learners):
        return
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)


def check_folder(path: Path | None) -> None:
    """Say at once, not after an hour, that a file cannot be written where it was asked for."""
    if path is not None and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; name a file in it")
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder {path.parent} does not exist")


def trust_learner(name: str | None) -> None:
    """Import and register the learner that a model file may hold, if it is the user's own."""
    if name is not None:
        allow_own_modules([name])
        from spectralleader.learners.lookup import find_learner

        find_learner(name)


def load_model(path: str, learner: str | None = None) -> TextTopics:
    """Return what `learn --save` saved; `learner` is the user's own that it may hold."""
    check_model(path, learner)
    from spectralleader.storage import load_topics

    return load_topics(path)


def check_model(path: str, learner: str | None) -> None:
    """Check that a model is there, and import the user's own learner that it may hold."""
    if not Path(path).is_file():
        raise typer.BadParameter(f"{path} does not exist")
    trust_learner(learner)


def find_level(given: str | None, topics: TextTopics) -> int | None:
    """Return the number of topics to read: as given, or as prices suggest; None for all."""
    if given is None:
        return None
    if given == "auto":
        return topics.tree().suggested
    n = topics.learner.n_topics
    if not given.isdecimal() or not 1 <= int(given) <= n:
        raise typer.BadParameter(f"--level takes a number from 1 to {n}, or auto; got {given!r}")
    return int(given)


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """Open a file to write, or standard output."""
    if path is None:
        yield sys.stdout
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file


def end_useless() -> NoReturn:
    """Report that nothing could be learned, and exit so."""
    typer.echo("spectralleader: no document had a known word", err=True)
    raise typer.Exit(NOTHING_USEFUL)


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary for machines."""
    typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
