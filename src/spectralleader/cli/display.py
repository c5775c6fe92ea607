"""Progress displays: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from time import perf_counter

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from spectralleader.cli.tables import contender_table, topic_table
from spectralleader.jobs import Evaluation, LearnResult, Progress
from spectralleader.jobs.evaluating import History
from spectralleader.learners.protocol import HasRecent
from spectralleader.runtime.compiled import COMPILING, COMPILING_LINE
from spectralleader.topics.text_topics import TextTopics

EVERY = 0.3  # minimum seconds between updates
SHARE = 1 / 25  # maximum share of the time spent on drawing
MOST_SHARES = 200  # updates whose topic shares are kept
LOG_EVERY = 5.0  # seconds between log lines, without a terminal


@contextmanager
def watching() -> Iterator[Progress]:
    """Show the progress of a job on standard error."""
    # On standard error: results can be piped while progress is watched.
    console, before = Console(stderr=True), COMPILING.report
    live = Live(console=console, auto_refresh=False, transient=True)
    with live if console.is_terminal else nullcontext():
        progress = Picture(live) if console.is_terminal else Log()
        COMPILING.report = progress.compiling
        try:
            yield progress
        finally:
            COMPILING.report = before


class Display(Progress):
    """Shows the progress of a first pass by `update`, which may skip what comes too soon."""

    due = 0.0  # when the next update is shown

    def counted(self, n_docs: int, how: str = "counted") -> None:
        """Show the number of documents."""
        self.update(f"{n_docs:,} documents {how}")

    def passed(self, name: str, n_done: int, n_parts: int) -> None:
        """Show how far the pass of an engine is."""
        self.update(f"pass {name.replace('_', ' ')}: {n_done} of {n_parts} parts")

    def update(self, line: str) -> None:
        """Show a line if the last update was long enough ago."""
        if perf_counter() >= self.due:
            self.show(line)

    def show(self, line: str) -> None:
        """Show a line."""
        raise NotImplementedError


class Log(Display):
    """Prints a plain line every few seconds."""

    def __init__(self) -> None:
        self.due = perf_counter() + LOG_EVERY
        self._has_compiled = False
        self._n_docs = 0  # in the last line: a silent source does not repeat it

    def say(self, line: str) -> None:
        """Print a line."""
        sys.stderr.write(f"{line}\n")

    def compiling(self, is_compiling: bool) -> None:  # a callback
        """Print once that kernels are being compiled."""
        if is_compiling and not self._has_compiled:
            self._has_compiled = True
            self.say(COMPILING_LINE)

    def show(self, line: str) -> None:
        """Print a line, and none for the next few seconds."""
        self.say(line)
        self.due = perf_counter() + LOG_EVERY

    def stepped(self, result: LearnResult | Evaluation) -> None:
        """Print the state of learning every few seconds."""
        if result.n_docs != self._n_docs and perf_counter() >= self.due:
            self._n_docs = result.n_docs
            self.show(headline(result))


class Picture(Display):
    """Shows the topics while they are learned; drawing takes a small share of the time."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self._lines: list[str] = []
        self._shares = History[list[float]](MOST_SHARES)  # shares of topics at some updates

    def say(self, line: str) -> None:
        """Show a line above the table."""
        self._lines.append(line)
        self.show("")

    def compiling(self, is_compiling: bool) -> None:  # a callback
        """Show that kernels are being compiled."""
        self.show(COMPILING_LINE if is_compiling else "")

    def stepped(self, result: LearnResult | Evaluation) -> None:
        """Show the current topics, or the learners that are compared."""
        if perf_counter() < self.due:
            return
        if isinstance(result, LearnResult):
            _ = result.topics.model  # needed by the next block anyway: not a cost of drawing
        began = perf_counter()
        self._draw(Group(Text(headline(result), style="bold"), self._picture(result)))
        now = perf_counter()
        self.due = now + min(max(EVERY, (now - began) / SHARE), LOG_EVERY)

    def show(self, line: str) -> None:
        """Show a line below what was said."""
        self._draw(Text(line))

    def _picture(self, result: LearnResult | Evaluation) -> Table:
        """Return a table of the topics with their shares over time, or of the learners."""
        if isinstance(result, Evaluation):
            return contender_table(result)
        self._shares.add(shares_now(result.topics))
        curves = [list(curve) for curve in zip(*self._shares.values, strict=True)]
        return topic_table(result.topics, self.live.console.width, curves=curves)

    def _draw(self, shown: RenderableType) -> None:
        notes = [Text(line, style="dim") for line in self._lines]
        self.live.update(Group(*notes, shown), refresh=True)
        self.due = perf_counter() + EVERY


def shares_now(topics: TextTopics) -> list[float]:
    """Return the shares of topics, in recent documents if the learner tracks them."""
    # Those of all documents hardly move any more, late in a stream.
    learner = topics.learner
    model = learner.recent if isinstance(learner, HasRecent) else topics.model
    shares: list[float] = model.weights.tolist()
    return shares


def headline(result: LearnResult | Evaluation) -> str:
    """Return the state of a job in one line."""
    if isinstance(result, Evaluation):
        losses = [(name, c.losses.mean_loss) for name, c in result.contenders.items()]
        told = ", ".join(f"{name} {loss:.3f}" for name, loss in losses if loss is not None)
        return f"{result.n_docs:,} documents, L1: {told or 'not evaluated yet'}"
    line = f"{result.n_docs:,} documents, {result.rate:,.0f}/s"
    if result.mean_loss is not None:
        unigram = result.unigram_losses.mean_loss
        line += f", L1 {result.mean_loss:.3f} (unigram {unigram:.3f})"
    if result.n_saved is not None:
        line += f", saved {result.n_saved:,}"
    # A live source tells how far behind it is; files are read to their end.
    if (lag := result.reader.lag()) is not None:
        line += f", {lag}"
    return line
