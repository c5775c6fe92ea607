"""Storage: things saved in one file and loaded from it; no code is ever in it."""

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
from spectralleader.storage.container import pack, read, unpack
from spectralleader.storage.kinds import KINDS, find_kind, kind_of
from spectralleader.storage.migrations import FORMAT, migrate

__all__ = ["FORMAT", "KINDS", "check_target", "kind_of", "load", "save"]


def save(thing: Any, path: str | os.PathLike[str]) -> Path:
    """Write a `TextTopics`, learner, model, vocabulary, sample or documents to a file.

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
    # a state's arrays are those of the object: they are copied before the next step
    with guard_of(thing) if isinstance(thing, Guarded) else nullcontext():
        content = pack({**header, "state": thing.to_state()})
    return write(Path(path), content)


def load(path: str | os.PathLike[str]) -> Any:
    """Return what was saved in a file, also by an earlier version.

    The file is not trusted: nothing in it is executed, it takes no more memory than a small
    multiple of its size, and what does not fit together is refused, wherever it comes from.

    Raises
    ------
    StorageError
        If the file is not there, is none of ours, is damaged, or is of a newer version.
    """
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
