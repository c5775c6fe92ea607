"""States read back with distrust: a value is what it must be, or a `ValueError` says so.

A state may come from a file that somebody made on purpose. Kernels check no bounds and constructors
allocate what their parameters say: whatever a state holds goes through here first.

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

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from spectralleader.checks import is_whole

State = dict[str, Any]
Shape = tuple[int | None, ...]  # None: any number

MOST = 2**53  # whole numbers up to here are exact in floats, and far from overflowing in kernels
LARGEST = 1e30  # of a sum over documents: more than all the words ever written
TOLERANCE = 1e-6  # how far from 1 a stored distribution may sum
ROUNDED = 1e-3  # the same of one in float32


def take(state: Any, name: str) -> Any:
    """Return a value that must be there."""
    if not isinstance(state, dict):
        raise ValueError(f"{name} must be in a table of names and values, got {state!r:.60}")
    if name not in state:
        raise ValueError(f"{name} is missing")
    return state[name]


def part(state: Any, name: str) -> State:
    """Return a state within a state."""
    found = take(state, name)
    if not isinstance(found, dict):
        raise ValueError(f"{name} must be a table of names and values, got {found!r:.60}")
    return found


def parts(state: Any, name: str, count: int | None = None) -> list[State]:
    """Return the states in a list; `count` says how many there must be."""
    found = take(state, name)
    if not isinstance(found, list | tuple) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"{name} must be a list of tables, got {found!r:.60}")
    if count is not None and len(found) != count:
        raise ValueError(f"{name} must be {count} tables, got {len(found)}")
    return list(found)


def whole(state: Any, name: str, least: int = 0, most: int = MOST) -> int:
    """Return a whole number within bounds; true and false are none."""
    found = take(state, name)
    if not is_whole(found) or not least <= found <= most:
        raise ValueError(
            f"{name} must be a whole number from {least} to {most}, got {_show(found)}"
        )
    return int(found)


def number(state: Any, name: str, least: float = -LARGEST, most: float = LARGEST) -> float:
    """Return a number within bounds; NaN never is."""
    found = take(state, name)
    is_number = isinstance(found, float | int | np.number) and not isinstance(found, bool)
    if not is_number or not least <= found <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {_show(found)}")
    return float(found)


def truth(state: Any, name: str) -> bool:
    """Return a true or false."""
    found = take(state, name)
    if not isinstance(found, bool | np.bool_):
        raise ValueError(f"{name} must be true or false, got {_show(found)}")
    return bool(found)


def text(state: Any, name: str, most: int = 200) -> str:
    """Return a short text that can be shown: no line breaks, nothing a terminal would obey."""
    found = take(state, name)
    if not isinstance(found, str) or len(found) > most or not found.isprintable():
        raise ValueError(f"{name} must be a line of text, got {_show(found)}")
    return found


def one_of(state: Any, name: str, known: Collection[str]) -> str:
    """Return one of the known names."""
    found = take(state, name)
    if not isinstance(found, str) or found not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {_show(found)}")
    return found


def array(state: Any, name: str, dtype: DTypeLike, shape: Shape) -> NDArray[Any]:
    """Return an array of that type and shape, in C order, as it stands in the state."""
    found, wanted = take(state, name), np.dtype(dtype)
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name} must be an array, got {_show(found)}")
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
    """Return a copy of an array of numbers within bounds, none of them NaN."""
    found = array(state, name, np.float64, shape)
    _check_bounds(name, found, least, most)
    return np.array(found, order="C")


def integers(
    state: Any, name: str, shape: Shape, least: int = 0, most: int = MOST
) -> NDArray[np.int64]:
    """Return an array of whole numbers within bounds."""
    found = array(state, name, np.int64, shape)
    _check_bounds(name, found, least, most)
    return found


def distributions(state: Any, name: str, shape: Shape, least: float = 0.0) -> NDArray[np.float64]:
    """Return a copy of an array whose rows (the last axis) sum to 1, no entry below `least`."""
    found = floats(state, name, shape, least, 1.0 + TOLERANCE)
    away = np.abs(found.sum(axis=-1) - 1.0).max(initial=0.0)
    if away > TOLERANCE:
        raise ValueError(f"{name} must sum to 1 (each row), got one that is {away:g} off")
    return found


def posteriors(state: Any, name: str, shape: Shape) -> NDArray[np.float32]:
    """Return a copy of an array of float32 whose rows sum to 1 but for their rounding."""
    found = array(state, name, np.float32, shape)
    _check_bounds(name, found, -ROUNDED, 1.0 + ROUNDED)
    away = np.abs(found.sum(axis=-1) - 1.0).max(initial=0.0)
    if away > ROUNDED:
        raise ValueError(f"{name} must sum to 1 (each row), got one that is {away:g} off")
    return np.array(found, order="C")


def bags(state: Any, n_words: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the CSR arrays of documents: indptr, words and counts, as `Documents` has them."""
    indptr = integers(state, "indptr", (None,))
    words = array(state, "words", np.int32, (None,))
    counts = array(state, "counts", np.float64, words.shape)
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(words):
        raise ValueError(f"indptr must go from 0 to {len(words)}, the number of words")
    if (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must not fall")
    _check_bounds("words", words, 0, n_words - 1)
    rises = words[1:] > words[:-1]
    inner = indptr[(indptr > 0) & (indptr < len(words))]
    rises[inner - 1] = True  # from one document to the next
    if not rises.all():
        raise ValueError("words must be distinct and in increasing order within a document")
    _check_bounds("counts", counts, 1, MOST - 1)
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    lengths = np.bincount(rows, counts, minlength=1)
    if (counts != np.floor(counts)).any() or lengths.max() >= MOST:
        raise ValueError(f"counts must be whole numbers, less than {MOST} a document")
    return indptr, words, counts


def generator(state: Any, name: str) -> np.random.Generator:
    """Return the random generator whose bit generator was in that state."""
    found = part(state, name)
    one_of(found, "bit_generator", ["PCG64"])
    inner = part(found, "state")
    numbers = {key: whole(inner, key, 0, 2**128 - 1) for key in ("state", "inc")}
    if numbers["inc"] % 2 == 0:
        raise ValueError(f"inc must be odd, got {_show(numbers['inc'])}")
    rng = np.random.Generator(np.random.PCG64(0))
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": numbers,
        "has_uint32": whole(found, "has_uint32", 0, 1),
        "uinteger": whole(found, "uinteger", 0, 2**32 - 1),
    }
    return rng


def check_same(name: str, found: int, wanted: int) -> None:
    """Raise unless two sizes, of parts that belong together, are the same."""
    if found != wanted:
        raise ValueError(f"{name} must be {wanted} to fit the rest, got {found}")


def _check_bounds(name: str, found: NDArray[Any], least: float, most: float) -> None:
    good = (found >= least) & (found <= most)  # false of NaN
    if not good.all():
        bad = found[~good][0]
        raise ValueError(f"{name} must be numbers from {least:g} to {most:g}, got {bad:g}")


def _spell(shape: tuple[int | None, ...]) -> str:
    sizes = ["any" if n is None else str(n) for n in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _show(value: Any) -> str:
    """Return a value in one short line, also a number of thousands of digits."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a huge number"
    return f"{value!r:.60}"
