"""How a kernel is compiled: one decorator, so that every kernel is compiled alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile a plain function of arrays on first use and keep the machine code on disk.

    Division follows NumPy (no exception on zero) and nothing is reordered, so a kernel gives the
    same bits as its loop written out.
    """
    return cast(Kernel, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
