"""Bench: what every section is given, and where it puts its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from benchmarks.rows import Results
from benchmarks.sizes import Sizes
from benchmarks.stream import Stream


@dataclass(frozen=True)
class Bench:
    """One run: its stream and sizes, a scratch folder, a progress bar and the results so far."""

    stream: Stream
    sizes: Sizes
    scratch: Path
    progress: Progress
    results: Results
    corpora: tuple[str, ...] = ()  # of the section quality: these only; all if empty

    def bar(self, title: str, total: int) -> Callable[[], None]:
        """Start a progress bar; return what moves it on by one."""
        task = self.progress.add_task(title, total=total)
        self.progress.refresh()  # here and nowhere else: nothing runs beside what is timed
        return lambda: self.progress.update(task, advance=1, refresh=True)
