"""SourceOptions: how documents are read, one record for files, brokers and folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spectralleader.sources.files.byte_stream import check_encoding
from spectralleader.sources.files.times import check_time_format

Say = Callable[[str], None]
STARTS = ("earliest", "latest")
WAIT = 1.0  # default seconds until an incomplete block is returned at the end of the stream


def ignore(line: str) -> None:
    """Report a message to no one."""


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How documents are read.

    Parameters
    ----------
    text, time, label : str, optional
        Names of columns, or paths such as payload.body into JSON objects. Several text columns are
        joined by a space. If omitted, columns are guessed from their names and contents; "" means
        that there is none.
    tokens : str, optional
        The column with lists of tokens or objects of counts, instead of `text`. By default they are
        detected in the text column; "" treats everything as text.
    keep : sequence of str
        Further columns to return in `TextBlock.kept`.
    learned : str, optional
        The text columns that a model was learned from, joined by ","; rather than a guess.
    block : int
        Documents per block.
    format : str, optional
        csv, tsv, jsonl, parquet or text, for all files. By default it is guessed from the name,
        then from the content.
    strict : bool
        Raise at the first invalid row instead of counting it, and if messages were deleted before
        they were read. Valid rows before it in the same 1 MiB piece of a file are lost.
    empty : bool
        Return rows of files without text, too, instead of counting them as problems.
    sort : bool
        Sort all documents of files by time, in memory: input of more than 1 GiB (text, and 450
        bytes per document) is refused. Documents without a time come last.
    encoding : str, optional
        Encoding of the text of files, such as "latin-1", "cp1252" or "utf-16". Defaults to UTF-8.
        Not used for Parquet.
    time_format : str, optional
        Format of the times in files, as in `datetime.strptime`: "%d/%m/%Y" for 31/12/2025. By
        default ISO 8601, Unix time, Twitter's format and e-mail dates are recognised.
    header : bool
        Whether CSV and TSV files begin with the names of their columns. If not, columns are named
        "1", "2" and so on.
    follow : bool, optional
        Wait for new messages at the end of a live source. If False, stop there.
    start : str
        Where a live source starts without a position: "earliest" or "latest".
    wait : float
        At the end of a followed stream, return an incomplete block after this many seconds. With
        `math.inf` only full blocks are returned.
    say : callable
        Called with a message for the user, for instance if a broker cannot be reached.
    """

    text: str | Sequence[str] | None = None
    time: str | None = None
    label: str | None = None
    tokens: str | None = None
    keep: Sequence[str] = ()
    learned: str | None = None
    block: int = 100
    format: str | None = None
    strict: bool = False
    empty: bool = False
    sort: bool = False
    encoding: str | None = None
    time_format: str | None = None
    header: bool = True
    follow: bool | None = None  # None: brokers are followed, files and folders are not
    start: str = "earliest"
    wait: float = WAIT
    # Not compared: two records are equal if they read the same documents.
    say: Say = field(default=ignore, compare=False, repr=False)

    def __post_init__(self) -> None:
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
