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
from spectralleader.sources.live import LiveReader, is_address
from spectralleader.sources.live.addresses import check_scheme, make_reader
from spectralleader.sources.live.folder import FolderReader, list_folder
from spectralleader.sources.options import SourceOptions
from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import MAX_WORDS, MIN_COUNT
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Words

COUNT_BLOCK = 1000  # texts counted at once in a first pass
GROW = "grow"
AnyReader = Reader | LiveReader | FolderReader


@dataclass(frozen=True)
class Source(SourceOptions):
    """The input of a job, and how it is read."""

    files: tuple[str, ...]
    split: str | None = None  # how text is split into tokens; see `Tokens`

    def __post_init__(self) -> None:
        super().__post_init__()
        Tokens(self.split)  # report an invalid one before reading
        if self.is_live:
            self.check_live()
        if self.tokens and self.text:
            raise ValueError("text and tokens exclude each other (--text, --tokens)")
        if self.is_live and len(self.files) > 1:
            raise ValueError("only one broker, followed file or followed folder can be read")
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
            return Reader(self.paths, self._as_read)
        if "-" in self.files:
            raise ValueError("standard input is always followed; omit --follow")
        [name] = self.files
        return make_reader(name, replace(self._as_read, say=(progress or Progress()).say))

    @property
    def _as_read(self) -> Source:
        """These options; a text column that is split later is read as text."""
        return replace(self, text=self.named or None, tokens="") if self.split else self

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
        with Reader(self.paths, replace(self._as_read, block=COUNT_BLOCK, sort=False)) as reader:
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
