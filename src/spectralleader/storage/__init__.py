"""Saving, loading and merging of models and learners; files never contain code.

This package holds the container format, its checks and its locks. Each class defines what is
stored in `to_state`.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from spectralleader import __version__
from spectralleader.errors import StorageError
from spectralleader.runtime.interrupts import DEFER_SIGNALS
from spectralleader.runtime.locks import ThreadSafe, lock_of
from spectralleader.storage.atomic import write
from spectralleader.storage.checkpoint import Checkpoint, Run
from spectralleader.storage.container import pack, read, unpack
from spectralleader.storage.kinds import FORMAT, KINDS, check_header, find_kind, kind_of
from spectralleader.topics.text_topics import TextTopics

__all__ = [
    "FORMAT",
    "KINDS",
    "Checkpoint",
    "kind_of",
    "load",
    "load_as_saved",
    "load_checkpoint",
    "load_topics",
    "load_with_run",
    "save",
]


def save(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Save a `TextTopics`, learner, model, vocabulary, sample, adapter or documents to a file.

    Return the path. The file is replaced atomically: after a crash it is either the old or the new
    one, complete. Another thread may be learning at the same time; the state between two of its
    steps is saved.

    Raises
    ------
    StorageError
        If the file cannot be written: missing folder, full disk or missing permission.
    TypeError
        If objects of this type cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> from spectralleader import TopicModel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(TopicModel([1.0], [[0.5, 0.5]]), f"{folder}/my.model")
    ...     load(path)
    TopicModel(n_topics=1, n_words=2)
    """
    # The library's version is for the error message of an older library alone.
    header = {"format": FORMAT, "kind": kind_of(thing), "library": __version__}
    inner = thing.topics if isinstance(thing, Checkpoint) else thing
    # `to_state` returns the object's own arrays, so copy them before the next step changes them.
    with lock_of(inner) if isinstance(inner, ThreadSafe) else nullcontext():
        content = pack({**header, "state": thing.to_state()})
    return write(Path(path), content)


def load(path: str | os.PathLike[str]) -> Any:
    """Return the object saved in a file; for a checkpoint, its topics.

    Files are not trusted: nothing in them is executed, loading takes at most a small multiple of
    the file's size in memory, and inconsistent content is rejected.

    Raises
    ------
    StorageError
        If the file is missing, damaged, of another format, or was not saved by this library.
    """
    found = load_as_saved(path)
    return found.topics if isinstance(found, Checkpoint) else found


def load_topics(path: str | os.PathLike[str]) -> TextTopics:
    """Return the topics saved in a file, also by `learn --save`; raise the errors of `load`."""
    return load_with_run(path)[0]


def load_with_run(path: str | os.PathLike[str]) -> tuple[TextTopics, Run | None]:
    """Return saved topics, and if `learn --save` wrote them, the settings and losses of its run."""
    found = load_as_saved(path)
    topics, run = (found.topics, found.run) if isinstance(found, Checkpoint) else (found, None)
    if not isinstance(topics, TextTopics):
        raise StorageError(
            f"{path} contains a {type(topics).__name__}, not a model saved by learn --save"
        )
    return topics, run


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Return the saved topics with their position in the input; raise the errors of `load`."""
    found = load_as_saved(path)
    if not isinstance(found, Checkpoint):
        raise StorageError(
            f"{path} contains a {type(found).__name__} and no run of learn --save, so "
            "learning cannot resume from it"
        )
    return found


def load_as_saved(path: str | os.PathLike[str]) -> Any:
    """Return the object saved in a file, like `load`, but return checkpoints as such."""
    content = read(Path(path))
    # An exception raised by a signal handler would be reported as a damaged file.
    with DEFER_SIGNALS:
        return _rebuild(content, path)


def _rebuild(content: bytearray, path: str | os.PathLike[str]) -> Any:
    try:
        header = check_header(unpack(content))
        return find_kind(header["kind"]).from_state(header["state"])
    except StorageError as error:
        raise StorageError(f"{path} {error}") from error
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise StorageError(f"{path} is damaged: {reason:.300}") from error
    except Exception as error:  # a malicious file may cause any of them
        raise StorageError(f"{path} is damaged: {error!r:.200}") from error
