"""Lock: only one process at a time learns into a model file."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from spectralleader.errors import StorageError

WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


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
        # No lock by mere existence where the system has none: a killed process would leave it.
        self._lock = FileLock(self.path, 0, thread_local=False, fallback_to_soft=False)

    def __enter__(self) -> Lock:
        try:
            self._lock.acquire()
        except Timeout as error:
            raise StorageError(
                f"another process{read_owner(self.path)} is learning into {self._for}: wait for "
                "it, stop it, or save to another file"
            ) from error
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS:
                raise StorageError(f"cannot save to {self._for}: {error.strerror}") from error
            self.is_held = False
        with suppress(OSError):  # on a full disk the lock is held, but does not name its owner
            self.path.write_text(f"{os.getpid()}\n")
        return self

    def __exit__(self, *_: object) -> None:
        # Deleted before it is released, or another process's new lock file could be deleted.
        with suppress(OSError):  # Windows cannot delete an open file
            self.path.unlink(missing_ok=True)
        self._lock.release()


def read_owner(path: Path) -> str:
    """Return " (process ID)" of the lock's owner, or an empty string if unknown."""
    with suppress(OSError, ValueError):
        return f" (process {int(path.read_text())})"
    return ""
