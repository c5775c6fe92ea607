"""Checkpoint: what `learn` saves, topics and how far in its input they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from spectralleader.checks.states import part, take
from spectralleader.learners import Unigram
from spectralleader.runtime.guard import guard_of
from spectralleader.text.topics import TextTopics

LARGEST = 1e300  # of a sum that is believed


@dataclass(frozen=True)
class Sums:
    """What a judge has added up; see `spectralleader.jobs.judged.Judged`."""

    n_learned: int = 0
    n_docs: int = 0
    n_words: float = 0.0
    loss: float = 0.0
    seconds: float = 0.0

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Sums:
        """Rebuild sums, checked."""
        values = {field.name: take(state, field.name) for field in fields(cls)}
        for name, value in values.items():
            least = -LARGEST if name == "loss" else 0
            if type(value) not in (int, float) or not least <= value <= LARGEST:
                raise ValueError(f"{name} of a judge must be a finite sum, got {value!r:.60}")
        return cls(**values)


@dataclass(frozen=True)
class Progress:
    """How far a pass over an input is, and with which settings.

    The place in the input is the number of its documents that were learned, and a digest of their
    texts: whatever the format, the compression or the order, the same documents are the same place.
    """

    settings: dict[str, str]  # by the name of the option
    n_docs: int  # documents learned
    digest: str | None  # of their texts; None for a pipe, which is not read again
    before: str | None  # the digest without the last of them
    seconds: float  # of learning
    judged: Sums | None  # the learner's; None if it works offline
    unigram: Sums
    frequencies: Unigram  # the learner that the losses are compared with

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it, as arrays and plain values."""
        plain = {name: getattr(self, name) for name in PLAIN}
        return {
            **plain,
            "judged": None if self.judged is None else asdict(self.judged),
            "unigram": asdict(self.unigram),
            "frequencies": self.frequencies.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Progress:
        """Rebuild what `to_state` described."""
        plain = {name: take(state, name) for name in PLAIN}
        settings, n_docs, seconds = part(state, "settings"), plain["n_docs"], plain["seconds"]
        if not all(type(t) is str and t.isprintable() for pair in settings.items() for t in pair):
            raise ValueError("settings must be lines of text")
        if not all(type(text) in (str, type(None)) for text in (plain["digest"], plain["before"])):
            raise ValueError("a digest must be text")
        if type(n_docs) is not int or n_docs < 0:
            raise ValueError(f"n_docs must be a count, got {n_docs!r:.60}")
        if type(seconds) not in (int, float) or not 0 <= seconds <= LARGEST:
            raise ValueError(f"seconds must be finite, got {seconds!r:.60}")
        return cls(
            **plain,
            judged=None if take(state, "judged") is None else Sums.from_state(state["judged"]),
            unigram=Sums.from_state(part(state, "unigram")),
            frequencies=Unigram.from_state(part(state, "frequencies")),
        )


PLAIN = ("settings", "n_docs", "digest", "before", "seconds")


class Checkpoint(TextTopics):
    """Topics with the progress of the pass that learns them: `learn --save` goes on from there.

    Whoever learns more with it by other means leaves the pass: `progress` then no longer tells how
    many documents were learned, and `learn --save` says so.
    """

    progress: Progress

    @classmethod
    def of(cls, topics: TextTopics, progress: Progress) -> Self:
        """Join topics, which are not copied, and their progress."""
        guard_of(topics)  # which both have
        checkpoint = cls.__new__(cls)
        vars(checkpoint).update(vars(topics))
        checkpoint.progress = progress
        return checkpoint

    @property
    def topics(self) -> TextTopics:
        """The topics without the progress, not copied."""
        topics = TextTopics.__new__(TextTopics)
        vars(topics).update({k: v for k, v in vars(self).items() if k != "progress"})
        return topics

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on, as arrays and plain values."""
        return {**super().to_state(), "progress": self.progress.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Checkpoint:
        """Rebuild what `to_state` described; it goes on as if never stopped."""
        topics, progress = (
            TextTopics.from_state(state),
            Progress.from_state(part(state, "progress")),
        )
        known, counted = topics.vocabulary, progress.frequencies
        if counted.grows != known.grows or counted.n_words > max(1, known.n_words):
            raise ValueError(f"frequencies are over {counted.n_words} words, not {known.n_words}")
        return cls.of(topics, progress)
