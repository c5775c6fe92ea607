"""First use on a machine: processes of their own compile the kernels, this one loads them.

Machine code that was just compiled and the same code loaded from the cache may differ in the last
bit of a sum, because functions that several kernels share are linked in another order. So nothing
is computed by what was just compiled, where that can be helped: a run that was the first on its
machine is resumed bit for bit. And a process can be ended at once, a compiler cannot.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from spectralleader.runtime.compiled import COMPILING, KERNELS, before_each_kernel
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


Call = tuple[Callable[..., object], tuple[str | bool, ...]]  # of a function of a module


def use_first(
    function: Callable[..., object],
    *arguments: str | bool,
    parts: Sequence[Sequence[Call]] = (),
) -> None:
    """Have all kernels that a function of a module uses ready, or be interrupted.

    It is called on nothing that counts, and may be left before any kernel.

    Parameters
    ----------
    function : callable
        A function of a module.
    *arguments
        Its arguments.
    parts : sequence of sequences of calls
        Calls that together use most of its kernels: each sequence is compiled by a process of its
        own, at the same time.
    """
    if COMPILING.has_cache and _is_python(sys.executable):
        whole: Call = (function, arguments)
        for wanted in ([list(part) for part in parts], [[whole]]):
            if _is_ready(whole):
                return
            if wanted:
                _compile_apart(wanted)
    with before_each_kernel(look):
        function(*arguments)


def _is_ready(call: Call) -> bool:
    """Return whether a call finds all its kernels in the cache."""
    function, arguments = call
    try:
        with before_each_kernel(_refuse):
            function(*arguments)
    except NotCompiledError:
        return False
    return True


def _refuse() -> None:
    look()
    raise NotCompiledError


def _is_python(program: str | None) -> bool:
    """Return whether a program is Python, and not one that has Python in it."""
    return program is not None and Path(program).name.startswith("python")


def _compile_apart(parts: Sequence[Sequence[Call]]) -> None:
    """Compile in other processes, one per part; if that cannot be, nothing is lost but time."""
    children = list[subprocess.Popen[str]]()
    try:
        with suppress(OSError):
            for part in parts:
                children.append(_start(part))
        _watch(children)
    finally:
        for child in children:
            child.kill()
            child.wait()
        COMPILING.report(0, 0)


def _start(part: Sequence[Call]) -> subprocess.Popen[str]:
    calls = [(call.__module__, call.__name__, arguments) for call, arguments in part]
    program = [sys.executable, "-c", PROGRAM, json.dumps({"path": sys.path, "calls": calls})]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(program, **pipes, text=True)  # type: ignore[call-overload, no-any-return]


def _watch(children: Sequence[subprocess.Popen[str]]) -> None:
    """Report how far other processes are, until they end."""
    counts = [0 for _ in children]  # of kernels that each has begun

    def read(i: int, lines: IO[str]) -> None:
        with lines, suppress(ValueError, OSError):
            for line in lines:
                counts[i] = int(line)

    for i, child in enumerate(children):
        threading.Thread(target=read, args=(i, child.stdout), daemon=True).start()
    n_reported = 0
    while any(child.poll() is None for child in children):
        if sum(counts) > n_reported:
            n_reported = sum(counts)
            COMPILING.report(n_reported, len(KERNELS))
        time.sleep(WAIT)
        look()


def compile_here(calls: list[tuple[str, str, list[Any]]]) -> None:
    """Call functions by their names for what they compile, and print how far that is."""
    gc.disable()  # the process ends soon

    def give_up_in_vain() -> None:
        if not COMPILING.has_cache:
            sys.exit(NO_CACHE)

    COMPILING.report = lambda n, n_kernels: print(n, flush=True) if n else None
    with before_each_kernel(give_up_in_vain):
        for module, name, arguments in calls:
            getattr(import_module(module), name)(*arguments)
