"""The results of learning."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spectralleader.learners.registry import name_of
from spectralleader.reading.snapshot import list_topics
from spectralleader.sources.reader import Reader
from spectralleader.storage.checkpoint import LossCurve, Losses
from spectralleader.topics.text_topics import TextTopics

UNKNOWN = 0.1  # share of new documents without known words from which a warning is printed


@dataclass(frozen=True, kw_only=True)
class LearnedTopics:
    """What every way of learning returns: the topics, and where they were saved."""

    topics: TextTopics
    seconds: float  # spent learning, including earlier passes
    saved: Path | None = None
    backup: Path | None = None  # backup of the file that existed before
    stopped: KeyboardInterrupt | None = None  # why it ended early: Ctrl-C, or `Terminated`

    @property
    def n_docs(self) -> int:
        """Number of documents learned."""
        return self.topics.n_docs

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: at least one document had a known word."""
        return self.n_docs > self.topics.n_empty

    @property
    def rate(self) -> float:
        """The throughput in documents per second."""
        return self.n_docs / max(self.seconds, 1e-9)

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON; topics count from 1."""
        topics, vocabulary = self.topics, self.topics.vocabulary
        return {
            "documents": topics.n_docs,
            "documents_without_known_words": topics.n_empty,
            "seconds": self.seconds,
            "vocabulary": {"words": vocabulary.n_words, "grows": vocabulary.grows},
            "topics": list_topics(topics.at(), n_words),
            "saved": self.saved and str(self.saved),
            "backup": self.backup and str(self.backup),
        }


@dataclass(frozen=True, kw_only=True)
class LearnResult(LearnedTopics):
    """The result of a pass."""

    reader: Reader  # with the guessed columns and the problems found
    losses: Losses | None  # None for an offline learner, which has no intermediate model
    unigram_losses: Losses  # of the unigram baseline
    n_before: int  # documents learned by earlier passes
    n_empty_before: int  # of these without known words
    n_saved: int | None = None  # documents in the last checkpoint
    curve: LossCurve = field(default_factory=LossCurve)  # losses over the stream

    @property
    def n_unknown(self) -> int | None:
        """How many new documents a fixed vocabulary misses; None if not clearly more than before.

        That is more than a tenth of them, and more than twice the share of earlier passes: a sign
        that the stream has new subjects, which the words of the first pass cannot show.
        """
        n_new = self.n_docs - self.n_before
        n_empty = self.topics.n_empty - self.n_empty_before
        if self.topics.vocabulary.grows or not self.n_before or not n_new:
            return None
        usual = max(UNKNOWN, 2 * self.n_empty_before / self.n_before)
        return n_empty if n_empty > usual * n_new else None

    @property
    def mean_loss(self) -> float | None:
        """L1, in nats per document; None if no document was predicted."""
        return self.losses and self.losses.mean_loss

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON; topics count from 1."""
        topics, problems = self.topics, self.reader.problems
        return {
            **super().summary(n_words),
            "documents_learned_before": self.n_before,
            "stopped": self.stopped is not None,
            "learner": name_of(topics.learner),
            "L1": self.mean_loss,
            "perplexity": self.losses and self.losses.perplexity,
            "unigram_L1": self.unigram_losses.mean_loss,
            "unigram_perplexity": self.unigram_losses.perplexity,
            "suggested_level": topics.level() if topics.annotations.is_auto else None,
            "guesses": list(self.reader.guesses),
            "problems": {
                kind: {"rows": count, "first": problems.places[kind]}
                for kind, count in problems.counts.items()
            },
        }
