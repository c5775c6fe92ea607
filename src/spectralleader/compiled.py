"""How a kernel is compiled: one decorator, so that every kernel is compiled alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

REORDER = {"reassoc", "contract", "nsz"}  # sums in any order, fused multiply-add, one zero
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile a plain function of arrays on first use and keep the machine code on disk.

    Division follows NumPy: no exception on zero. Sums may be reordered, so that they fill vector
    registers: equal to the loop written out but for rounding, and the same bits at every run.
    Infinities and NaN keep their meaning.
    """
    compile_it = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=REORDER)
    return cast(Kernel, compile_it(function))


def is_compiled(compiled: Callable[..., Any]) -> bool:
    """Say whether a kernel's machine code is on disk, from this run or an earlier one."""
    folder = Path(cast(Any, compiled).stats.cache_path)
    return any(folder.glob(f"*.{compiled.__name__}-*.nbi"))
