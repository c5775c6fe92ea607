"""Checks of the files that a command reads and writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def check_kept(target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if writing the target would overwrite an input, or add a file to an input folder.

    Inputs that are no files, such as "-" and addresses of streams, are ignored.
    """
    path = Path(target)
    for name in map(Path, inputs):
        # A device, such as /dev/null, may be read and written.
        if path.is_file() and name.exists() and path.samefile(name):
            raise ValueError(f"the input {name} would be overwritten; name another file")
        if name.is_dir() and path.absolute().parent.samefile(name):
            raise ValueError(f"all files in {name} are input; save to another folder")


def describe_missing(path: str | os.PathLike[str]) -> str:
    """Return why a path is not a regular file, for a message."""
    found = Path(path)
    if found.is_dir():
        return f"{path} is a folder, not a model file"
    if found.exists():
        return f"{path} is a device or a pipe, not a model file"
    return f"{path} does not exist"
