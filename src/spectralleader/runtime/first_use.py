"""First use on a machine: subprocesses compile the kernels, and this process loads them.

Machine code that was just compiled and the same code loaded from the cache may differ in the last
bit of a sum, because functions that several kernels share are linked in another order. So nothing
is computed by what was just compiled, where that can be helped: a run that was the first on its
machine is resumed bit for bit. And a process can be ended at once, a compiler cannot.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

from spectralleader.runtime.blas import THREAD_VARIABLES
from spectralleader.runtime.compiled import COMPILING, KERNELS, before_each_kernel
from spectralleader.runtime.interrupts import raise_if_interrupted

PROGRAM = """
import json, os, sys
given = json.loads(sys.argv[1])
sys.path[:] = given.pop("path")
from spectralleader.runtime.first_use import compile_here
compile_here(**given)
os._exit(0)  # nothing is left to clean up, which would take a tenth of a second
"""
NO_CACHE = 3  # exit code of a process that compiles in vain
WAIT = 0.05  # seconds between two looks at it
N_PROCESSES = 2  # that compile at the same time; functions that kernels share are compiled by each
# Where a process can be copied, numba is loaded and set up once for all: 0.8 CPU seconds each.
CAN_FORK = sys.platform == "linux"


class NotCompiledError(Exception):
    """Raised if a kernel is not in the cache."""


Call = tuple[Callable[..., object], tuple[str | bool, ...]]  # of a function of a module


def use_first(
    function: Callable[..., object],
    *arguments: str | bool,
    parts: Sequence[Sequence[Call]] = (),
) -> None:
    """Make sure that all kernels used by a function are compiled; interrupts are raised.

    It is called on nothing that counts, and may be left before any kernel.

    Parameters
    ----------
    function : callable
        A function of a module.
    *arguments
        Its arguments.
    parts : sequence of sequences of calls
        Calls that together use most of its kernels, those of each part in one process, the largest
        part first: two processes take the next part whenever they have compiled one.
    """
    if COMPILING.has_cache and _is_python(sys.executable):
        whole: Call = (function, arguments)
        for wanted in ([list(part) for part in parts], [[whole]]):
            if _is_ready(whole):
                return
            if wanted:
                _compile_apart(wanted)
    with before_each_kernel(raise_if_interrupted):
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
    raise_if_interrupted()
    raise NotCompiledError


def _is_python(program: str | None) -> bool:
    """Return whether a program is Python, and not one that has Python in it."""
    return program is not None and Path(program).name.startswith("python")


def _compile_apart(parts: Sequence[Sequence[Call]]) -> None:
    """Compile in subprocesses; if that fails, kernels are compiled when they are used."""
    children, n = list[subprocess.Popen[str]](), min(N_PROCESSES, len(parts))
    queue, entrance = os.pipe()  # a subprocess compiles the parts whose numbers it reads
    os.write(entrance, bytes(range(len(parts))))
    os.close(entrance)
    try:
        with suppress(OSError):
            for _ in range(1 if CAN_FORK else n):
                children.append(_start(parts, n if CAN_FORK else 1, queue))
        _watch(children)
    finally:
        os.close(queue)
        for child in children:
            _end(child)
        COMPILING.report(0, 0)


def _start(parts: Sequence[Sequence[Call]], n_processes: int, queue: int) -> subprocess.Popen[str]:
    named = [[(call.__module__, call.__name__, given) for call, given in part] for part in parts]
    given = json.dumps({"path": sys.path, "parts": named, "n_processes": n_processes})
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, given],
        stdin=queue,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")},  # threads would not be copied
        process_group=0 if CAN_FORK else None,  # by which all copies can be ended
    )


def _end(child: subprocess.Popen[str]) -> None:
    """End a process and its copies, at once."""
    if child.poll() is None:
        if CAN_FORK:
            os.killpg(child.pid, signal.SIGKILL)
        child.kill()
    child.wait()


def _watch(children: Sequence[subprocess.Popen[str]]) -> None:
    """Report the progress of the subprocesses until they end."""
    begun = list[str]()  # a line for each kernel

    def read(lines: IO[str]) -> None:
        with lines, suppress(ValueError, OSError):
            begun.extend(lines)

    for child in children:
        threading.Thread(target=read, args=(child.stdout,), daemon=True).start()
    n_reported = 0
    while any(child.poll() is None for child in children):
        if len(begun) > n_reported:
            n_reported = len(begun)
            COMPILING.report(n_reported, len(KERNELS))
        time.sleep(WAIT)
        raise_if_interrupted()


def compile_here(parts: list[list[tuple[str, str, list[Any]]]], n_processes: int) -> None:
    """Call functions by their names for what they compile; print a line for each kernel.

    The numbers of parts to compile are read from standard input, and by copies of this process.
    """
    gc.disable()  # the process ends soon
    _remember_types()
    calls = [
        [(getattr(import_module(module), name), given) for module, name, given in part]
        for part in parts
    ]
    COMPILING.report = lambda n, n_kernels: print(flush=True) if n else None
    cpu_target.target_context.refresh()  # as numba does before its first kernel
    copy = os.fork() if n_processes > 1 else 0
    with before_each_kernel(_give_up_in_vain):
        while place := os.read(0, 1):
            for function, arguments in calls[place[0]]:
                function(*arguments)
    if copy:
        os.waitpid(copy, 0)


def _remember_types() -> None:
    """Let numba infer the type of an operation on types once, not wherever it occurs.

    Each time it would try all candidates, a dozen for a sum: a sixth of the time. This process
    compiles nothing but our kernels, whose options are equal but for reference counts.
    """
    infer: Callable[..., Any] = BaseFunction.get_call_type
    known = dict[Any, Any]()

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = cast(Any, ConfigStack).top_or_none()
        key = (function, tuple(args), tuple(dict(kws).items()), flags and flags.nrt)
        if key not in known:
            known[key] = infer(function, context, args, kws)
        return known[key]

    cast(Any, BaseFunction).get_call_type = get_call_type


def _give_up_in_vain() -> None:
    if not COMPILING.has_cache:
        sys.exit(NO_CACHE)
