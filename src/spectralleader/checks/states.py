"""Validation of untrusted states: return a value of the right type, or raise `ValueError`.

A state may come from a malicious file. Kernels do not check bounds, and constructors allocate as
much as their parameters request, so every value of a state is checked here first.

Examples
--------
>>> state = {"n_seen": 3, "counts": np.ones(2)}
>>> whole(state, "n_seen", least=1), floats(state, "counts", (2,)).tolist()
(3, [1.0, 1.0])
>>> floats(state, "counts", (5,))
Traceback (most recent call last):
ValueError: counts must be an array of float64 and shape (5,), got one of float64 and shape (2,)
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from spectralleader.checks.arguments import check_truth, is_number, is_whole, show

State = dict[str, Any]
Shape = tuple[int | None, ...]  # None: any size

MOST = 2**53  # largest integer: exact in a float64, and far from an overflow in kernels
LARGEST = 1e30  # largest sum over documents: more words than were ever written
TOLERANCE = 1e-6  # accepted deviation of a stored distribution's sum from 1
ROUNDED = 1e-3  # the same for float32


def take(state: Any, name: str) -> Any:
    """Return a required value."""
    if not isinstance(state, dict):
        raise ValueError(f"{name} must be in a dictionary, got {state!r:.60}")
    if name not in state:
        raise ValueError(f"{name} is missing")
    return state[name]


def part(state: Any, name: str) -> State:
    """Return a nested state."""
    found = take(state, name)
    if not isinstance(found, dict):
        raise ValueError(f"{name} must be a dictionary, got {found!r:.60}")
    return found


def parts(state: Any, name: str, count: int | None = None) -> list[State]:
    """Return a list of nested states, of length `count` if given."""
    found = take(state, name)
    if not isinstance(found, list | tuple) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"{name} must be a list of dictionaries, got {found!r:.60}")
    if count is not None and len(found) != count:
        raise ValueError(f"{name} must be {count} dictionaries, got {len(found)}")
    return list(found)


def whole(state: Any, name: str, least: int = 0, most: int = MOST) -> int:
    """Return an integer within bounds; booleans are rejected."""
    found = take(state, name)
    if not is_whole(found) or not least <= found <= most:
        raise ValueError(f"{name} must be an integer from {least} to {most}, got {show(found)}")
    return int(found)


def number(state: Any, name: str, least: float = -LARGEST, most: float = LARGEST) -> float:
    """Return a number within bounds; NaN and booleans are rejected."""
    found = take(state, name)
    if not is_number(found) or not least <= found <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {show(found)}")
    return float(found)


def truth(state: Any, name: str) -> bool:
    """Return a boolean."""
    return check_truth(name, take(state, name))


def text(state: Any, name: str, most: int = 200) -> str:
    """Return a short printable text: no line breaks and no terminal escape sequences."""
    found = take(state, name)
    if not isinstance(found, str) or len(found) > most or not found.isprintable():
        raise ValueError(f"{name} must be a line of text, got {show(found)}")
    return found


def plain(state: Any, name: str, most: int) -> Any:
    """Return the plain values stored as JSON text of at most so many characters."""
    stored = text(state, name, most)
    try:
        return json.loads(stored)
    except (ValueError, RecursionError):
        raise ValueError(f"{name} must be JSON text, got {show(stored)}") from None


def one_of(state: Any, name: str, known: Collection[str]) -> str:
    """Return one of the known names."""
    found = take(state, name)
    if not isinstance(found, str) or found not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {show(found)}")
    return found


def array(state: Any, name: str, dtype: DTypeLike, shape: Shape) -> NDArray[Any]:
    """Return an array of this type and shape, in C order; not a copy if it already is."""
    found, wanted = take(state, name), np.dtype(dtype)
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name} must be an array, got {show(found)}")
    # Never converted: states have exactly these types, and kernels are compiled for them.
    fits = found.dtype == wanted and len(found.shape) == len(shape)
    if not fits or any(n not in (None, m) for n, m in zip(shape, found.shape, strict=True)):
        raise ValueError(
            f"{name} must be an array of {wanted} and shape {_spell(shape)}, "
            f"got one of {found.dtype} and shape {_spell(found.shape)}"
        )
    return np.ascontiguousarray(found)


def floats(
    state: Any, name: str, shape: Shape, least: float = -LARGEST, most: float = LARGEST
) -> NDArray[np.float64]:
    """Return a copy of a float64 array within bounds; NaN is rejected."""
    found = array(state, name, np.float64, shape)
    _check_bounds(name, found, least, most)
    return np.array(found, order="C")


def integers(
    state: Any, name: str, shape: Shape, least: int = 0, most: int = MOST
) -> NDArray[np.int64]:
    """Return an array of integers within bounds."""
    found = array(state, name, np.int64, shape)
    _check_bounds(name, found, least, most)
    return found


def numbered(state: Any, name: str, most: int = MOST) -> tuple[int, ...]:
    """Return stored integers as a tuple, which `Saved` writes as an array."""
    return tuple(integers(state, name, (None,), 0, most).tolist())


def distributions(state: Any, name: str, shape: Shape, least: float = 0.0) -> NDArray[np.float64]:
    """Return a copy of an array whose rows (the last axis) sum to 1, no entry below `least`."""
    return _rows(name, floats(state, name, shape, least, 1.0 + TOLERANCE), TOLERANCE)


def posteriors(state: Any, name: str, shape: Shape) -> NDArray[np.float32]:
    """Return a copy of a float32 array whose rows sum to 1 up to rounding."""
    found = array(state, name, np.float32, shape)
    _check_bounds(name, found, -ROUNDED, 1.0 + ROUNDED)
    return np.array(_rows(name, found, ROUNDED), order="C")


def _rows(name: str, found: NDArray[Any], tolerance: float) -> NDArray[Any]:
    """Return an array whose rows sum to 1 up to a tolerance."""
    away = np.abs(found.sum(axis=-1) - 1.0).max(initial=0.0)
    if away > tolerance:
        raise ValueError(f"{name} must have rows that sum to 1, got one that is {away:g} off")
    return found


def bags(state: Any, n_words: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the CSR arrays of documents, indptr, words and counts, as in `Documents`."""
    indptr = integers(state, "indptr", (None,))
    words = array(state, "words", np.int32, (None,))
    counts = array(state, "counts", np.float64, words.shape)
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(words):
        raise ValueError(f"indptr must go from 0 to {len(words)}, the number of words")
    if (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must not decrease")
    _check_bounds("words", words, 0, n_words - 1)
    rises = words[1:] > words[:-1]
    inner = indptr[(indptr > 0) & (indptr < len(words))]
    rises[inner - 1] = True  # ids may decrease from one document to the next
    if not rises.all():
        raise ValueError("words must be distinct and in increasing order within a document")
    _check_bounds("counts", counts, 1, MOST - 1)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    # A length even of no documents: the maximum of nothing is undefined.
    lengths = np.bincount(rows, counts, minlength=1)
    if (counts != np.floor(counts)).any() or lengths.max() >= MOST:
        raise ValueError(f"counts must be integers that sum to less than {MOST} per document")
    return indptr, words, counts


def generator(state: Any, name: str) -> np.random.Generator:
    """Return a random generator whose PCG64 bit generator has the stored state."""
    found = part(state, name)
    one_of(found, "bit_generator", ["PCG64"])
    inner = part(found, "state")
    numbers = {key: whole(inner, key, 0, 2**128 - 1) for key in ("state", "inc")}
    # The period is full only if the increment is odd, as NumPy's always is.
    if numbers["inc"] % 2 == 0:
        raise ValueError(f"inc must be odd, got {show(numbers['inc'])}")
    rng = np.random.Generator(np.random.PCG64(0))
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": numbers,
        "has_uint32": whole(found, "has_uint32", 0, 1),
        "uinteger": whole(found, "uinteger", 0, 2**32 - 1),
    }
    return rng


def check_same(name: str, found: int, wanted: int) -> None:
    """Raise unless the sizes of two parts of a state agree."""
    if found != wanted:
        raise ValueError(f"{name} must be {wanted} to match the rest, got {found}")


def _check_bounds(name: str, found: NDArray[Any], least: float, most: float) -> None:
    good = (found >= least) & (found <= most)  # False for NaN
    if not good.all():
        bad = found[~good][0]
        raise ValueError(f"{name} must be numbers from {least:g} to {most:g}, got {bad:g}")


def _spell(shape: tuple[int | None, ...]) -> str:
    sizes = ["any" if n is None else str(n) for n in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
