"""What is saved in one file, loaded from it, and merged; no code is ever in a file.

Here belong the container, its checks and its locks. What an object saves is its own `to_state`.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from spectralleader import __version__
from spectralleader.errors import StorageError
from spectralleader.runtime.guard import Guarded, guard_of
from spectralleader.runtime.interrupts import HOLD
from spectralleader.storage.atomic import check_target, write
from spectralleader.storage.checkpoint import Checkpoint
from spectralleader.storage.container import pack, read, unpack
from spectralleader.storage.kinds import KINDS, find_kind, kind_of
from spectralleader.storage.migrations import FORMAT, migrate

__all__ = [
    "FORMAT",
    "KINDS",
    "Checkpoint",
    "check_target",
    "kind_of",
    "load",
    "load_as_saved",
    "load_checkpoint",
    "save",
]


def save(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Write a `TextTopics`, checkpoint, learner, model, vocabulary, sample or documents to a file.

    The old file is there until the new one is whole; whatever happens, one of them is. Another
    thread may be learning: what is saved is what it had learned between two steps.

    Raises
    ------
    StorageError
        If the file cannot be written: no such folder, no room, no permission.

    Examples
    --------
    >>> import tempfile
    >>> from spectralleader import TopicModel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(TopicModel([1.0], [[0.5, 0.5]]), f"{folder}/my.model")
    ...     load(path)
    TopicModel(n_topics=1, n_words=2)
    """
    header = {"format": FORMAT, "kind": kind_of(thing), "library": __version__}
    inner = thing.topics if isinstance(thing, Checkpoint) else thing
    # a state's arrays are those of the object: they are copied before the next step
    with guard_of(inner) if isinstance(inner, Guarded) else nullcontext():
        content = pack({**header, "state": thing.to_state()})
    return write(Path(path), content)


def load(path: str | os.PathLike[str]) -> Any:
    """Return what was saved in a file; of a checkpoint, its topics.

    The file is not trusted: nothing in it is executed, it takes no more memory than a small
    multiple of its size, and what does not fit together is refused, wherever it comes from.

    Raises
    ------
    StorageError
        If the file is missing, not one of ours, damaged, or of another format.
    """
    found = load_as_saved(path)
    return found.topics if isinstance(found, Checkpoint) else found


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Return topics with their position in the input; errors as those of `load`."""
    found = load_as_saved(path)
    if not isinstance(found, Checkpoint):
        raise StorageError(
            f"{path} holds a {type(found).__name__} without a position in its input, so learning "
            "cannot resume from it"
        )
    return found


def load_as_saved(path: str | os.PathLike[str]) -> Any:
    """Return exactly what was saved in a file: a checkpoint stays one. Otherwise as `load`."""
    content = read(Path(path))
    with HOLD:  # what a signal handler raises would be taken for the file's fault
        return _rebuild(content, path)


def _rebuild(content: bytearray, path: str | os.PathLike[str]) -> Any:
    try:
        header = migrate(unpack(content))
        return find_kind(header["kind"]).from_state(header["state"])
    except StorageError as error:
        raise StorageError(f"{path} {error}") from error
    except ValueError as error:
        said = " ".join(str(error).split())
        raise StorageError(f"{path} is damaged: {said:.300}") from error
    except Exception as error:  # whatever a file made on purpose may cause
        raise StorageError(f"{path} is damaged: {error!r:.200}") from error
