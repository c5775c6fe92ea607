"""First use on a machine: a subprocess compiles the kernels, and this process loads them.

Machine code that was just compiled and the same code loaded from the cache may differ in the last
bit of a sum, because functions that several kernels share are linked in another order. So nothing
is computed by what was just compiled, where that can be helped: a run that was the first on its
machine is resumed bit for bit. And a process can be ended at once, a compiler cannot.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from spectralleader.runtime.compiled import COMPILING, before_each_kernel
from spectralleader.runtime.interrupts import raise_if_interrupted


class NotCompiledError(Exception):
    """Raised if a kernel is not in the cache."""


def use_first(function: Callable[..., object], *arguments: str | bool) -> None:
    """Make sure that all kernels used by a function are compiled; interrupts are raised.

    It is called on nothing that counts, and may be left before any kernel.

    Parameters
    ----------
    function : callable
        A function of a module.
    *arguments
        Its arguments.
    """
    if COMPILING.has_cache and _is_python(sys.executable):
        try:
            with before_each_kernel(_refuse):
                function(*arguments)
                return
        except NotCompiledError:
            _compile_apart(function, *arguments)
    with before_each_kernel(raise_if_interrupted):
        function(*arguments)


def _refuse() -> None:
    raise_if_interrupted()
    raise NotCompiledError


def _is_python(program: str | None) -> bool:
    """Return whether a program is Python, and not one that has Python in it."""
    return program is not None and Path(program).name.startswith("python")


def _compile_apart(function: Callable[..., object], *arguments: str | bool) -> None:
    """Compile in a subprocess; if that fails, kernels are compiled when they are used."""
    name, nowhere = function.__name__, subprocess.DEVNULL
    program = f"""import sys; sys.path[:] = {sys.path}
from {function.__module__} import {name}; {name}(*{arguments})"""
    command = [sys.executable, "-c", program]
    COMPILING.report(True)
    try:
        with suppress(OSError):
            subprocess.run(command, check=False, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    finally:
        COMPILING.report(False)
    raise_if_interrupted()
