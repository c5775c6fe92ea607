"""Options of `learn`, and the settings that a checkpoint stores."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import (
    Source,
    choose_vocabulary,
    choose_wish,
    choose_words,
)
from spectralleader.learners import DEFAULT_LEARNER
from spectralleader.learners.registry import find_learner
from spectralleader.sources.files import Columns
from spectralleader.text.first_use import compile_learning
from spectralleader.text.levels import AUTO
from spectralleader.text.timeline import Timeline
from spectralleader.text.tokens import Tokens
from spectralleader.text.topics import TextTopics
from spectralleader.text.vectoriser import MIN_COUNT
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words

TIME = "time"  # the one setting that earlier files lack
OFTEN = "10min"  # default interval of checkpoints; saving a large model takes a second


@dataclass(frozen=True)
class LearnOptions:
    """The options of `learn`.

    Parameters
    ----------
    source : Source
        The input.
    n_topics : int or str
        Number of topics; "auto" learns 32 and shows the level that their merge tree suggests.
    learner, seed
        See `TextTopics`.
    vocabulary : str, int or Vocabulary, optional
        See `choose_vocabulary`. Ignored when resuming.
    min_count : int
        Minimum number of occurrences of a word, see `TextTopics`.
    stop_words : str
        "english", "none" or a file of words.
    save : path, optional
        Save a `Checkpoint` to this file, and resume from it if it exists. It is locked meanwhile.
    checkpoint_every : int or str
        Interval of checkpoints: documents, or a time such as "60s", "5min", "1h". With a time, the
        first one is saved after 10 seconds, and the delays double up to the interval.
    emit : str, optional
        Write the id and topic of each learned document to this file or
        redis://host:port/db/STREAM.
    fresh : bool
        Start over; an existing file is renamed to a backup.
    keep_texts : bool
        Keep a sample of the texts, for typical documents. If False, keep only their known words.
    adopt : bool
        Resume with the settings stored in `save`; the settings given here are for a new file.
        Topics learned from something else then continue with a live source.
    give_up_position : bool
        With `adopt`, continue even if that loses the position in the previous input.
    """

    source: Source
    n_topics: int | str = 5
    learner: str = DEFAULT_LEARNER
    vocabulary: str | int | Vocabulary | None = None
    min_count: int = MIN_COUNT
    stop_words: str = "english"
    seed: int = 0
    save: str | os.PathLike[str] | None = None
    checkpoint_every: str | int = OFTEN
    fresh: bool = False
    emit: str | None = None
    keep_texts: bool = True
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
        return choose_words(self.stop_words)

    def make_topics(self, columns: Columns, progress: Progress) -> TextTopics:
        """Return new topics."""
        words = self.source.choose_words(columns, self.words)
        wish = choose_wish(self.vocabulary)
        # Now, in a process of its own; counting words would compile its own kernels in this one.
        compile_learning(self.learner, isinstance(wish, str))
        return TextTopics(
            self.n_topics,
            learner=self.learner,
            vocabulary=choose_vocabulary(
                self.vocabulary, self.source, words, progress, min_count=self.min_count
            ),
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
        text = ",".join(columns.text)
        sorting = f"by {columns.time}" if self.source.sort else "no"
        time = " as ".join(filter(None, (columns.time, self.source.time_format))) or "none"
        return {
            "topics": str(self.n_topics),
            "learner": self.learner,
            "seed": str(self.seed),
            "vocabulary": name_vocabulary(self.vocabulary),
            "min-count": str(self.min_count),
            **name_words(self.source.choose_words(columns, self.words)),
            "block": str(self.source.block),
            "text": printable(text),
            "sort": printable(sorting),
            **({"source": "live"} if self.source.is_live else {TIME: printable(time)}),
        }


def name_vocabulary(wish: str | int | Vocabulary | None) -> str:
    """Return the setting of the vocabulary; given words are identified by a digest."""
    chosen = choose_wish(wish)
    if isinstance(chosen, Vocabulary):
        return f"{chosen.n_words} given words ({short_digest(chosen)})"
    return str(chosen)


def name_words(words: Words | Tokens) -> dict[str, str]:
    """Return the setting of the tokenizer, by option name."""
    if isinstance(words, Tokens):
        return {"tokens": f"split by {words.split}" if words.split else "as they are"}
    return {"stop-words": name_stop_words(words)}


def name_stop_words(words: Words) -> str:
    """Return the setting of the stop words; a custom list is identified by a digest."""
    for name in ("english", None):
        if words == Words(stop_words=name):
            return name or "none"
    return f"{len(words.stops)} given words ({short_digest(sorted(words.stops))})"


def printable(setting: str) -> str:
    """Return a setting as a checkpoint may store it."""
    return setting if setting.isprintable() else ascii(setting)


def short_digest(words: Iterable[str]) -> str:
    """Return the first 8 hexadecimal digits of a digest of words."""
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()[:8]


def check_same(before: dict[str, str], now: dict[str, str], name: str) -> None:
    """Raise if any setting differs, naming all that do."""
    now = {key: value for key, value in now.items() if key != TIME or key in before}
    differing = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    if differing:
        told = "; ".join(
            f"{key} was {before.get(key, 'not set'):.60}, is {now.get(key, 'not set'):.60}"
            for key in differing
        )
        raise ValueError(
            f"{name} was learned with other settings: {told}; use the same settings, or start over "
            "with --fresh"
        )
