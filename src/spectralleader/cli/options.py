"""Options shared by commands, and their conversion."""

from __future__ import annotations

import errno
import glob
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TextIO

import typer

from spectralleader.runtime.interrupts import Interrupts, Terminated

if TYPE_CHECKING:
    from spectralleader.jobs.source import AnyReader
    from spectralleader.text.topics import TextTopics

# Exit codes; the last two are the shell's for Ctrl-C and SIGTERM.
NOTHING_USEFUL, STOPPED, TERMINATED = 1, 130, 143
FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk, or what one may use of it
PATIENCE = 4.0  # seconds after a signal until a command that saves nothing is killed
FILES = (
    "Files or folders, read in this order; - is standard input. Or one stream, "
    "redis://host:port/db/STREAM or kafka://host:port/TOPIC."
)


def check_files(files: list[str]) -> list[str]:
    """Raise for the first file that does not exist."""
    for name in files:
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


def warn(line: str) -> None:
    """Print a line on standard error; on a terminal, break it between words."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")


@contextmanager
def exit_code_of_signals(said: str = "spectralleader: stopped") -> Iterator[None]:
    """Exit with the code of the signal; typer has the same for both."""
    try:
        yield
    except KeyboardInterrupt as reason:
        warn(said)
        code = TERMINATED if isinstance(reason, Terminated) else STOPPED
        raise typer.Exit(code) from reason


@contextmanager
def stoppable(*, saves: bool = False) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a command between two steps."""
    patience = None if saves else PATIENCE
    with exit_code_of_signals(), Interrupts(owns_process=True, patience=patience):
        yield


def allow_own_modules(learners: Iterable[str]) -> None:
    """Allow imports from the current folder if a learner is named package.module:Class.

    The folder is appended to the search path, so that it cannot shadow installed modules.
    """
    if sys.flags.safe_path or not any(":" in name for name in learners):
        return
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)


def check_folder(path: Path | None) -> None:
    """Raise if a file cannot be written there, before any work is done."""
    if path is not None and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; name a file in it")
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder {path.parent} does not exist")


def check_output(path: Path | None, *inputs: str) -> None:
    """Raise if a file cannot be written, or if that would overwrite an input of the command."""
    check_folder(path)
    if path is not None:
        from spectralleader.checks.paths import check_kept

        check_kept(path, inputs)


def trust_learner(name: str | None) -> None:
    """Import and register the user's own learner that a model may contain."""
    if name is not None:
        allow_own_modules([name])
        from spectralleader.learners.registry import find_learner

        find_learner(name)


def load_model(path: str, learner: str | None = None) -> TextTopics:
    """Return a model saved by `learn --save`; `learner` is a user's own that it may contain."""
    check_model(path, learner)
    from spectralleader.storage import load_topics

    return load_topics(path)


def check_model(path: str, learner: str | None) -> None:
    """Raise if a model does not exist; import the user's own learner that it may contain."""
    check_is_file(path)
    trust_learner(learner)


def check_is_file(path: str) -> None:
    """Raise if a model is missing, or is no file."""
    if not Path(path).is_file():
        from spectralleader.checks.paths import describe_missing

        raise typer.BadParameter(describe_missing(path))


def find_level(given: str | None, topics: TextTopics) -> int:
    """Return the number of topics to read: as given, or the default, see `TextTopics.at`."""
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
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        if error.errno in FULL:  # raised by a write, which does not name the file
            raise OSError(
                f"cannot write to {path}: {error.strerror}; {path} is incomplete"
            ) from error
        raise


def end_useless() -> NoReturn:
    """Report that nothing could be learned, and exit with code 1."""
    warn("spectralleader: no document had a known word")
    raise typer.Exit(NOTHING_USEFUL)


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary as JSON."""
    typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
