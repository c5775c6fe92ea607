"""Groups of options shared by several commands, each a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, get_type_hints

from spectralleader.cli.options import (
    Block,
    Encoding,
    Follow,
    Format,
    From,
    Label,
    Seed,
    Sort,
    Split,
    Start,
    StopWords,
    Strict,
    Text,
    Time,
    Tokens,
    Words,
    split_names,
)

if TYPE_CHECKING:
    from spectralleader.jobs import Source


@dataclass(frozen=True)
class ReadOptions:
    """How documents are read, from any source."""

    text: Text = None
    tokens: Tokens = None
    split: Split = None
    format: Format = None
    strict: Strict = False

    def source(self, files: Sequence[str], **more: Any) -> Source:
        """Return the source that these options describe; `more` are further fields of `Source`."""
        from spectralleader.jobs import Source

        own = {**asdict(self), "text": split_names(self.text)}
        own |= {"split": self.split and self.split.value}
        own |= {"format": self.format and self.format.value}
        return Source(tuple(files), **own, **more)


@dataclass(frozen=True)
class FileOptions(ReadOptions):
    """How documents are read from files."""

    encoding: Encoding = None


@dataclass(frozen=True)
class StreamOptions(FileOptions):
    """How documents are read from files in order."""

    time: Time = None
    label: Label = None
    sort: Sort = False


@dataclass(frozen=True)
class LiveOptions:
    """Where to start in a live source, and whether to wait for new messages."""

    follow: Follow = None
    start: From = Start.earliest


@dataclass(frozen=True)
class LearnerOptions:
    """Vocabulary, mini-batch size, stop words and seed."""

    vocabulary: Words = None
    block: Block = 100
    stop_words: StopWords = "english"
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
