"""Options shared by commands, and their conversion."""

from __future__ import annotations

import errno
import glob
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO, get_type_hints

import typer

from spectralleader.cli.exits import warn

if TYPE_CHECKING:
    from spectralleader.jobs import Source
    from spectralleader.jobs.options import AnyReader
    from spectralleader.topics.text_topics import TextTopics

FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk, or what one may use of it
FILES = (
    "Files or folders, read in this order; - is standard input. Or one stream, "
    "redis://host:port/db/STREAM or kafka://host:port/TOPIC."
)


def check_files(files: list[str]) -> list[str]:
    """Raise for the first file that does not exist."""
    for name in files:
        # Streams are checked when they are opened: only their server knows them.
        if name == "-" or "://" in name or Path(name).exists():
            continue
        # A followed file may be missing for a moment while it is rotated; the source decides.
        if not any(Path(name).parent.glob(f"{glob.escape(Path(name).name)}[.-]*")):
            raise typer.BadParameter(f"{name} does not exist")
    return files


Files = Annotated[list[str], typer.Argument(help=FILES, metavar="FILE", callback=check_files)]
Model = Annotated[str, typer.Argument(help="Model saved by learn --save.", metavar="MODEL")]
OwnLearner = Annotated[
    str | None,
    typer.Option(
        "--learner",
        metavar="PACKAGE.MODULE:CLASS",
        help="Your own learner class, if MODEL contains one: files never import code themselves.",
    ),
]
Level = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto|all",
        help="Merge the topics to N or to a suggested number (auto, the default after learn -k "
        "auto), or show all (otherwise the default), without learning again.",
    ),
]
Follow = Annotated[
    bool | None,
    typer.Option(
        "--follow/--no-follow",
        help="Wait for new data at the end of a file, folder or stream (default: streams only).",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Learn an incomplete block of a stream after this time; inf waits until it is full.",
    ),
]
Time = Annotated[str | None, typer.Option(metavar="COL", help="Time column. Guessed by default.")]
OutFormat = Annotated[Literal["csv", "jsonl"], typer.Option(help="Format of the output.")]
OutFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Output file. Defaults to standard output.")
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def split_names(names: str | None) -> tuple[str, ...] | None:
    """Return comma-separated names, or None if there are none."""
    return tuple(name.strip() for name in names.split(",") if name.strip()) if names else None


def allow_own_modules(learners: Iterable[str]) -> None:
    """Allow imports from the current folder if a learner is named package.module:Class.

    The folder is appended to the search path, so that it cannot shadow installed modules.
    """
    if sys.flags.safe_path or not any(":" in name for name in learners):
        return
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)


def trust_learner(name: str | None) -> None:
    """Import and register the user's own learner that a model may contain."""
    if name is not None:
        allow_own_modules([name])
        from spectralleader.learners.registry import find_learner

        find_learner(name)


def load_model(path: str, learner: str | None, out: Path | None = None) -> TextTopics:
    """Return a model saved by `learn --save`; `learner` is a user's own that it may contain.

    Nothing is loaded if `out`, which is to be written, cannot be or would overwrite the model.
    """
    check_files_of(path, out)
    trust_learner(learner)
    from spectralleader.storage import load_topics

    return load_topics(path)


def check_files_of(model: str, out: Path | None = None, *inputs: str) -> None:
    """Raise if a model is missing, or if the output cannot be written or would overwrite input."""
    from spectralleader.checks.paths import check_model, check_target

    check_model(model)
    if out is not None:
        check_target(out, [model, *inputs], is_replaced=False)


def find_level(given: str | None, topics: TextTopics) -> int:
    """Return the number of topics to read: as given, or the default, see `TextTopics.at`."""
    # Checked here, where the message can name the option.
    n = topics.learner.n_topics
    if given is None or given in ("auto", "all"):
        return topics.level(given)
    if not given.isdecimal() or not 1 <= int(given) <= n:
        raise typer.BadParameter(
            f"--level takes a number from 1 to {n}, auto or all; got {given!r}"
        )
    return int(given)


def tell_level(given: str | None, topics: TextTopics) -> None:
    """Tell which level is read, on standard error, if it was not asked for."""
    if given is None and topics.annotations.is_auto:
        from spectralleader.cli.tables import say_default

        warn(f"{say_default(topics)}: --level N|all")


def tell_guesses(reader: AnyReader) -> None:
    """Tell which columns were guessed, on standard error; a live source waits for its messages."""
    _ = reader.columns
    for guess in reader.guesses:
        warn(f"guessed: {guess}")


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """Yield a file opened for writing, or standard output."""
    if path is None:
        yield sys.stdout
        return
    try:
        # Line ends are written as they are: the same bytes on every system.
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        if error.errno in FULL:  # raised by a write, which does not name the file
            raise OSError(
                f"cannot write to {path}: {error.strerror}; {path} is incomplete"
            ) from error
        raise


