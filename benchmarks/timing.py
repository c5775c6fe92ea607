"""Timing: contenders in turn, round after round."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)

LEAST = 1e-9  # seconds: what is left when a start-up took as long as the whole run


@dataclass(frozen=True)
class Trial:
    """A run ready to be timed, and a start-up to subtract where a process has to be started."""

    run: Callable[[], object]
    n_docs: int
    startup: Callable[[], object] | None = None
    guess: Callable[[], Any] | None = None  # after the run: the likeliest topic of every document


def seconds_of(run: Callable[[], object]) -> float:
    """Return the wall-clock seconds of one call."""
    gc.collect()
    start = perf_counter()
    run()
    return perf_counter() - start


def cpu_seconds_of(run: Callable[[], object]) -> float:
    """Return the processor seconds of one call in this process: other load hardly changes them."""
    gc.collect()
    start = process_time()
    run()
    return process_time() - start


def measure(trial: Trial) -> float:
    """Return the microseconds per document of one trial."""
    startup = 0.0 if trial.startup is None else seconds_of(trial.startup)
    return 1e6 * max(seconds_of(trial.run) - startup, LEAST) / trial.n_docs


def interleave(
    starters: Sequence[tuple[Key, Callable[[], Trial]]],
    rounds: int,
    advance: Callable[[], object],
) -> dict[Key, tuple[list[float], int]]:
    """Time every contender once a round, beginning each round with another one.

    Return for each key its microseconds per document, one per round, and its number of documents.
    """
    results: dict[Key, tuple[list[float], int]] = {key: ([], 0) for key, _ in starters}
    for turn in range(rounds):
        first = turn % len(starters)
        for key, make in (*starters[first:], *starters[:first]):
            trial = make()
            values, _ = results[key]
            results[key] = values, trial.n_docs
            values.append(measure(trial))
            advance()
    return results


def why_not(make: Callable[[], Trial]) -> str:
    """Run a small trial once; return why it cannot be run here, or nothing if it can.

    It also loads and compiles what the first timed run would otherwise pay for.
    """
    try:
        make().run()
    except ImportError as error:
        return str(error).split(" (")[0]  # without the path of the file
    except subprocess.CalledProcessError as error:
        return f"its process ended with status {error.returncode}"
    return ""
