"""The options of a job: its input, its learner, and what a checkpoint stores of them."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from spectralleader.jobs.settings import LearnSettings, VocabularyRequest
from spectralleader.learners.registry import find_learner
from spectralleader.reading.levels import AUTO
from spectralleader.reading.timeline import Timeline
from spectralleader.runtime.interrupts import raise_if_interrupted
from spectralleader.sources.addresses import check_scheme, is_address, make_live_reader
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.reader import FileReader
from spectralleader.sources.live.folder import list_folder
from spectralleader.sources.options import SourceOptions
from spectralleader.sources.reader import Reader
from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import MAX_WORDS
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Words
from spectralleader.topics.first_use import compile_learning
from spectralleader.topics.text_topics import TextTopics

COUNT_BLOCK = 1000  # texts counted at once in a first pass
GROW = "grow"


class Progress:
    """Receives reports on the state of a job and ignores them; displays are subclasses."""

    def say(self, line: str) -> None:
        """Report a message."""

    def compiling(self, is_compiling: bool) -> None:  # noqa: FBT001  # a callback
        """Report that kernels are being compiled, or no longer."""

    def counted(self, n_docs: int, how: str = "counted") -> None:
        """Report the number of documents so far in a first pass; `how` says what was done."""

    def passed(self, name: str, n_done: int, n_parts: int) -> None:
        """Report how many parts of the input an engine has read in the pass of this name."""

    def begun(self, result: Any) -> None:
        """Report the `LearnResult` result before the first step."""

    def reading(self, block: Any) -> None:
        """Report a `Counted` block that is about to be learned."""

    def saved(self, checkpoint: Any, seconds: float) -> None:
        """Report a `Checkpoint` that was written to disk."""

    def not_saved(self, error: Exception) -> None:
        """Report a checkpoint that could not be written; the previous one is unchanged."""

    def stepped(self, result: Any) -> None:
        """Report the result after a step, `LearnResult` or `Evaluation`."""


@dataclass(frozen=True)
class Source(SourceOptions):
    """The input of a job, and how it is read."""

    files: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        Tokens(self.split)  # report an invalid one before reading
        if self.tokens and self.text:
            raise ValueError("text and tokens exclude each other (--text, --tokens)")
        if self.is_live:
            self.check_live()
            if len(self.files) > 1:
                raise ValueError("only one broker, followed file or followed folder can be read")
        elif self.start != "earliest" or self.seconds < math.inf:
            raise ValueError(
                "files are read from beginning to end; --from latest and --for require a broker or "
                "--follow"
            )

    @classmethod
    def of(cls, files: str | os.PathLike[str] | Sequence[str] | Source, **options: Any) -> Source:
        """Return a source for a file or files; return a `Source` unchanged."""
        if isinstance(files, Source):
            return files
        names = (os.fspath(files),) if isinstance(files, str | os.PathLike) else tuple(files)
        return cls(names, **options)

    @property
    def is_live(self) -> bool:
        """Whether it is a broker or a followed file or folder, which has positions, not digests."""
        return any(map(is_address, self.files)) or bool(self.follow)

    @property
    def paths(self) -> list[str]:
        """All files; those in folders in order of their names."""
        return [path for name in self.files for path in expand(name)]

    def open(self, progress: Progress | None = None) -> Reader:
        """Return a reader that is not open yet, see `Reader.open`."""
        # An unknown scheme would otherwise be reported as a file that is missing.
        for name in self.files:
            check_scheme(name)
        options = replace(self._as_read, say=(progress or Progress()).say)
        if not self.is_live:
            return FileReader(self.paths, options)
        # It needs no option to wait for more, and has no position to resume from.
        if "-" in self.files:
            raise ValueError("standard input is always followed; omit --follow")
        return make_live_reader(self.files[0], options)

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

    def texts(self, progress: Progress) -> Iterator[list[Any]]:
        """Yield all texts in blocks, unsorted, for a first pass.

        Raises
        ------
        ValueError
            If no row is valid.
        """
        n_docs = 0
        # Unsorted: which words are frequent does not depend on the order, and sorting takes memory.
        unsorted = replace(self._as_read, block=COUNT_BLOCK, sort=False)
        with FileReader(self.paths, unsorted) as reader:
            for block in reader:
                raise_if_interrupted()
                yield block.texts
                n_docs += len(block)
                progress.counted(n_docs)
            if not n_docs and reader.problems.counts:
                raise ValueError(f"no valid rows; {'; '.join(reader.problems.summary())}")


@dataclass(frozen=True)
class LearnOptions(LearnSettings):
    """The options of `learn`, with those of `LearnSettings`; some are also for other jobs.

    Parameters
    ----------
    source : Source
        The input.
    n_topics : int or str
        Number of topics; "auto" learns 32 and shows the level that their merge tree suggests.
    adopt : bool
        Resume with the settings stored in `save`; the settings given here are for a new file.
        Topics learned from something else then continue with a live source.
    give_up_position : bool
        With `adopt`, continue even if that loses the position in the previous input.
    """

    source: Source
    n_topics: int | str = 5
    adopt: bool = False
    give_up_position: bool = False

    def __post_init__(self) -> None:
        find_learner(self.learner)
        if isinstance(self.n_topics, str) and self.n_topics != AUTO:
            raise ValueError(f"n_topics must be an integer or {AUTO!r}, got {self.n_topics!r}")
        _ = self.words  # report an unreadable file of stop words before learning

    @cached_property
    def words(self) -> Words:
        """The tokenizer of texts."""
        return Words(stop_words=None if self.stop_words == "none" else self.stop_words)

    def choose_words(self, columns: Columns) -> Words | Tokens:
        """Return the tokenizer: `words`, unless documents are tokens already."""
        split = self.source.split
        return Tokens(split) if split or columns.tokens else self.words

    def choose_vocabulary(self, words: Words | Tokens, progress: Progress) -> Vocabulary:
        """Return the requested vocabulary.

        "grow" or "grow:N", the default, is a vocabulary that grows with the stream. A number is a
        fixed vocabulary of the most frequent words, counted in a first pass. Anything else is a
        file of words. Words that occur less than `min_count` times are left out, see
        `GrowingVocabulary`.
        """
        wish = parse_vocabulary(self.vocabulary)
        if isinstance(wish, Vocabulary):
            return wish
        if isinstance(wish, str):
            return GrowingVocabulary(int(wish.removeprefix(f"{GROW}:")), min_count=self.min_count)
        if (pipe := self.source.once_only) is not None:
            name = "standard input" if pipe == "-" else pipe
            raise ValueError(
                f"{name} can only be read once, so its {wish} most frequent words cannot be "
                f"counted first; use --vocabulary grow:{wish}, or a file of words"
            )
        progress.say(f"first pass: counting words to find the {wish:,} most frequent")
        texts = chain.from_iterable(self.source.texts(progress))
        return Vocabulary.most_frequent(texts, wish, words=words, min_count=self.min_count)

    def make_topics(self, columns: Columns, progress: Progress) -> TextTopics:
        """Return new topics."""
        words = self.choose_words(columns)
        # Now, in a process of its own; counting words would compile its own kernels in this one.
        compile_learning(self.learner, isinstance(parse_vocabulary(self.vocabulary), str))
        return TextTopics(
            self.n_topics,
            learner=self.learner,
            vocabulary=self.choose_vocabulary(words, progress),
            words=words,
            block_size=self.source.block,
            timeline=Timeline(texts=self.keep_texts),
            seed=self.seed,
        )

    def stored(self, columns: Columns) -> dict[str, str]:
        """Return the settings that affect the model, by name, as a checkpoint stores them.

        Labels do not, nor do times unless documents are sorted by them. Times are stored all the
        same: the trends of learned documents cannot be changed by naming another column. A live
        source keeps its columns in its position instead.
        """
        source = self.source
        time = " as ".join(filter(None, (columns.time, source.time_format))) or "none"
        settings = {
            "topics": str(self.n_topics),
            "learner": self.learner,
            "seed": str(self.seed),
            "vocabulary": name_vocabulary(self.vocabulary),
            "min-count": str(self.min_count),
            **name_words(self.choose_words(columns)),
            "block": str(source.block),
            "text": ",".join(columns.text),
            "sort": f"by {columns.time}" if source.sort else "no",
            **({"source": "live"} if source.is_live else {"time": time}),
        }
        # Names of columns may contain anything; a checkpoint stores printable strings.
        return {name: s if s.isprintable() else ascii(s) for name, s in settings.items()}


def expand(name: str) -> list[str]:
    """Return a file, or the files of a folder in order of their names."""
    if name == "-" or not Path(name).is_dir():
        return [name]
    files = [str(path) for path in list_folder(name)]
    if not files:
        raise ValueError(f"the folder {name} has no files; use --follow to wait for some")
    return files


def parse_vocabulary(wish: VocabularyRequest) -> int | str | Vocabulary:
    """Return the requested vocabulary: a number of words, "grow:N", or the words of a file."""
    if isinstance(wish, Vocabulary):
        return wish
    # "grow" is a wish even if there is such a file: name it ./grow to read it.
    kind, _, size = str(GROW if wish is None else wish).partition(":")
    if kind == GROW and (size.isdecimal() or not size):
        return f"{GROW}:{int(size or MAX_WORDS)}"
    if str(wish).isdecimal():
        return int(str(wish))
    if not Path(str(wish)).is_file():
        raise ValueError(
            f"vocabulary must be a number, grow, grow:N or a file of words, got {wish!r}"
        )
    return Vocabulary.from_file(str(wish))


def name_vocabulary(wish: VocabularyRequest) -> str:
    """Return the setting of the vocabulary; given words are identified by a digest."""
    chosen = parse_vocabulary(wish)
    if isinstance(chosen, Vocabulary):
        return f"{chosen.n_words} given words ({short_digest(chosen)})"
    return str(chosen)


def name_words(words: Words | Tokens) -> dict[str, str]:
    """Return the setting of the tokenizer by option name; custom stop words as a digest."""
    if isinstance(words, Tokens):
        return {"tokens": f"split by {words.split}" if words.split else "as they are"}
    known = {Words(stop_words=name): name or "none" for name in ("english", None)}
    given = f"{len(words.stops)} given words ({short_digest(sorted(words.stops))})"
    return {"stop-words": known.get(words, given)}


def short_digest(words: Iterable[str]) -> str:
    """Return the first 8 hexadecimal digits of a digest of words."""
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()[:8]
