"""Single-threaded BLAS: the products here are small, and more threads would be slower.

On two cores that others use too, `hedged` took five times as long with the threads that OpenBLAS
starts by itself. Its number is of the whole process, and is put back when the last user has ended.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

# Environment variables that take effect before NumPy is imported.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Modules in `linalg` that use the libraries of NumPy and SciPy.
MODULES = {"numpy": "_umath_linalg", "scipy": "_fblas"}
# Names in these libraries; others, such as Accelerate, are not changed.
NAMES = [
    (prefix, suffix) for prefix in ("scipy_openblas", "openblas") for suffix in ("64_", "_64", "")
]


class Threads(NamedTuple):
    """The thread count of one BLAS library."""

    get: Callable[[], int]
    set: Callable[[int], None]


@cache
def libraries() -> tuple[Threads, ...]:
    """Return the BLAS libraries whose thread count can be set."""
    found = []
    for package, module in MODULES.items():
        # Loaded without importing it: `scipy.linalg` would be a tenth of a start.
        folders = [str(Path(place, "linalg")) for place in import_module(package).__path__]
        spec = PathFinder.find_spec(module, folders)
        if spec is None or spec.origin is None:
            continue
        try:
            library = ctypes.CDLL(spec.origin)
        except OSError:
            continue
        for prefix, suffix in NAMES:
            if hasattr(library, f"{prefix}_set_num_threads{suffix}"):
                names = (f"{prefix}_{verb}_num_threads{suffix}" for verb in ("get", "set"))
                found.append(Threads(*(getattr(library, name) for name in names)))
                break
    return tuple(found)


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
                self._before = [one.get() for one in libraries()]
                for one in libraries():
                    one.set(1)
            self._n_entered += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_entered -= 1
            if self._n_entered == 0:
                for one, n in zip(libraries(), self._before, strict=True):
                    one.set(n)


ONE_BLAS_THREAD = OneThread()
