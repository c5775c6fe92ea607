"""Names of topics, as arguments give them, in a model file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from spectralleader import storage
from spectralleader.storage import Checkpoint
from spectralleader.storage.lock import Lock
from spectralleader.topics.text_topics import TextTopics


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


def name_topics(
    path: str | os.PathLike[str], names: dict[int, str], level: int | str | None = None
) -> TextTopics:
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
