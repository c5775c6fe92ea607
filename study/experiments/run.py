"""Running scenarios on all cores, resuming an earlier run."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from study.experiments.kinds import KINDS
from study.experiments.scenario import Scenario
from study.experiments.trials import RowFile, Trial, compared, due, rows_of, trials_of
from study.rows import Row

# They take effect before NumPy is imported.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run(
    scenarios: Sequence[Scenario],
    folder: Path,
    *,
    workers: int | None = None,
    data: Path | None = None,
    console: Console | None = None,
) -> dict[str, list[Row]]:
    """Run the missing trials of scenarios; return the rows of each scenario by name.

    Rows are stored in ``folder/NAME.jsonl``. They do not depend on the number of workers or on
    interruptions.

    Parameters
    ----------
    scenarios : sequence of Scenario
        Scenarios with distinct names.
    folder : Path
        Folder of the rows, read and written.
    workers : int, optional
        Number of processes. Defaults to the number of cores; 0 runs in this process, for debugging.
    data : Path, optional
        Folder of corpora.
    console : Console, optional
        Console for the progress bar.
    """
    check(scenarios)
    files = {s.name: RowFile(folder / f"{s.name}.jsonl", trials_of(s)) for s in scenarios}
    with Progress(console=console, transient=True, disable=console is None) as progress:
        # If a grid is screened, the first round determines the trials of the second one.
        while missing := [
            t for s in scenarios for t in files[s.name].missing(due(s, files[s.name].rows))
        ]:
            task = progress.add_task("running", total=sum(t.scenario.n_steps for t in missing))
            for trial, rows in results(missing, workers, data):
                files[trial.scenario.name].add(trial, rows)
                progress.advance(task, trial.scenario.n_steps)
    return {s.name: compared(s, files[s.name].finish()) for s in scenarios}


def check(scenarios: Sequence[Scenario]) -> None:
    """Raise for errors that would stop a run later: duplicate names, invalid parameters."""
    names = [scenario.name for scenario in scenarios]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two scenarios have the name {twice.pop()!r}; rename one of the files")
    for scenario in scenarios:
        kind = KINDS[scenario.kind]
        if unknown := set(scenario.metrics) - set(kind.metrics):
            known = ", ".join(kind.metrics)
            raise ValueError(f"{scenario.name}: unknown metric {unknown.pop()!r}; known: {known}")
        for contender in scenario.learners:
            try:
                kind.check(contender, scenario)
            except (ValueError, TypeError, KeyError) as error:
                raise ValueError(f"{scenario.name}: {contender.label}: {error}") from error


def results(
    trials: Sequence[Trial], workers: int | None, data: Path | None
) -> Iterator[tuple[Trial, list[Row]]]:
    """Yield each trial with its rows, in order of completion."""
    if workers == 0 or not trials:
        yield from ((trial, rows_of(trial, data)) for trial in trials)
        return
    # Inherited by the processes: for speed, and for reproducible sums.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    with processes(min(workers or cores(), len(trials))) as pool:
        with interrupts_held():
            futures = {pool.submit(rows_of, trial, data): trial for trial in trials}
        for future in as_completed(futures):
            try:
                rows = future.result()
            except BrokenProcessPool as error:
                raise OSError("a worker process was killed; run again to resume") from error
            yield futures.pop(future), rows


@contextmanager
def processes(n: int) -> Iterator[ProcessPoolExecutor]:
    """Yield n worker processes; leaving early cancels the trials that have not started."""
    # Spawned, not forked: a fork copies locks that are held by threads it does not copy.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n, mp_context=context, initializer=end_on_interrupt)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def end_on_interrupt() -> None:
    """Let Ctrl-C end a worker immediately and silently; its trial is run again next time."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Block Ctrl-C, also in processes started meanwhile, until `end_on_interrupt`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
