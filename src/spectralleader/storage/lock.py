"""Lock: only one process at a time learns into a model file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from spectralleader.errors import StorageError

PLACE = 2**30  # offset of the byte locked on Windows, beyond the content that others read


class Lock:
    """A context manager that locks a file by a lock file beside it, which contains the process id.

    The operating system releases the lock when the process ends, so a lock file left by a killed
    process does not block others. On file systems without locks nothing is locked, and `is_held` is
    False.

    Raises
    ------
    StorageError
        If another process holds the lock, or the lock file cannot be created.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._for = Path(path)
        real = self._for.resolve()  # a symbolic link and its target are one model
        self.path = real.with_name(f"{real.name}.lock")
        self.is_held = True  # meaningful while entered
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Lock:
        while self._file is None:
            file = self._open()
            try:
                take(file)
            except (BlockingIOError, PermissionError) as error:
                owner = read_owner(file)
                file.close()
                raise StorageError(
                    f"another process{owner} is learning into {self._for}: wait for it, stop it, "
                    "or save to another file"
                ) from error
            except OSError:
                self.is_held = False
            if self._is_there(file):
                self._file = file
            else:  # the previous owner deleted it between opening and locking: try again
                file.close()
        with suppress(OSError):  # on a full disk the lock is held, but does not name its owner
            self._file.truncate(0)
            self._file.write(f"{os.getpid()}\n".encode())
        return self

    def _open(self) -> IO[bytes]:
        try:
            return os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise StorageError(f"cannot save to {self._for}: {error.strerror}") from error

    def _is_there(self, file: IO[bytes]) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.stat(self.path))
        except FileNotFoundError:
            return False

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            return
        # Delete it before releasing it, or another process's new lock file could be deleted.
        if os.name != "nt":
            self.path.unlink(missing_ok=True)
        self._file.close()
        self._file = None
        if os.name == "nt":  # Windows cannot delete an open file, so neither ours nor another's
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def read_owner(file: IO[bytes]) -> str:
    """Return " (process ID)" of the lock's owner, or an empty string if unknown."""
    with suppress(OSError, ValueError):
        return f" (process {int(file.read(20))})"
    return ""


if sys.platform == "win32":
    import msvcrt

    def take(file: IO[bytes]) -> None:
        """Lock a file without waiting; raise `OSError` if it is locked."""
        file.seek(PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(0)

else:
    import fcntl

    def take(file: IO[bytes]) -> None:
        """Lock a file without waiting; raise `OSError` if it is locked."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
