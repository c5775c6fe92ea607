"""Single-threaded BLAS: the products here are small, and more threads would be slower.

On two cores that others use too, `hedged` took five times as long with the threads that OpenBLAS
starts by itself. Its number is of the whole process, and is put back when the last user has ended.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

# Environment variables that take effect before NumPy is imported.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Modules in `linalg` that use the libraries of NumPy and SciPy; if they cannot be found or do not,
# the threads are left alone.
MODULES = {"numpy": "lapack_lite", "scipy": "cython_blas"}
# Names in these libraries; others, such as Accelerate, are not changed.
NAMES = [
    f"{prefix}_{{}}_num_threads{suffix}"
    for prefix in ("scipy_openblas", "openblas")
    for suffix in ("64_", "_64", "")
]


class Threads(NamedTuple):
    """The thread count of one BLAS library."""

    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def libraries() -> tuple[Threads, ...]:
    """Return the BLAS libraries whose thread count can be set."""
    settable = []
    for package, module in MODULES.items():
        # Loaded without importing it: `scipy.linalg` would be a tenth of a start.
        for path in Path(import_module(package).__path__[0], "linalg").glob(f"{module}.*"):
            with suppress(OSError):  # a stub with types
                library = ctypes.CDLL(str(path))
                names = [name for name in NAMES if hasattr(library, name.format("set"))]
                for name in names[:1]:
                    settable.append(Threads(*(library[name.format(x)] for x in ("get", "set"))))
    return tuple(settable)


class OneThread:
    """A context manager, for any number of threads, in which BLAS uses one thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_entered = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            # The number is that of the process: the first to enter sets it, the last puts it back.
            if self._n_entered == 0:
                self._before = [threads.get() for threads in libraries()]
                for threads in libraries():
                    threads.set(1)
            self._n_entered += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_entered -= 1
            if self._n_entered == 0:
                for threads, n in zip(libraries(), self._before, strict=True):
                    threads.set(n)


ONE_BLAS_THREAD = OneThread()
