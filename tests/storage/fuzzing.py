"""Files that were tampered with: loaded to something that works, or refused.

A number makes a file, always the same one. ``python -m tests.storage.fuzzing FIRST LAST`` tries the
files of these numbers and says each number before it tries it: if the process dies, the last one
said is the culprit.
"""

from __future__ import annotations

import copy
import faulthandler
import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from spectralleader import (
    Documents,
    GrowingVocabulary,
    StorageError,
    TextTopics,
    TopicModel,
    Vocabulary,
    Words,
    load,
)
from spectralleader.storage import kind_of
from spectralleader.storage.container import MAGIC, START, pack, seal
from tests.factories import texts
from tests.storage.things import more_things, things

SECONDS = 20  # that one file may take before the process is ended
MEMORY = 2**30  # bytes that all files together may take

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


def originals() -> list[bytes]:
    """Return the contents of whole files, of every kind."""
    found = [*things(), *more_things()]
    return [
        pack({"format": 1, "kind": kind_of(thing), "library": "0", "state": thing.to_state()})
        for _, thing in found
    ]


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


def try_out(content: bytes, path: Path) -> str:
    """Load a file and use what it holds; return how it went. An error that is none is raised."""
    path.write_bytes(content)
    try:
        thing = load(path)
    except StorageError as error:
        is_foreseen = isinstance(error.__cause__, ValueError | type(None))
        if not is_foreseen or len(str(error).splitlines()) != 1:
            raise
        return "refused"
    if is_large(thing):
        return "large"
    try:
        use(thing)
    except ValueError:
        return "refused in use"
    return "worked"


def is_large(thing: Any) -> bool:
    """Say whether somebody asked for a lot of work: that is no fault of a file."""
    inner = getattr(thing, "learner", thing)
    size = getattr(inner, "n_topics", 1) * getattr(inner, "n_words", 1)
    names = ("n_restarts", "n_iterations", "n_revisits")
    return size > 20_000 or any(getattr(inner, name, 0) > 500 for name in names)


def use(thing: Any) -> None:
    """Do with a thing what it is for; all that comes out must be valid."""
    if isinstance(thing, TextTopics):
        thing.learn(texts(8)[0])
        check(thing.model)
        assert np.isfinite(thing.posterior(["rain", ""])).all()
    elif isinstance(thing, Vocabulary):
        assert len(list(thing)) == thing.n_words
        thing.count_texts(["grün rain"], Words())
        if isinstance(thing, GrowingVocabulary):
            thing.settle()
    elif isinstance(thing, TopicModel):
        check(thing)
        assert not np.isnan(thing.log_prob(some(thing.n_words))).any()
    elif isinstance(thing, Documents):
        assert (thing.lengths >= 0).all()
        assert thing[::-1].n_docs == thing.n_docs
    elif hasattr(thing, "add"):
        thing.add(some(thing.n_words))
    else:
        check(thing.model)
        thing.learn(some(thing.n_words))
        check(thing.model)
        log_prob = thing.predictive.log_prob(some(thing.n_words))
        assert np.isfinite(log_prob).all()
        assert (log_prob < 1e-6).all()
    type(thing).from_state(thing.to_state())


def check(model: TopicModel) -> None:
    """Assert that a model is finite and its rows are distributions, as far as files must say so."""
    for rows in (model.weights[None], model.topics):
        assert np.isfinite(rows).all()
        assert (rows >= 0).all()
        assert np.abs(rows.sum(axis=1) - 1.0).max() < 2e-6


def some(n_words: int) -> Documents:
    """Return a few documents over a vocabulary."""
    ids = np.random.default_rng(0).integers(n_words, size=(6, 5))
    return Documents.from_tokens([*ids, []], n_words)


def limit_memory() -> None:
    """Have more memory refused than a file may ask for; not everywhere possible."""
    try:
        import resource
    except ImportError:
        return
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))


def main(first: int, last: int) -> None:
    """Try the files of these numbers; say how many went how."""
    warnings.simplefilter("error")
    contents, outcomes = originals(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        for content in contents:  # kernels are compiled before time and memory are counted
            assert try_out(content, path) == "worked"
        if sys.platform == "linux":
            limit_memory()
        for seed in range(first, last):
            print(seed, flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            outcomes[try_out(tamper(contents, seed), path)] += 1
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps(outcomes))


if __name__ == "__main__":
    faulthandler.enable()
    main(int(sys.argv[1]), int(sys.argv[2]))
