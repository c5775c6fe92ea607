"""SourceOptions: how documents are read, one record from the command line to the readers."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Say = Callable[[str], None]
Json = Any  # plain values that JSON can represent
STARTS = ("earliest", "latest")
FORMATS = ("csv", "tsv", "jsonl", "parquet", "text")


def ignore(line: str) -> None:
    """Report a message to no one."""


class Flag(NamedTuple):
    """How a field is written on the command line, beside its type, default and description."""

    names: tuple[str, ...] = ()  # by default the field's
    metavar: str | None = None
    values: tuple[str, ...] = ()  # that it can have
    least: float | None = None
    most: float | None = None


def option(default: Any, *names: str, metavar: str | None = None, **more: Any) -> Any:
    """Return a field that commands offer as an option, see `Flag`."""
    return field(default=default, metadata={"flag": Flag(names, metavar, **more)})


def describe_fields(record: type) -> dict[str, str]:
    """Return the first paragraph on each parameter in the docstring of a class.

    Examples
    --------
    >>> describe_fields(SourceOptions)["label"]
    'Label column. Guessed by default.'
    """
    lines = inspect.cleandoc(record.__doc__ or "")
    found = re.findall(r"^(\w+) : .*\n((?: {4}.+\n)+)", f"{lines}\n", re.MULTILINE)
    return {name: " ".join(paragraph.split()) for name, paragraph in found}


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How documents are read. Commands have options of these names, and say the same of them.

    Parameters
    ----------
    text : str or sequence of str, optional
        Text columns, joined by a space. Guessed by default; with a model, those that it was learned
        from, if the input has them.

        Paths such as payload.body reach into JSON objects, also in the other columns.
    tokens : str, optional
        Column of tokens instead of text: lists, or objects of counts. Detected by default.

        "" treats everything as text.
    split : str, optional
        Split a text column into tokens at whitespace or commas.
    format : str, optional
        Format of the files. Guessed by default, from their names, then from their contents.
    strict : bool
        Stop at the first invalid row, or if messages were deleted before they were read.

        Otherwise they are counted and reported. Valid rows before it in the same 1 MiB piece of a
        file are lost.
    encoding : str, optional
        Encoding of the text of files, such as latin-1, cp1252 or utf-16 (default: utf-8).
    broker_settings : str, optional
        File of settings for the client of a broker, such as its password, which does not belong
        into an address: a line name=value each.

        Those of Kafka are the client's own, such as sasl.password; those of Redis are username and
        password.
    header : bool
        CSV and TSV files begin with the names of their columns; if not, these are 1, 2, ...
    time : str, optional
        Time column. Guessed by default.

        "" means that there is none, as for labels.
    time_format : str, optional
        Format of the times in files, such as %d/%m/%Y (see strptime). By default ISO 8601, Unix
        time, Twitter's format and e-mail dates are recognised.
    label : str, optional
        Label column. Guessed by default.
    sort : bool
        Sort the documents of files by time first, in memory.

        Input of more than 1 GiB (text, and 450 bytes per document) is refused. Documents without a
        time come last.
    block : int
        Documents per block, which are learned in one step (mini-batch size).
    follow : bool, optional
        Wait for new data at the end of a file, folder or stream (default: streams only).
    start : str
        Where to start in a stream or followed file, if not resuming.
    wait : float
        Learn an incomplete block of a stream after this time; inf waits until it is full.
    seconds : float
        Stop reading a stream after this time.
    keep : sequence of str
        Input columns to copy to the output.
    learned : str, optional
        The text columns that a model was learned from, joined by ","; rather than a guess.
    empty : bool
        Return rows of files without text, too, instead of counting them as problems.
    say : callable
        Called with a message for the user, for instance if a broker cannot be reached.
    """

    text: str | Sequence[str] | None = option(None, metavar="COL,COL")
    tokens: str | None = option(None, metavar="COL")
    split: str | None = option(None, values=("whitespace", ","))
    format: str | None = option(None, values=FORMATS)
    strict: bool = option(False, "--strict")
    encoding: str | None = option(None, metavar="NAME")
    broker_settings: str | None = option(None, metavar="FILE")
    header: bool = option(True)
    time: str | None = option(None, metavar="COL")
    time_format: str | None = option(None, metavar="FORMAT")
    label: str | None = option(None, metavar="COL")
    sort: bool = option(False, "--sort")
    block: int = option(100, least=1)
    follow: bool | None = option(None)  # None: brokers are followed, files and folders are not
    start: str = option("earliest", "--from", values=STARTS)
    wait: float = option(1.0, metavar="SECONDS", least=0)
    seconds: float = option(math.inf, "--for", metavar="SECONDS", least=0)
    keep: Sequence[str] = option((), metavar="COL,COL")
    learned: str | None = None
    empty: bool = False
    # Not compared: two records are equal if they read the same documents.
    say: Say = field(default=ignore, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Imported here: the command line needs the names of options alone, for its help.
        from spectralleader.sources.files.byte_stream import check_encoding
        from spectralleader.sources.files.times import check_time_format

        if self.block < 1:
            raise ValueError(f"block must be at least 1, got {self.block}")
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}, got {self.start!r}")
        if not self.wait >= 0:  # also refuses NaN
            raise ValueError(f"wait must be at least 0 seconds, got {self.wait}")
        check_encoding(self.encoding)
        check_time_format(self.time_format)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns of text or tokens that were named; empty to guess."""
        chosen = self.tokens or self.text or ()
        return (chosen,) if isinstance(chosen, str) else tuple(chosen)

    @property
    def waits(self) -> bool:
        """Whether a live source waits for new messages at its end."""
        return self.follow is not False

    def check_live(self) -> None:
        """Raise if an option is for files alone, rather than to ignore it in a live source."""
        from spectralleader.sources.files.byte_stream import check_encoding

        if check_encoding(self.encoding) is not None:
            raise ValueError(
                "brokers and followed files are read as UTF-8; omit --encoding, or pipe the input "
                "through iconv"
            )
        if self.time_format is not None:
            raise ValueError("the times of live sources have known formats; omit --time-format")
        if not self.header:
            raise ValueError("live sources have no header; omit --no-header")
        if self.sort:
            raise ValueError("a live source cannot be sorted; omit --sort")
