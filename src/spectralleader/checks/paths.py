"""Checks of the files that a command reads and writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from spectralleader.errors import StorageError

Name = str | os.PathLike[str]


def check_target(target: Name, inputs: Iterable[Name] = (), *, is_replaced: bool = True) -> Path:
    """Return the path if a file can be saved there, as far as this can be known in advance.

    Parameters
    ----------
    inputs : iterable of paths
        What the command reads, which must not be overwritten. Those that are no files, such as "-"
        and addresses of streams, are ignored.
    is_replaced : bool
        Whether the file is replaced by renaming another one, which a device or pipe cannot be.

    Raises
    ------
    StorageError
        If it is a folder, an input or in an input folder, or if its folder is missing or not
        writable.
    """
    path, folder = Path(target), Path(target).absolute().parent
    reason = None
    if path.is_dir():
        reason = "it is a folder; name a file in it"
    elif is_replaced and path.exists() and not path.is_file():
        reason = "it is not a regular file"
    elif not folder.is_dir():
        reason = f"the folder {path.parent} does not exist"
    elif is_replaced and not os.access(folder, os.W_OK):
        reason = "the folder is not writable"
    for name in map(Path, inputs):
        # A device, such as /dev/null, may be read and written.
        if path.is_file() and name.exists() and path.samefile(name):
            reason = f"the input {name} would be overwritten; name another file"
        elif name.is_dir() and folder.is_dir() and folder.samefile(name):
            reason = f"all files in {name} are input; name another folder"
    if reason is not None:
        raise StorageError(f"cannot save to {path}: {reason}")
    return path


def check_model(path: Name) -> Path:
    """Return the path of a model that is to be read, if there is a regular file."""
    model = Path(path)
    # Opening a pipe would wait for a writer, and a device may have no end.
    if model.is_file():
        return model
    what = "does not exist"
    if model.exists():
        kind = "a folder" if model.is_dir() else "a device or a pipe"
        what = f"is {kind}, not a model file"
    raise StorageError(f"{path} {what}")
