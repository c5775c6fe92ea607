"""Compilation of kernels: one decorator, a cache on disk, and progress reports."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.misc.appdirs import AppDirs

from spectralleader.runtime.interrupts import DEFER_SIGNALS, Interrupts

PACKAGE = Path(__file__).parents[1]
REORDER = {"reassoc", "contract", "nsz"}  # sums in any order, fused multiply-add, one zero
# Without wrappers for C callers, which saves a second of compilation in total.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": REORDER,
    "no_cfunc_wrapper": True,
}
WITHOUT_COUNTS = {**OPTIONS, "_nrt": False}
INNER = {**WITHOUT_COUNTS, "no_cpython_wrapper": True}
COMPILING_LINE = "compiling kernels for this machine, once: takes some 10 seconds"
ERASE = "\r\x1b[K"
NO_CACHE = (
    "spectralleader: {}, so kernels are compiled again in every process, which takes some "
    "20 seconds; set NUMBA_CACHE_DIR to a folder that can be written\n"
)
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

KERNELS: list[Any] = []  # of all modules imported so far


def kernel(function: Kernel) -> Kernel:
    """Compile a function of arrays on first use, and cache the machine code on disk.

    Division follows NumPy: no exception on zero. Sums may be reordered, so that they fill vector
    registers: equal to the loop written out but for rounding, and the same bits at every run.
    Infinities and NaN keep their meaning. A loop that sums must not store anything: LLVM compiles a
    loop with stores twice, with and without vector registers, and chooses by where arrays lie in
    memory, so that the last bits of the sum would depend on that.

    A kernel returns nothing, a number or arrays: making any other object of its result runs Python
    code, in which a signal could be handled.
    """
    # An array that a kernel returns costs about 1.3 us, because its type is rebuilt twice; one that
    # is passed in costs 0.05 us. Small kernels on the path of every step write into arguments.
    return _compile(function, OPTIONS)


def in_place(function: Kernel) -> Kernel:
    """Compile a kernel that makes no array: it writes into its arguments, or returns numbers.

    Its arrays need no reference counts, which about halves what a call with many arrays
    costs, and saves some of the compilation.
    """
    return _compile(function, WITHOUT_COUNTS)


def _compile(function: Kernel, options: dict[str, Any]) -> Kernel:
    compiled = numba.njit(**options)(function)
    try:
        cast(Any, compiled)._cache = cast(Any, KernelCache)(function)
    except RuntimeError:  # no folder that can be written or has this kernel
        COMPILING.has_cache = False
    KERNELS.append(compiled)
    return cast(Kernel, compiled)


def inlined(function: Kernel) -> Kernel:
    """Inline a function into the one kernel that calls it: it is only typed and optimised there.

    On its own it would be compiled twice, alone and within the kernel. Tests may call it.
    """
    return cast(Kernel, numba.njit(inline="always", **OPTIONS)(function))


def shared(function: Kernel) -> Kernel:
    """Compile a function that several kernels call, and Python does not.

    It has no place in the cache of its own. It makes and returns no array, so that its arrays need
    no reference counts: these take more time than the E-step of a short document.
    """
    return cast(Kernel, numba.njit(**INNER)(function))


@cache
def source_digest() -> bytes:
    """Return a digest of all files with kernels, in about 10 ms."""
    files = sorted(PACKAGE.rglob("*.py"))
    sources = [
        source for path in files if b"runtime.compiled import" in (source := path.read_bytes())
    ]
    return sha256(b"".join(sources)).digest()


@cache
def is_writable(folder: Path) -> bool:
    """Return whether files can be created in a folder, which is created if it is missing."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return True
    return False


class KernelFiles(CompileResultCacheImpl):
    """The files with a kernel's machine code, and for Numba the locator that finds them.

    They are in the first folder that can be written or, as in an image, has this kernel. Numba
    compares the file of a kernel with that of the cached machine code, but not the files of kernels
    that it calls, which are part of that machine code. So all files with kernels are compared:
    after an upgrade, or an edit, nothing old is used.
    """

    locator: Any = None  # properties of the base
    filename_base = ""

    def __init__(self, function: Any) -> None:
        file, self.locator = Path(function.__code__.co_filename), self
        name = f"{file.stem}.{function.__qualname__}-{sys.implementation.cache_tag}"
        self.filename_base = name
        apart = f"{file.parent.name}_{sha256(bytes(file.parent)).hexdigest()}"
        user_cache = cast(Any, AppDirs)("numba", appauthor=False).user_cache_dir
        folders = [file.parent / "__pycache__", Path(user_cache, apart)]
        if preferred := cast(Any, numba.config).CACHE_DIR:  # the variable NUMBA_CACHE_DIR
            folders.insert(0, Path(preferred, apart))
        for folder in folders:
            if is_writable(folder) or any(folder.glob(f"{name}*.nbi")):
                self.folder = folder
                return
        raise RuntimeError

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self.folder)

    def ensure_cache_path(self) -> None:
        """Accept the folder as it is: saving may fail."""

    def get_source_stamp(self) -> bytes:
        """Return what must be equal for machine code to be used."""
        return source_digest()


