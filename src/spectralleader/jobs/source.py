"""Source: the input of a job, its tokenizer and its vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spectralleader.checks.paths import check_kept
from spectralleader.jobs.progress import Progress
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.files import Columns, Reader
from spectralleader.sources.files.byte_stream import check_encoding
from spectralleader.sources.files.columns import ColumnRequest
from spectralleader.sources.live import LiveReader, is_address
from spectralleader.sources.live.addresses import check_scheme, make_reader
from spectralleader.sources.live.folder import FolderReader, list_folder
from spectralleader.sources.live.protocol import WAIT, LiveSettings
from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import MAX_WORDS, MIN_COUNT
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Words

COUNT_BLOCK = 1000  # texts counted at once in a first pass
GROW = "grow"
AnyReader = Reader | LiveReader | FolderReader


@dataclass(frozen=True)
class Source:
    """The input of a job; see `spectralleader.sources.read`."""

    files: tuple[str, ...]
    text: tuple[str, ...] | None = None
    time: str | None = None
    label: str | None = None
    block: int = 100
    format: str | None = None
    strict: bool = False
    sort: bool = False
    keep: tuple[str, ...] = ()
    empty: bool = False
    tokens: str | None = None  # the column of documents of tokens, instead of text
    split: str | None = None  # how text is split into tokens; see `Tokens`
    follow: bool | None = None  # wait for new messages at the end; None: for brokers only
    start: str = "earliest"  # where a live source starts without a position, or "latest"
    wait: float = WAIT  # seconds until an incomplete block of a live source is returned
    encoding: str | None = None  # of the text; None: UTF-8
    time_format: str | None = None  # of times, as in `datetime.strptime`; None: known ones
    header: bool = True  # whether CSV and TSV files begin with the names of their columns
    learned: str | None = None  # the setting "text" of a model, to read the columns it learned

    def __post_init__(self) -> None:
        Tokens(self.split)  # report an invalid one before reading
        if check_encoding(self.encoding) is not None and self.is_live:
            raise ValueError(
                "brokers and followed files are read as UTF-8; omit --encoding, or pipe the input "
                "through iconv"
            )
        if self.time_format is not None and self.is_live:
            raise ValueError("the times of live sources have known formats; omit --time-format")
        if not self.header and self.is_live:
            raise ValueError("live sources have no header; omit --no-header")
        if self.tokens and self.text:
            raise ValueError("text and tokens exclude each other (--text, --tokens)")
        if self.is_live and len(self.files) > 1:
            raise ValueError("only one broker, followed file or followed folder can be read")
        if self.is_live and self.sort:
            raise ValueError("a live source cannot be sorted; omit --sort")
        if not self.is_live and self.start != "earliest":
            raise ValueError(
                "files are read from the beginning; --from latest requires a broker or --follow"
            )

    @classmethod
    def of(cls, files: str | os.PathLike[str] | Source, **options: object) -> Source:
        """Return a source for one file; return a `Source` unchanged."""
        if isinstance(files, Source):
            return files
        return replace(cls((os.fspath(files),)), **options)  # type: ignore[arg-type]

    @property
    def is_live(self) -> bool:
        """Whether it is a broker or a followed file or folder, which has positions, not digests."""
        return any(map(is_address, self.files)) or bool(self.follow)

    @property
    def paths(self) -> list[str]:
        """All files; those in folders in order of their names."""
        return [path for name in self.files for path in expand(name)]

    def open(self, progress: Progress | None = None) -> AnyReader:
        """Return a reader; that of a live source is not started yet, see `LiveReader.start`."""
        for name in self.files:
            check_scheme(name)
        if not self.is_live:
            return self._read(self.block, sort=self.sort)
        if "-" in self.files:
            raise ValueError("standard input is always followed; omit --follow")
        [name] = self.files
        follow, say = self.follow is not False, (progress or Progress()).say
        how = (self.block, follow, self.start, self.strict, self.format, say, self.wait)
        return make_reader(name, self._requested_columns, LiveSettings(*how))

    @property
    def _requested_columns(self) -> ColumnRequest:
        """The columns to read; a text column that is split later is read as text."""
        others = (self.time, self.label, self.keep)
        if self.split:
            return ColumnRequest(self.tokens or self.text, *others, "", self.learned)
        return ColumnRequest(self.text, *others, self.tokens, self.learned)

    def _read(self, block: int, *, sort: bool) -> Reader:
        how: dict[str, Any] = {"strict": self.strict, "sort": sort, "format": self.format}
        how |= {"empty": self.empty, "encoding": self.encoding, "time_format": self.time_format}
        how["header"] = self.header
        return Reader(self.paths, self._requested_columns, block, **how)

    @property
    def once_only(self) -> str | None:
        """The first file that cannot be read twice (a pipe or live source), or None."""
        if self.is_live:
            return self.files[0]
        return next((name for name in self.paths if name == "-" or not Path(name).is_file()), None)

    def check_kept(self, target: str | os.PathLike[str]) -> None:
        """Raise if writing the target would overwrite an input file."""
        check_kept(target, self.files)

    def texts(self, progress: Progress) -> Iterator[list[Any]]:
        """Yield all texts in blocks, unsorted, for a first pass.

        Raises
        ------
        ValueError
            If no row is valid.
        """
        n_docs = 0
        with self._read(COUNT_BLOCK, sort=False) as reader:
            for block in reader:
                raise_if_interrupted()
                yield block.texts
                n_docs += len(block)
                progress.counted(n_docs)
            if not n_docs and reader.problems.counts:
                raise ValueError(f"no valid rows; {'; '.join(reader.problems.summary())}")

    def choose_words(self, columns: Columns, words: Words) -> Words | Tokens:
        """Return the tokenizer: `words`, unless documents are tokens already."""
        return Tokens(self.split) if self.split or columns.tokens else words


def expand(name: str) -> list[str]:
    """Return a file, or the files of a folder in order of their names."""
    if name == "-" or not Path(name).is_dir():
        return [name]
    found = [str(path) for path in list_folder(name)]
    if not found:
        raise ValueError(f"the folder {name} has no files; use --follow to wait for some")
    return found


def choose_words(stop_words: str) -> Words:
    """Return what counts as a word: stop words are "english", "none" or a file."""
    return Words(stop_words=None if stop_words == "none" else stop_words)


def choose_wish(wish: str | int | Vocabulary | None) -> int | str | Vocabulary:
    """Return the requested vocabulary: a number of words, "grow:N", or the words of a file."""
    if isinstance(wish, Vocabulary):
        return wish
    wish = GROW if wish is None else wish
    kind, _, size = str(wish).partition(":")
    if kind == GROW and (size.isdecimal() or not size):
        return f"{GROW}:{int(size or MAX_WORDS)}"
    if str(wish).isdecimal():
        return int(wish)
    if not Path(str(wish)).is_file():
        raise ValueError(
            f"vocabulary must be a number, grow, grow:N or a file of words, got {wish!r}"
        )
    return Vocabulary.from_file(str(wish))


def choose_vocabulary(
    wish: str | int | Vocabulary | None,
    source: Source,
    words: Words | Tokens,
    progress: Progress,
    *,
    min_count: int = MIN_COUNT,
) -> Vocabulary:
    """Return the requested vocabulary.

    "grow" or "grow:N", the default, is a vocabulary that grows with the stream. A number is a fixed
    vocabulary of the most frequent words, counted in a first pass. Anything else is a file of
    words. Words that occur less than `min_count` times are left out, see `GrowingVocabulary`.
    """
    chosen = choose_wish(wish)
    if isinstance(chosen, Vocabulary):
        return chosen
    if isinstance(chosen, str):
        return GrowingVocabulary(int(chosen.removeprefix(f"{GROW}:")), min_count=min_count)
    if (pipe := source.once_only) is not None:
        name = "standard input" if pipe == "-" else pipe
        raise ValueError(
            f"{name} can only be read once, so its {chosen} most frequent words cannot be counted "
            f"first; use --vocabulary grow:{chosen}, or a file of words"
        )
    progress.say(f"first pass: counting words to find the {chosen:,} most frequent")
    texts = source.texts(progress)
    return Vocabulary.most_frequent(texts, chosen, words=words, min_count=min_count)
