"""Time in which the whole machine stood still, to be left out.

Virtual machines are stopped for seconds at a time. A process that only sleeps sees it: it wakes up
far too late, however busy the machine is otherwise.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

TICK, LATE = 0.1, 1.0  # seconds

Span = tuple[float, float]  # of `perf_counter`, which all processes of a machine share


def lasted(span: Span, stalls: list[Span]) -> float:
    """Return the seconds of a span, without those in which the machine stood still."""
    began, ended = span
    lost = sum(max(0.0, min(ended, end) - max(began, start)) for start, end in stalls)
    return ended - began - lost


@contextmanager
def watched() -> Iterator[list[Span]]:
    """Give a list that has, after the block, when the machine stood still in it."""
    context, stalls = multiprocessing.get_context("spawn"), list[Span]()
    mine, other = context.Pipe()
    process = context.Process(target=_watch, args=(other,), daemon=True)
    process.start()
    try:
        yield stalls
    finally:
        time.sleep(3 * TICK)  # for the watcher to have woken up
        while mine.poll():
            stalls.append(mine.recv())
        process.terminate()
        process.join()


def _watch(pipe: Connection) -> None:
    last = time.perf_counter()
    while True:
        time.sleep(TICK)
        now = time.perf_counter()
        if now - last > LATE:
            pipe.send((last + TICK, now))
        last = now
