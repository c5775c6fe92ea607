"""Model files that change without learning: several are merged, or topics get names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from spectralleader import storage
from spectralleader.checks.paths import Name, check_target
from spectralleader.learners.protocol import remembered
from spectralleader.learners.registry import name_of
from spectralleader.reading.snapshot import list_topics
from spectralleader.runtime.interrupts import Interrupts
from spectralleader.storage import Checkpoint
from spectralleader.storage.lock import Lock
from spectralleader.storage.merging import merge_all
from spectralleader.topics.text_topics import TextTopics


@dataclass(frozen=True)
class ModelSizes:
    """The sizes of one model."""

    file: str
    documents: int
    words: int
    remembered: int | None  # documents in the sample; None if the learner has none

    @classmethod
    def of(cls, file: Name, topics: TextTopics) -> ModelSizes:
        """Return the sizes of a model."""
        known = remembered(topics.learner)
        n_remembered = None if known is None else known.n_docs
        return cls(str(file), topics.n_docs, topics.vocabulary.n_words, n_remembered)


@dataclass(frozen=True)
class MergeResult:
    """The merged model, and the sizes of its parts."""

    topics: TextTopics
    parts: list[ModelSizes]
    whole: ModelSizes

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "learner": name_of(self.topics.learner),
            "parts": [asdict(part) for part in self.parts],
            "merged": asdict(self.whole),
            "topics": list_topics(self.topics.at(), n_words),
        }


def merge(files: Sequence[Name], target: Name, *, seed: int = 0) -> MergeResult:
    """Merge models saved by `learn --save` on separate streams, and save the result.

    Raises
    ------
    ValueError
        If a file is named twice, is not a model or has other settings, or if the target is a
        checkpoint of `learn --save`. Nothing is saved then.
    """
    if len(files) < 2:
        raise ValueError(f"merging requires at least two files, got {len(files)}")
    check_separate(files)
    if check_target(target, files).exists():
        check_replaced(target)
    read = [storage.load_topics(name) for name in files]
    topics = merge_all(read, [str(name) for name in files], seed)
    # Sizes are taken of what was read: merging has changed copies of it.
    parts = [ModelSizes.of(name, one) for name, one in zip(files, read, strict=True)]
    if Interrupts.entered is not None:
        Interrupts.entered.at_stake = True  # a second Ctrl-C would leave a temporary file behind
    storage.save(topics, target)
    return MergeResult(topics, parts, ModelSizes.of(target, topics))


def check_separate(files: Sequence[Name]) -> None:
    """Raise if a file is named twice."""
    # A missing file is reported when it is read, with a better reason.
    for other, path in combinations([Path(name) for name in files if Path(name).exists()], 2):
        if path.samefile(other):
            raise ValueError(f"{path} is named twice; name each model once")


def check_replaced(target: Name) -> None:
    """Raise if the target is a checkpoint; an earlier result of merging may be replaced."""
    if isinstance(storage.load_as_saved(target), Checkpoint):
        raise ValueError(
            f"{target} is a checkpoint of learn --save and would be overwritten; name another file"
        )


def parse_names(arguments: Iterable[str]) -> dict[int, str]:
    """Return names by topic (from 0), parsed from arguments such as ``3=sport``.

    Examples
    --------
    >>> parse_names(["3=sport", "1=the weather"])
    {2: 'sport', 0: 'the weather'}
    """
    names = {}
    for argument in arguments:
        number, sign, name = argument.partition("=")
        if not sign or not number.strip().isdecimal() or int(number) < 1:
            raise ValueError(
                f"a name must have the form N=NAME, such as 3=sport, got {argument!r:.60}"
            )
        names[int(number) - 1] = name
    return names


def name_topics(path: Name, names: dict[int, str], level: int | str | None = None) -> TextTopics:
    """Set names of topics in a model file, and save it; return the topics.

    Raises
    ------
    StorageError
        If another process is learning into the file.
    """
    # Locked: `learn --save` would overwrite the names at its next checkpoint.
    with Lock(Path(path)):
        found = storage.load_as_saved(path)
        topics = found.topics if isinstance(found, Checkpoint) else found
        if not isinstance(topics, TextTopics):
            raise ValueError(f"{path} contains a {type(topics).__name__}, which has no names")
        n = topics.level(level)
        if unknown := [topic for topic in names if topic >= n]:
            raise ValueError(f"no topic {unknown[0] + 1}; topics are numbered 1 to {n}")
        for topic, name in names.items():
            topics.name(topic, name, level)
        storage.save(found, path)
    return topics