class KernelCache(FunctionCache):
    """Numba's cache, except that failures are ignored: the kernel is then not cached."""

    _impl_class = KernelFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return cached machine code, or None if it is missing or unreadable."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # whatever a damaged file may cause
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache machine code if possible."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:  # the disk is full, the folder can only be read
            COMPILING.has_cache = False
            COMPILING.lament(f"compiled kernels cannot be saved ({error.strerror})")


class Compiling(event.Listener):
    """Compiling, as it happens: it is reported, and signals wait for its end.

    An exception inside of numba's compiler would leave it with kernels that are half there. Before
    a kernel it does no harm, but might break off the step that needs the kernel: so it is raised
    there only if asked for.
    """

    def __init__(self) -> None:
        self.thread_hooks = ThreadHooks()  # another may be in a step, which must come to its end
        self.report: Callable[[bool], None] = show  # whether kernels are being compiled
        self.has_cache = True
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """Report that a kernel is about to be compiled; an interrupt is raised here."""
        if self._is_ours(event):
            DEFER_SIGNALS.__enter__()
            if self._depth == 0:
                self._began = perf_counter()
            self._depth += 1
            if not self.has_cache:
                self.lament("no folder for compiled kernels can be written")
            self.report(True)
            self.thread_hooks.before_each()

    def on_end(self, event: Any) -> None:
        """Report the end of the outermost compilation."""
        if self._is_ours(event):
            self._depth -= 1
            if self._depth == 0:
                self.thread_hooks.seconds += perf_counter() - self._began
                self.report(False)
            DEFER_SIGNALS.__exit__()

    @staticmethod
    def _is_ours(event: Any) -> bool:
        # Other packages compile with Numba, too: their signals and reports are their own.
        return bool(event.data["dispatcher"].py_func.__module__.startswith("spectralleader."))

    def lament(self, why: str) -> None:
        """Print once why kernels are not cached."""
        if self.lament_once:
            self.lament_once = False
            say(NO_CACHE.format(why))

    lament_once = True


def nothing(*_: object) -> None:
    """Do nothing: the default hook before a kernel is compiled."""


class ThreadHooks(threading.local):
    """What is done by the thread that compiles a kernel, before it does so; it may raise."""

    def __init__(self) -> None:
        self.before_each: Callable[[], None] = nothing
        self.seconds = 0.0  # spent compiling


@contextmanager
def before_each_kernel(call: Callable[[], None]) -> Iterator[None]:
    """Call a function before this thread compiles each kernel; it may raise."""
    mine = COMPILING.thread_hooks
    before, mine.before_each = mine.before_each, call
    try:
        yield
    finally:
        mine.before_each = before


def say(text: str) -> None:
    """Write to standard error, ignoring failures."""
    with suppress(Exception):  # it may be full, closed, missing or replaced by another object
        sys.stderr.write(text)
        sys.stderr.flush()


def show(is_compiling: bool) -> None:  # noqa: FBT001  # a callback
    """Show on a terminal, or once in a command's log, that kernels are being compiled."""
    if is_terminal(sys.stderr):
        say(ERASE + (COMPILING_LINE if is_compiling else ""))
    elif is_compiling and Interrupts.entered is not None and Interrupts.entered.owns_process:
        COMPILING.report = nothing  # it was reported
        say(f"{COMPILING_LINE}\n")


def is_terminal(stream: Any) -> bool:
    """Return whether a stream is a terminal; False if it is closed or cannot tell."""
    with suppress(Exception):  # programs put objects of their own in its place
        return bool(stream.isatty())
    return False


COMPILING = Compiling()
cast(Any, event).register("numba:compile", COMPILING)
