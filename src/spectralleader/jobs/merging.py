"""Merge: saved models of separate streams become one file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spectralleader import storage
from spectralleader.jobs.learning import list_topics
from spectralleader.learners.lookup import name_of
from spectralleader.learners.protocol import remembered
from spectralleader.runtime.interrupts import Interrupts
from spectralleader.storage import Checkpoint
from spectralleader.storage.merging import merge_all
from spectralleader.text.topics import TextTopics

Name = str | os.PathLike[str]


@dataclass(frozen=True)
class Part:
    """What one file has, in numbers."""

    file: str
    documents: int
    words: int
    remembered: int | None  # documents; None if the learner remembers none

    @classmethod
    def of(cls, file: Name, topics: TextTopics) -> Part:
        """Count what a model has."""
        known = remembered(topics.learner)
        n_remembered = None if known is None else known.n_docs
        return cls(str(file), topics.n_docs, topics.vocabulary.n_words, n_remembered)


@dataclass(frozen=True)
class Merged:
    """What was merged, and from what."""

    topics: TextTopics
    parts: list[Part]
    whole: Part

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return all of it as plain values, for machines."""
        return {
            "learner": name_of(self.topics.learner),
            "parts": [asdict(part) for part in self.parts],
            "merged": asdict(self.whole),
            "topics": list_topics(self.topics, n_words),
        }


def merge(files: Sequence[Name], target: Name, *, seed: int = 0) -> Merged:
    """Merge files that `learn --save` wrote, of separate streams, and save the outcome.

    Raises
    ------
    ValueError
        If files are the same, are no such files, or differ in their settings, or the target holds
        anything but an earlier outcome; nothing is saved.
    """
    if len(files) < 2:
        raise ValueError(f"merging takes two files or more, got {len(files)}")
    storage.check_target(target)
    check_separate([*files, target])
    check_replaced(target)
    read = [storage.load_topics(name) for name in files]
    topics = merge_all(read, [str(name) for name in files], seed)
    parts = [Part.of(name, one) for name, one in zip(files, read, strict=True)]
    if Interrupts.entered is not None:
        Interrupts.entered.at_stake = True  # a file that is half written would be left behind
    storage.save(topics, target)
    return Merged(topics, parts, Part.of(target, topics))


def check_separate(files: Sequence[Name]) -> None:
    """Raise if one file is named twice, also as the one that is written."""
    paths = [Path(name) for name in files]
    for i, path in enumerate(paths):
        for other in paths[:i]:
            if path.exists() and other.exists() and path.samefile(other):
                raise ValueError(
                    f"{path} is named twice; a document counts once, and what is merged goes to a "
                    "file of its own"
                )


def check_replaced(target: Name) -> None:
    """Raise if there is anything but an earlier outcome, which a schedule makes anew."""
    if Path(target).exists() and isinstance(storage.load_as_saved(target), Checkpoint):
        raise ValueError(
            f"{target} is what learn --save goes on with, and would be overwritten; name another "
            "file"
        )
