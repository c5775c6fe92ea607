"""Files made up by a fuzzer that sees which code they reach, for hours if you like.

It needs atheris, which the tests do not: in an environment with this library and atheris installed,
from the folder that this one is in,

    python -m fuzz.load -max_total_time=3600 /tmp/corpus

tries files for an hour and keeps those that reach something new in /tmp/corpus. A file that makes
the library crash, hang, take 2 GB of memory, or return something that does not work is written to
the working folder, and ``python -m fuzz.load THAT_FILE`` tries it again. Options are libFuzzer's.
"""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from pathlib import Path

import atheris

from spectralleader.checks import states
from spectralleader.storage import KINDS, container, migrations
from spectralleader.storage.container import ALIGNMENT, START, seal
from tests.storage.fuzzing import originals, try_out
from tests.storage.tampering import tamper

FOLDER = tempfile.TemporaryDirectory()
PATH = Path(FOLDER.name, "file")


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change a file as the tests do, or bit by bit."""
    try:
        changed = tamper([data], seed) if seed % 4 else atheris.Mutate(data, max_size)
    except Exception:
        changed = atheris.Mutate(data, max_size)  # it is no file any more
    return bytes(changed[:max_size])


def try_one(data: bytes) -> None:
    """Try a file, with its digest set right: a fuzzer would never get past it."""
    if len(data) >= START.size:
        n_header = START.unpack_from(data)[1]
        n_header = min(n_header, len(data) - START.size) // ALIGNMENT * ALIGNMENT
        body = data[START.size :]
        data = seal(body[:n_header], body[n_header:])
    try_out(data, PATH)


def watch() -> None:
    """Look into what reads files; what kernels are compiled from must stay as it is."""
    for module in (states, container, migrations):
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                atheris.instrument_func(function)
    for kind in KINDS.values():
        for cls in kind.__mro__:
            if (method := vars(cls).get("from_state")) is not None:
                atheris.instrument_func(getattr(method, "__func__", method))


def main() -> None:
    """Begin with whole files of every kind."""
    watch()
    corpus = next((Path(given) for given in sys.argv[1:] if Path(given).is_dir()), None)
    if corpus is not None and not any(corpus.iterdir()):
        for i, content in enumerate(originals()):
            (corpus / f"original-{i}").write_bytes(content)
    options = ["-max_len=20000", "-rss_limit_mb=2048", "-timeout=20"]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:]], try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
