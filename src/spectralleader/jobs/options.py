"""Options of `learn`: from arguments to what a checkpoint stores, one object."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import (
    GROW,
    Source,
    choose_vocabulary,
    choose_wish,
    choose_words,
)
from spectralleader.learners import DEFAULT_LEARNER
from spectralleader.learners.lookup import find_learner
from spectralleader.sources.files import Columns
from spectralleader.text.first_use import compile_learning
from spectralleader.text.timeline import Timeline
from spectralleader.text.tokens import Tokens
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words

AUTO = "auto"
MANY = 32  # topics that "auto" learns: three for each of about ten that people read
OFTEN = "10min"  # between checkpoints; a checkpoint of a large model takes a second


@dataclass(frozen=True)
class LearnOptions:
    """All that `learn` is asked for.

    Parameters
    ----------
    source : Source
        What to read.
    n_topics : int or str
        Number of topics; "auto" learns 32, to be read at the level that their prices suggest.
    learner, seed
        See `TextTopics`.
    vocabulary : str, int or Vocabulary, optional
        See `choose_vocabulary`; resuming, the one that was saved is used.
    stop_words : str
        "english", "none" or a file of words.
    save : path, optional
        File to save a `Checkpoint` in; locked while learning.
    checkpoint_every : int or str
        How often to save on the way: documents, or a time such as "60s", "5min", "1h". The first
        time comes after 10 seconds, and the waits double up to that time.
    emit : str, optional
        File, or redis://host:port/db/STREAM, to write each learned document's id and topic to.
    fresh : bool
        Start anew; a file that exists is renamed to a backup.
    verify : bool
        Resuming, read and compare all that was learned before. Otherwise the first part of long
        files is not read again if samples of it show no change.
    keep_texts : bool
        Keep a sample of the texts, for typical documents; if not, of their known words only.
    adopt : bool
        Resume with the settings of `save`, whatever they are; the ones given here are for a file
        that does not exist yet. Topics that learned something else continue with a live source.
    give_up_position : bool
        With `adopt`, continue also where that loses the position in what was learned before.
    """

    source: Source
    n_topics: int | str = 5
    learner: str = DEFAULT_LEARNER
    vocabulary: str | int | Vocabulary | None = None
    stop_words: str = "english"
    seed: int = 0
    save: str | os.PathLike[str] | None = None
    checkpoint_every: str | int = OFTEN
    fresh: bool = False
    emit: str | None = None
    keep_texts: bool = True
    adopt: bool = False
    give_up_position: bool = False
    verify: bool = False

    def __post_init__(self) -> None:
        find_learner(self.learner)
        if isinstance(self.n_topics, str) and self.n_topics != AUTO:
            raise ValueError(f"the number of topics is a number or {AUTO!r}, got {self.n_topics!r}")
        _ = self.words  # a file that cannot be read is reported before anything is learned

    @cached_property
    def words(self) -> Words:
        """What counts as a word of a text."""
        return choose_words(self.stop_words)

    def make_topics(self, columns: Columns, progress: Progress) -> TextTopics:
        """Return topics to begin with."""
        words = self.source.choose_words(columns, self.words)
        wish = choose_wish(self.vocabulary, self.source)
        # now, in parallel: counting words would compile its kernels first, alone
        compile_learning(self.learner, isinstance(wish, str) and wish.startswith(GROW))
        return TextTopics(
            MANY if isinstance(self.n_topics, str) else self.n_topics,
            learner=self.learner,
            vocabulary=choose_vocabulary(self.vocabulary, self.source, words, progress),
            words=words,
            block_size=self.source.block,
            timeline=Timeline(texts=self.keep_texts),
            seed=self.seed,
        )

    def stored(self, columns: Columns) -> dict[str, str]:
        """Return the options that change what is learned, by name, as a checkpoint stores them.

        Labels, and times unless documents are sorted by them, change nothing.
        """
        text = ",".join(columns.text)
        sorting = f"by {columns.time}" if self.source.sort else "no"
        return {
            "topics": str(self.n_topics),
            "learner": self.learner,
            "seed": str(self.seed),
            "vocabulary": name_vocabulary(self.vocabulary, self.source),
            **name_words(self.source.choose_words(columns, self.words)),
            "block": str(self.source.block),
            "text": text if text.isprintable() else ascii(text),
            "sort": sorting if sorting.isprintable() else ascii(sorting),
            **({"source": "live"} if self.source.is_live else {}),
        }


def name_vocabulary(wish: str | int | Vocabulary | None, source: Source) -> str:
    """Return a vocabulary as it was wished for; words that were given, by their digest."""
    chosen = choose_wish(wish, source)
    if isinstance(chosen, Vocabulary):
        return f"{chosen.n_words} given words ({short_digest(chosen)})"
    return str(chosen)


def name_words(words: Words | Tokens) -> dict[str, str]:
    """Return what is counted, by the name of the option that says it."""
    if isinstance(words, Tokens):
        return {"tokens": f"split by {words.split}" if words.split else "as they are"}
    return {"stop-words": name_stop_words(words)}


def name_stop_words(words: Words) -> str:
    """Return a choice of stop words, by their digest if it is none of the usual."""
    for name in ("english", None):
        if words == Words(stop_words=name):
            return name or "none"
    return f"{len(words.stops)} given words ({short_digest(sorted(words.stops))})"


def short_digest(words: Iterable[str]) -> str:
    """Return a few letters that other words hardly have."""
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()[:8]


def check_same(before: dict[str, str], now: dict[str, str], name: str) -> None:
    """Raise if settings are not those of before, naming each that differs."""
    differing = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    if differing:
        told = "; ".join(
            f"{key} was {before.get(key, 'not set'):.60}, is {now.get(key, 'not set'):.60}"
            for key in differing
        )
        raise ValueError(
            f"{name} was learned with other settings: {told}; give those it was learned with, or "
            "start over with --fresh"
        )
