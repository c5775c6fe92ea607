"""First use on a machine: a process of its own compiles the kernels, this one loads them.

Machine code that was just compiled and the same code loaded from the cache may differ in the last
bit of a sum, because functions that several kernels share are linked in another order. So nothing
is computed by what was just compiled, where that can be helped: a run that was the first on its
machine is resumed bit for bit. And a process can be ended at once, a compiler cannot.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from spectralleader.runtime.compiled import COMPILING, before_each_kernel
from spectralleader.runtime.interrupts import look

PROGRAM = """
import json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given.pop("path")
from spectralleader.runtime.first_use import compile_here
compile_here(**given)
"""
NO_CACHE = 3  # exit code of a process that compiles in vain
WAIT = 0.05  # seconds between two looks at it


class NotCompiledError(Exception):
    """A kernel is needed that the cache does not have."""


def use_first(function: Callable[..., object], *arguments: str | bool) -> None:
    """Have all kernels that a function of a module uses ready, or be interrupted.

    It is called on nothing that counts, and may be left before any kernel.
    """
    if COMPILING.has_cache and _is_python(sys.executable):
        try:
            with before_each_kernel(_refuse):
                function(*arguments)
            return
        except NotCompiledError:
            _compile_apart(function, arguments)
    with before_each_kernel(look):
        function(*arguments)


def _refuse() -> None:
    look()
    raise NotCompiledError


def _is_python(program: str | None) -> bool:
    """Return whether a program is Python, and not one that has Python in it."""
    return program is not None and Path(program).name.startswith("python")


def _compile_apart(function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    """Compile in another process; if that cannot be, nothing is lost but time."""
    given = {
        "path": sys.path,
        "module": function.__module__,
        "name": function.__name__,
        "arguments": arguments,
    }
    program = [sys.executable, "-c", PROGRAM, json.dumps(given)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        child = subprocess.Popen(program, **pipes, text=True)  # type: ignore[call-overload]
    except OSError:
        return
    try:
        _watch(child)
    finally:
        child.kill()
        child.wait()
        COMPILING.report(0, 0)


def _watch(child: subprocess.Popen[str]) -> None:
    """Report how far another process is, until it ends."""
    counts: list[list[int]] = []

    def read(lines: IO[str]) -> None:
        with lines, suppress(ValueError, OSError):
            for line in lines:
                counts.append([int(word) for word in line.split()])

    threading.Thread(target=read, args=(child.stdout,), daemon=True).start()
    n_reported = 0
    while child.poll() is None:
        if len(counts) > n_reported:
            n_reported = len(counts)
            COMPILING.report(*counts[-1])
        with suppress(subprocess.TimeoutExpired):
            child.wait(WAIT)
        look()


def compile_here(module: str, name: str, arguments: list[Any]) -> None:
    """Call a function by its name for what it compiles, and print how far that is."""

    def give_up_in_vain() -> None:
        if not COMPILING.has_cache:
            sys.exit(NO_CACHE)

    COMPILING.report = lambda n, n_kernels: print(n, n_kernels, flush=True) if n else None
    with before_each_kernel(give_up_in_vain):
        getattr(import_module(module), name)(*arguments)
