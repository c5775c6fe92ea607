"""Settings: what a pass must have in common with the one that it goes on with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from spectralleader.jobs.source import Source, choose_vocabulary, choose_wish
from spectralleader.jobs.watcher import Watcher
from spectralleader.learners.lookup import find_learner
from spectralleader.sources.files import Reader
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Words


@dataclass(frozen=True)
class Settings:
    """What is to be learned from a source; see `spectralleader.jobs.learn`."""

    n_topics: int
    learner: str
    vocabulary: str | int | Vocabulary | None
    words: Words
    seed: int

    def __post_init__(self) -> None:
        find_learner(self.learner)

    def make_topics(self, source: Source, watcher: Watcher) -> TextTopics:
        """Return topics to begin with."""
        return TextTopics(
            self.n_topics,
            learner=self.learner,
            vocabulary=choose_vocabulary(self.vocabulary, source, self.words, watcher),
            words=self.words,
            block_size=source.block,
            seed=self.seed,
        )

    def names(self, source: Source, reader: Reader) -> dict[str, str]:
        """Return all that changes what is learned, by the names of the options.

        Labels, and times unless documents are sorted by them, change nothing.
        """
        columns = ",".join(reader.columns.text)
        sorting = f"by {reader.columns.time}" if source.sort else "no"
        return {
            "topics": str(self.n_topics),
            "learner": self.learner,
            "seed": str(self.seed),
            "vocabulary": name_vocabulary(self.vocabulary, source),
            "stop-words": name_stop_words(self.words),
            "block": str(source.block),
            "text": columns if columns.isprintable() else ascii(columns),
            "sort": sorting if sorting.isprintable() else ascii(sorting),
        }


def name_vocabulary(wish: str | int | Vocabulary | None, source: Source) -> str:
    """Return a vocabulary as it was wished for; words that were given, by their digest."""
    chosen = choose_wish(wish, source)
    if isinstance(chosen, Vocabulary):
        return f"{chosen.n_words} given words ({short_digest(chosen)})"
    return str(chosen)


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
            "start anew with --fresh"
        )
