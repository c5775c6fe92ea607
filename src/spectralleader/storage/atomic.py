"""Writing a file at once: at any instant the old one or the new one is whole."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from spectralleader.errors import StorageError
from spectralleader.runtime.interrupts import HOLD

NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP)  # by a file system that cannot sync folders


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return a path that a file can be saved to, as far as one can tell before doing it."""
    path = Path(path)
    if path.is_dir():
        raise StorageError(f"cannot save to {path}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():  # a device or pipe would be replaced by a file
        raise StorageError(f"cannot save to {path}: it is no ordinary file")
    if not path.absolute().parent.is_dir():
        raise StorageError(f"cannot save to {path}: there is no folder {path.parent}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise StorageError(f"cannot save to {path}: the folder cannot be written to")
    return path


def write(path: Path, content: bytes) -> Path:
    """Put a file in its place at once: written beside it, then renamed.

    What is written is on the disk before the old file goes, and the renaming is when this returns.
    Signals wait meanwhile, so that a handler that raises leaves nothing behind.
    """
    target = check_target(path).resolve()  # a link stays a link
    with HOLD:
        try:
            _replace(target, content)
        except OSError as error:
            raise StorageError(f"cannot save to {path}: {error.strerror or error}") from error
    return path


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    file = open(beside, "xb")  # noqa: SIM115  # outside: a file that is there is not ours
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # a private file stays private, where files can be
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    _sync(target.parent)


def _sync(folder: Path) -> None:
    """Have the folder's list of names on the disk: a file that was renamed keeps its new name."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # not to be listed, or on Windows, where folders are not opened
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NOT_OFFERED:
            raise
    finally:
        os.close(handle)
