"""Options shared by commands, and their conversion."""

from __future__ import annotations

import errno
import glob
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import Field, asdict, dataclass, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TextIO,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from spectralleader.cli.exits import warn
from spectralleader.sources.addresses import list_forms
from spectralleader.sources.options import Flag, describe_fields

if TYPE_CHECKING:
    from spectralleader.sources.reader import Reader
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


# The options of all commands that read documents, then those of commands that learn them in order.
READING = ("text", "tokens", "split", "format", "strict", "encoding", "header", "broker_settings")
STREAM = (*READING, "time", "time_format", "label", "sort", "block")
LIVE = ("follow", "start", "wait", "seconds")


def read_options(record: type, names: Iterable[str]) -> list[Parameter]:
    """Return fields of a record of options, see `SourceOptions`, as options of a command."""
    hints, described = get_type_hints(record), describe_fields(record)
    by_name = {field.name: field for field in fields(record)}
    return [read_option(by_name[name], hints[name], described[name]) for name in names]


def read_option(field: Field[Any], kind: Any, described: str) -> Parameter:
    """Return a field as an option of a command."""
    flag: Flag = field.metadata["flag"]
    simple = next((one for one in (bool, int, float, str) if one in (kind, *get_args(kind))), str)
    of: Any = Literal[flag.values] if flag.values else simple
    # An infinite time is as good as none.
    is_absent = field.default in (None, (), math.inf)
    default = None if is_absent else field.default
    name = field.name.replace("_", "-")
    names = flag.names or ((f"--{name}/--no-{name}",) if simple is bool else (f"--{name}",))
    option = typer.Option(default, *names, metavar=flag.metavar, help=described, min=flag.least)
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


@dataclass(frozen=True)
class LearnerOptions:
    """Vocabulary, stop words and seed."""

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
    stop_words: str = typer.Option("english", metavar="english|none|FILE", help="Words to ignore.")
    seed: Seed = 0

    @property
    def settings(self) -> dict[str, Any]:
        """All options by name."""
        return asdict(self)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the fields of a command's option groups into command line options.

    A group is a dataclass whose fields have options as defaults; or a record of options and the
    names of its fields, as in ``Annotated[SourceOptions, STREAM]``.
    """
    hints = get_type_hints(command, include_extras=True)
    makers: dict[str, tuple[Callable[..., Any], list[Parameter]]] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        kind = get_args(hints[name])[0] if get_origin(hints[name]) is Annotated else hints[name]
        if not is_dataclass(kind):
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        assert isinstance(kind, type)
        if kind is hints[name]:
            own = get_type_hints(kind, include_extras=True)
            group = [
                parameter.replace(name=one.name, default=one.default, annotation=own[one.name])
                for one in fields(kind)
            ]
            makers[name] = kind, group
        else:
            group = read_options(kind, get_args(hints[name])[1])
            makers[name] = partial(make_record, kind), group
        parameters += group

    @wraps(command)
    def run(**values: Any) -> None:
        for name, (make, group) in makers.items():
            values[name] = make(**{one.name: values.pop(one.name) for one in group})
        command(**values)

    # typer reads the options from these
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run
