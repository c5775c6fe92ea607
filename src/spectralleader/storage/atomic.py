"""Atomic replacement of a file: at any instant the old or the new one is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from spectralleader.checks.paths import check_target
from spectralleader.errors import StorageError
from spectralleader.runtime.interrupts import DEFER_SIGNALS

NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP)  # the file system cannot fsync folders


def write(path: Path, content: bytes) -> Path:
    """Replace a file atomically: write a temporary file beside it, then rename it.

    The content is synced to disk before the rename, and the rename before this returns. Signals are
    held back meanwhile, so that a handler that raises leaves no temporary file behind.
    """
    with DEFER_SIGNALS:
        try:
            # Resolved to write through a symbolic link, instead of replacing it.
            _replace(check_target(path).resolve(), content)
        except OSError as error:
            raise StorageError(f"cannot save to {path}: {error.strerror or error}") from error
    return path


def _replace(target: Path, content: bytes) -> None:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    file = open(beside, "xb")  # noqa: SIM115  # before `try`: never delete a file of others
    try:
        with file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # keep the permissions, if there was a file
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        # The content must be on the disk first, or a power failure could leave an empty file.
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder's directory entries to disk, which makes a rename durable."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # no right to list it, or Windows, where folders cannot be opened
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NOT_OFFERED:
            raise
    finally:
        os.close(handle)
