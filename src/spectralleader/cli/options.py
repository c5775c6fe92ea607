"""Options shared by commands, and their conversion."""

from __future__ import annotations

import errno
import glob
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TextIO,
    get_args,
    get_type_hints,
)

import typer

from spectralleader.cli.exits import warn
from spectralleader.sources.addresses import list_forms
from spectralleader.sources.options import Flag, describe_fields

if TYPE_CHECKING:
    from spectralleader.sources.reader import Reader
    from spectralleader.storage.checkpoint import Run
    from spectralleader.topics.text_topics import TextTopics

FULL = (errno.ENOSPC, errno.EDQUOT)  # the disk, or what one may use of it
FILES = (
    "Files or folders, read in this order; - is standard input. Or one stream, "
    f"{' or '.join(list_forms())}."
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


def parse_number(given: str, other: str) -> int:
    """Return a number of topics; `other` is what else the option takes, for the error."""
    if not given.strip().isdecimal() or int(given) < 1:
        raise typer.BadParameter(f"it takes a number of at least 1, or {other}; got {given!r}")
    return int(given)


def parse_topics(given: str) -> int | str:
    """Return a number of topics to learn, or "auto"."""
    return given if given == "auto" else parse_number(given, "auto")


def parse_numbers(given: str) -> list[int]:
    """Return the numbers of topics to compare."""
    return [parse_number(number, "several such as 5,10,20") for number in given.split(",")]


def parse_level(given: str) -> int | str:
    """Return a number of topics to read, "auto" or "all"."""
    return given if given in ("auto", "all") else parse_number(given, "auto or all")


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
    Any,
    typer.Option(
        metavar="N|auto|all",
        parser=parse_level,
        help="Merge the topics to N or to a suggested number (auto, the default after learn -k "
        "auto), or show all (otherwise the default), without learning again.",
    ),
]
OutFormat = Annotated[Literal["csv", "jsonl"], typer.Option(help="Format of the output.")]
OutFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Output file. Defaults to standard output.")
]
Topics = Annotated[
    Any,
    typer.Option(
        "--topics",
        "-k",
        metavar="K|auto",
        parser=parse_topics,
        help="Number of topics. auto learns 32 topics and shows them merged to a suggested number.",
    ),
]
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


def load_model(
    path: str, learner: str | None, out: Path | None = None, inputs: Iterable[str] = ()
) -> tuple[TextTopics, Run | None]:
    """Return a model saved by `learn --save`, and its run; `learner` is a user's own.

    Nothing is loaded if `out`, which is to be written, cannot be or would overwrite an input.
    """
    from spectralleader.checks.paths import check_model, check_target

    check_model(path)
    if out is not None:
        check_target(out, [path, *inputs], is_replaced=False)
    trust_learner(learner)
    from spectralleader.storage import load_with_run

    return load_with_run(path)


def tell_level(given: int | str | None, topics: TextTopics) -> None:
    """Check a level; tell which one is read, on standard error, if it was not asked for."""
    topics.level(given)
    if given is None and topics.annotations.is_auto:
        from spectralleader.cli.tables import say_default

        warn(f"{say_default(topics)}: --level N|all")


def tell_guesses(reader: Reader) -> None:
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


# The settings of words, then the options of all commands that read documents, and those of commands
# that learn them in order.
WORDS = ("vocabulary", "min_count", "stop_words", "seed")
READING = ("text", "tokens", "split", "format", "strict", "encoding", "header", "broker_settings")
STREAM = (*READING, "time", "time_format", "label", "sort", "block")
LIVE = ("follow", "start", "wait", "seconds")


def read_options(record: type, names: Iterable[str] = ()) -> list[Parameter]:
    """Return fields of a record, see `SourceOptions`, as options of a command; by default all."""
    hints, described = get_type_hints(record), describe_fields(record)
    known = {field.name: field for field in fields(record) if "flag" in field.metadata}
    return [read_option(known[name], hints[name], described[name]) for name in names or known]


def read_option(field: Field[Any], kind: Any, described: str) -> Parameter:
    """Return a field as an option of a command."""
    flag: Flag = field.metadata["flag"]
    simple = next((one for one in (bool, str, int, float) if one in (kind, *get_args(kind))), str)
    of: Any = Literal[flag.values] if flag.values else simple
    # An infinite time is as good as none.
    is_absent = field.default in (None, (), math.inf)
    default = None if is_absent else field.default
    name = field.name.replace("_", "-")
    names = flag.names or ((f"--{name}/--no-{name}",) if simple is bool else (f"--{name}",))
    bounds: dict[str, Any] = {"min": flag.least, "max": flag.most}
    option = typer.Option(default, *names, metavar=flag.metavar, help=described, **bounds)
    of = of | None if is_absent else of
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=option, annotation=of)


def make_record(record: type, **values: Any) -> Any:
    """Return a record of the options that were given; of lists, those separated by commas."""
    kinds = get_type_hints(record)
    given = {name: value for name, value in values.items() if value is not None}
    for name in given:
        if Sequence[str] in (kinds[name], *get_args(kinds[name])):
            given[name] = split_names(given[name]) or ()
    return record(**given)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the records of options of a command into command line options.

    A record is annotated with the names of the fields that the command offers, as in
    ``Annotated[SourceOptions, STREAM]``, if these are not all of its options.
    """
    hints = get_type_hints(command, include_extras=True)
    records: dict[str, tuple[type, list[Parameter]]] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        record, *names = get_args(hints[name]) or (hints[name],)
        if isinstance(record, type) and is_dataclass(record):
            records[name] = record, read_options(record, *names)
            parameters += records[name][1]
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, (record, options) in records.items():
            given = {option.name: values.pop(option.name) for option in options}
            values[name] = make_record(record, **given)
        command(**values)

    # typer reads the options from these
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run
