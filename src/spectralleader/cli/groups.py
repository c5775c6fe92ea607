"""Groups of options shared by several commands, each a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from spectralleader.cli.options import Follow, Seed, Time, split_names

if TYPE_CHECKING:
    from spectralleader.jobs import Source


@dataclass(frozen=True)
class ReadOptions:
    """How documents are read, from any source."""

    text: Annotated[
        str | None,
        typer.Option(metavar="COL,COL", help="Text columns, joined. Guessed by default."),
    ] = None
    tokens: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Column of tokens instead of text: lists, or objects of counts. Detected by "
            "default.",
        ),
    ] = None
    split: Annotated[
        Literal["whitespace", ","] | None,
        typer.Option("--split", help="Split a text column into tokens at whitespace or commas."),
    ] = None
    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet", "text"] | None,
        typer.Option(help="Format of the files. Guessed by default."),
    ] = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first invalid row with exit code 2.")
    ] = False

    def source(self, files: Sequence[str], **more: Any) -> Source:
        """Return the source that these options describe; `more` are further fields of `Source`."""
        from spectralleader.jobs import Source

        own = {**asdict(self), "text": split_names(self.text)}
        header = not own.pop("no_header", False)
        return Source(tuple(files), **own, header=header, **more)


@dataclass(frozen=True)
class FileOptions(ReadOptions):
    """How documents are read from files."""

    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoding of the text, such as latin-1, cp1252 or utf-16 (default: utf-8).",
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header",
            help="CSV and TSV files begin with a document, not with names: columns are 1, 2, ...",
        ),
    ] = False


@dataclass(frozen=True)
class PredictOptions(FileOptions):
    """How documents are read from files for a model."""

    text: Annotated[
        str | None,
        typer.Option(
            metavar="COL,COL",
            help="Text columns, joined. Defaults to those that MODEL was learned from, if FILE "
            "has them; otherwise guessed.",
        ),
    ] = None


@dataclass(frozen=True)
class StreamOptions(FileOptions):
    """How documents are read from files in order."""

    time: Time = None
    time_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Format of the times, such as %d/%m/%Y (see strptime). By default ISO 8601, Unix "
            "time, Twitter's format and e-mail dates are recognised.",
        ),
    ] = None
    label: Annotated[
        str | None, typer.Option(metavar="COL", help="Label column. Guessed by default.")
    ] = None
    sort: Annotated[
        bool, typer.Option("--sort", help="Sort the documents by time first, in memory.")
    ] = False


@dataclass(frozen=True)
class LiveOptions:
    """Where to start in a live source, and whether to wait for new messages."""

    follow: Follow = None
    start: Annotated[
        Literal["earliest", "latest"],
        typer.Option(
            "--from", help="Where to start in a stream or followed file, if not resuming."
        ),
    ] = "earliest"


@dataclass(frozen=True)
class LearnerOptions:
    """Vocabulary, mini-batch size, stop words and seed."""

    vocabulary: Annotated[
        str | None,
        typer.Option(
            "--vocabulary",
            metavar="N|grow|grow:N|FILE",
            help="grow, grow:N: add words as they appear, up to N, 50000 by default. N: the N most "
            "frequent words, counted in a first pass. FILE: the words in a file. Default: grow; "
            "evaluate: 5000, or grow for a pipe.",
        ),
    ] = None
    min_count: Annotated[
        int,
        typer.Option(
            min=1,
            help="Ignore words that occur less often; in a growing vocabulary, a word counts from "
            "this occurrence on, apart from the first 1000 words.",
        ),
    ] = 2  # `vectoriser.MIN_COUNT`, which would take NumPy to import
    block: Annotated[int, typer.Option(min=1, help="Documents per step (mini-batch size).")] = 100
    stop_words: Annotated[
        str, typer.Option(metavar="english|none|FILE", help="Words to ignore.")
    ] = "english"
    seed: Seed = 0

    @property
    def settings(self) -> dict[str, Any]:
        """All options but the block size, which is part of `Source`."""
        return {name: value for name, value in asdict(self).items() if name != "block"}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turn the fields of a command's option groups into command line options."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters = [
        one
        for name, parameter in signature(command).parameters.items()
        for one in (
            _parameters_of(groups[name])
            if name in groups
            else [parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)]
        )
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameters_of(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]
