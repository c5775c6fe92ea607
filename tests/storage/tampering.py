"""Ways to tamper with a file; a number says how, and always means the same."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import numpy as np

from spectralleader.storage.container import MAGIC, START, seal

PLAIN: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**9,
    10**12, 10**15, 10**30, 10**400, -(10**30), 0.5, -0.5, 1.5, 1e308, -1e308, 5e-324, 1e-100,
    {"$float": "nan"}, {"$float": "inf"}, {"$float": "-inf"}, {"$float": "1e5"}, "", "paper",
    "joint", "../../etc/passwd", "a/b", "\x1b[31m", "\n", "x" * 1000, [], {}, [[]], [1, 2],
    {"kind": "window"},
    {"$array": ["|O", [1], 0]}, {"$array": ["<f8", [2, 2], 0]}, {"$array": []}, {"$array": 1},
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 5, 6, 100, 2**31 - 1, -(2**31), 2**53, 2**62, -(2**63), np.nan, np.inf,
           -np.inf, 1e308, -1e308, 5e-324, 0.5, -1e-9, 1e30, 1e29]  # fmt: skip
SHAPES = [[], [0], [1], [2], [-1], [10**9], [2**62, 2**62], [2**64], [True], [1.0], ["1"],
          [0, 10**40], [1] * 40, [2**32, 2**32], [0, 2**47], None]  # fmt: skip


def tamper(contents: list[bytes], seed: int) -> bytes:
    """Return one of the files, changed."""
    rng = np.random.default_rng(seed)
    content = contents[rng.integers(len(contents))]
    ways = [cut, flip, flip_sealed, flip_sealed, in_header, in_header, in_header, in_array,
            in_array, in_array, in_place, everywhere, in_table]  # fmt: skip
    return ways[rng.integers(len(ways))](content, rng)


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    """End early, or late, or with other sizes at the start."""
    way = rng.integers(3)
    if way == 0:
        return content[: rng.integers(len(content))]
    if way == 1:
        return content + rng.bytes(int(rng.integers(1, 100)))
    sizes = [int(PLAIN[i]) % 2**64 for i in rng.integers(3, 20, size=2)]
    return START.pack(MAGIC, *sizes, bytes(32)) + content[START.size :]


def flip(content: bytes, rng: np.random.Generator) -> bytes:
    """Change bits anywhere."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        changed[rng.integers(len(changed))] ^= 1 << rng.integers(8)
    return bytes(changed)


def flip_sealed(content: bytes, rng: np.random.Generator) -> bytes:
    """Change bits of the header or of the arrays, and the digest with them."""
    text, data = parts_of(content)
    where = bool(rng.integers(3) and len(data))
    if where:
        data = flip(data, rng)
    else:
        text = flip(text, rng)
    return seal(text, data)


def in_header(content: bytes, rng: np.random.Generator) -> bytes:
    """Change values of the header: any value, leave one out, put one in another's place."""
    text, data = parts_of(content)
    header = json.loads(text)
    for _ in range(rng.integers(1, 3)):
        places = [place for place in walk(header) if place]
        if not places:
            break
        *path, last = places[rng.integers(len(places))]
        inside = follow(header, path)
        way = rng.integers(6)
        if way == 0 and isinstance(inside, dict):
            del inside[last]
        elif way == 1:
            other = places[rng.integers(len(places))]
            inside[last] = copy.deepcopy(follow(header, list(other)))
        elif way == 2 and type(inside[last]) in (int, float):
            inside[last] += int(rng.choice([-1, 1, 10, -10]))
        else:
            inside[last] = copy.deepcopy(PLAIN[rng.integers(len(PLAIN))])
    return seal(json.dumps(header).encode(), data)


def in_array(content: bytes, rng: np.random.Generator) -> bytes:
    """Change numbers in the arrays."""
    text, data = parts_of(content)
    arrays = [found for found in find_arrays(json.loads(text)) if np.prod(found[1]) > 0]
    changed = bytearray(data)
    for _ in range(rng.integers(1, 3) if arrays else 0):
        dtype, shape, offset = arrays[rng.integers(len(arrays))]
        array = np.frombuffer(changed, dtype, int(np.prod(shape)), offset)
        at, value = rng.integers(len(array)), NUMBERS[rng.integers(len(NUMBERS))]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if rng.integers(2):
                array[at] += np.array(rng.choice([-1, 1])).astype(dtype)
            else:
                array[at] = np.array(value, np.float64).astype(dtype)
    return seal(text, bytes(changed))


def in_place(content: bytes, rng: np.random.Generator) -> bytes:
    """Change what an array is: its type, shape or place."""
    text, data = parts_of(content)
    header = json.loads(text)
    if arrays := find_arrays(header):
        array = arrays[rng.integers(len(arrays))]
        others = (["<i8", "<f8", "<i4", "|u1", "|b1", "|O", 1], SHAPES, [0, 64, -64, 2**70, True])
        which = rng.integers(3)
        array[which] = others[which][rng.integers(len(others[which]))]  # type: ignore[index]
        if which == 1 and rng.integers(2):  # sizes the other way round
            array[1] = find_arrays(json.loads(text))[0][1][::-1]
    return seal(json.dumps(header).encode(), data)


def everywhere(content: bytes, rng: np.random.Generator) -> bytes:
    """Change all values of one name to one value, so that they still fit together."""
    text, data = parts_of(content)
    header = json.loads(text)
    plain = [p for p in walk(header) if p and type(follow(header, list(p))) in (int, float, bool)]
    names = sorted({path[-1] for path in plain if isinstance(path[-1], str)})
    name, value = names[rng.integers(len(names))], PLAIN[rng.integers(len(PLAIN))]
    for path in plain:
        if path[-1] == name:
            follow(header, list(path[:-1]))[name] = value
    return seal(json.dumps(header).encode(), data)


def in_table(content: bytes, rng: np.random.Generator) -> bytes:
    """Multiply all numbers of arrays that belong together: sums are still sums."""
    text, data = parts_of(content)
    header, changed = json.loads(text), bytearray(data)
    tables = sorted({path[:-2] for path in walk(header) if path and path[-1] == "$array"}, key=str)
    table = follow(header, list(tables[rng.integers(len(tables))])) if tables else {}
    factor = float(rng.choice([0.0, 1e-300, 1e-100, 1e-9, 1e9, 1e25, 1e29, -1.0]))
    for dtype, shape, offset in find_arrays(table):
        if dtype == "<f8":
            array = np.frombuffer(changed, dtype, int(np.prod(shape)), offset)
            array *= factor
    return seal(text, bytes(changed))


def parts_of(content: bytes) -> tuple[bytes, bytes]:
    """Return the header and the arrays of a whole file."""
    _, n_header, _, _ = START.unpack_from(content)
    return content[START.size : START.size + n_header], content[START.size + n_header :]


def walk(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where all values within a value are."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path]
    if isinstance(value, dict | list):
        for key, part in inner:
            found += walk(part, (*path, key)) if isinstance(part, dict | list) else [(*path, key)]
    return found


def follow(value: Any, path: list[Any]) -> Any:
    """Return the value at a place."""
    for key in path:
        value = value[key]
    return value


def find_arrays(header: Any) -> list[list[Any]]:
    """Return the descriptions of all arrays."""
    return [follow(header, [*path]) for path in walk(header) if path and path[-1] == "$array"]
