"""Lock: one process at a time on a model file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from spectralleader.errors import StorageError

PLACE = 2**30  # of the byte that is locked on Windows: behind all that others may read


class Lock:
    """A lock file beside a file, held while entered; the system lets go of it with its process.

    So a lock file that a killed process left behind locks nobody out. It holds the process's id.
    Where the file system knows no locks, nobody is locked out at all, and `is_held` is false.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._for = Path(path)
        real = self._for.resolve()  # a link and what it points to are one model
        self.path = real.with_name(f"{real.name}.lock")
        self.is_held = True  # while it is entered
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
                    f"{self._for} is being learned by another process{owner}: wait for it, stop "
                    "it, or save to another file"
                ) from error
            except OSError:
                self.is_held = False
            if self._is_there(file):
                self._file = file
            else:  # its last owner has deleted it in between
                file.close()
        with suppress(OSError):  # a full disk: who holds the lock is not told, but it is held
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
        if os.name != "nt":  # while it is held, so that nobody else's is deleted
            self.path.unlink(missing_ok=True)
        self._file.close()
        self._file = None
        if os.name == "nt":  # where an open file cannot be deleted; nor can one that is held
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def read_owner(file: IO[bytes]) -> str:
    """Return who holds a lock, in words; nothing if it is not known."""
    with suppress(OSError, ValueError):
        return f" (process {int(file.read(20))})"
    return ""


if sys.platform == "win32":
    import msvcrt

    def take(file: IO[bytes]) -> None:
        """Lock a file, or raise."""
        file.seek(PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(0)

else:
    import fcntl

    def take(file: IO[bytes]) -> None:
        """Lock a file, or raise."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