@dataclass(frozen=True)
class ReadOptions:
    """How documents are read, from any source."""

    text: str | None = typer.Option(
        None, metavar="COL,COL", help="Text columns, joined. Guessed by default."
    )
    tokens: str | None = typer.Option(
        None,
        metavar="COL",
        help="Column of tokens instead of text: lists, or objects of counts. Detected by default.",
    )
    split: Literal["whitespace", ","] | None = typer.Option(
        None, "--split", help="Split a text column into tokens at whitespace or commas."
    )
    format: Literal["csv", "tsv", "jsonl", "parquet", "text"] | None = typer.Option(
        None, help="Format of the files. Guessed by default."
    )
    strict: bool = typer.Option(
        False, "--strict", help="Stop at the first invalid row with exit code 2."
    )

    def source(self, files: Sequence[str], **more: Any) -> Source:
        """Return the source that these options describe; `more` are further fields of `Source`."""
        from spectralleader.jobs import Source

        # The fields have the names of those of `Source`; only a flag cannot be true by default.
        own = {**asdict(self), "text": split_names(self.text), **more}
        header = not own.pop("no_header", False)
        return Source(tuple(files), **own, header=header)


@dataclass(frozen=True)
class FileOptions(ReadOptions):
    """How documents are read from files."""

    encoding: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Encoding of the text, such as latin-1, cp1252 or utf-16 (default: utf-8).",
    )
    no_header: bool = typer.Option(
        False,
        "--no-header",
        help="CSV and TSV files begin with a document, not with names: columns are 1, 2, ...",
    )


@dataclass(frozen=True)
class PredictOptions(FileOptions):
    """How documents are read from files for a model."""

    text: str | None = typer.Option(
        None,
        metavar="COL,COL",
        help="Text columns, joined. Defaults to those that MODEL was learned from, if FILE "
        "has them; otherwise guessed.",
    )


@dataclass(frozen=True)
class StreamOptions(FileOptions):
    """How documents are read from files in order."""

    time: Time = None
    time_format: str | None = typer.Option(
        None,
        metavar="FORMAT",
        help="Format of the times, such as %d/%m/%Y (see strptime). By default ISO 8601, Unix "
        "time, Twitter's format and e-mail dates are recognised.",
    )
    label: str | None = typer.Option(None, metavar="COL", help="Label column. Guessed by default.")
    sort: bool = typer.Option(False, "--sort", help="Sort the documents by time first, in memory.")


@dataclass(frozen=True)
class LiveOptions:
    """Where to start in a live source, and whether to wait for new messages."""

    follow: Follow = None
    start: Literal["earliest", "latest"] = typer.Option(
        "earliest", "--from", help="Where to start in a stream or followed file, if not resuming."
    )


@dataclass(frozen=True)
class LearnerOptions:
    """Vocabulary, mini-batch size, stop words and seed."""

    vocabulary: str | None = typer.Option(
        None,
        "--vocabulary",
        metavar="N|grow|grow:N|FILE",
        help="grow, grow:N: add words as they appear, up to N, 50000 by default. N: the N most "
        "frequent words, counted in a first pass. FILE: the words in a file. Default: grow; "
        "evaluate: 5000, or grow for a pipe.",
    )
    min_count: int = typer.Option(
        2,
        min=1,
        help="Ignore words that occur less often; in a growing vocabulary, a word counts from "
        "this occurrence on, apart from the first 1000 words.",
    )  # `vectoriser.MIN_COUNT`, which would take NumPy to import
    block: int = typer.Option(100, min=1, help="Documents per step (mini-batch size).")
    stop_words: str = typer.Option("english", metavar="english|none|FILE", help="Words to ignore.")
    seed: Seed = 0

    @property
    def settings(self) -> dict[str, Any]:
        """All options but the block size, which is part of `Source`."""
        return {name: value for name, value in asdict(self).items() if name != "block"}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the fields of a command's option groups into command line options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        own = get_type_hints(groups[name], include_extras=True) if name in groups else {}
        # A field's default is the option with its help, as typer takes them from parameters.
        parameters += [
            parameter.replace(name=field.name, default=field.default, annotation=own[field.name])
            for field in (fields(groups[name]) if own else ())
        ] or [parameter.replace(annotation=hints[name])]

    @wraps(command)
    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        command(**values)

    # typer reads the options from these
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run
