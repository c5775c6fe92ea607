"""How commands end: the result, the exit code, and a line on standard error with the reason."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from spectralleader.runtime.interrupts import Interrupts, Terminated, raising

if TYPE_CHECKING:
    from spectralleader.jobs import Evaluation
    from spectralleader.jobs.learning import LearnedTopics

# Exit codes; the last two are the shell's for Ctrl-C and SIGTERM.
NOTHING_USEFUL, MISUSE, STOPPED, TERMINATED = 1, 2, 130, 143
PATIENCE = 4.0  # seconds after a signal until a command that saves nothing is killed


def warn(line: str) -> None:
    """Print a line on standard error; on a terminal, break it between words."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        # Paths and options are copied from messages, so they stay whole.
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")


def fail(message: str, code: int) -> int:
    """Print an error, in one line unless a terminal is narrower; return the exit code."""
    # A log, or a script that reads standard error, has one line for one error.
    line = " ".join(message.split())
    warn(f"spectralleader: {line}")
    return code


@contextmanager
def exit_code_of_signals(said: str = "spectralleader: stopped") -> Iterator[None]:
    """Exit with the code of the signal; typer has the same for both."""
    try:
        yield
    except KeyboardInterrupt as reason:
        warn(said)
        code = TERMINATED if isinstance(reason, Terminated) else STOPPED
        raise typer.Exit(code) from reason


@contextmanager
def stoppable(*, saves: bool = False, at_once: bool = False) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a command between two steps, or at once."""
    # What saves must have the time to do so; what does not can be killed without a loss.
    patience = None if saves else PATIENCE
    signals = raising() if at_once else Interrupts(owns_process=True, patience=patience)
    with exit_code_of_signals(), signals:
        yield


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary as JSON."""
    # Words of any script stay readable; what the terminal cannot show is escaped on the way.
    typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))


def check_useful(is_useful: bool) -> None:
    """Exit with code 1 if no document had a known word."""
    if not is_useful:
        raise typer.Exit(fail("no document had a known word", NOTHING_USEFUL))


def end(result: Evaluation | LearnedTopics) -> None:
    """Report an early stop, or a result without any known word, and exit with its code."""
    if result.stopped is not None:
        saved = f"; saved to {result.saved}" if result.saved else ""
        warn(f"Stopped after {result.n_docs:,} documents{saved}.")
        # SIGTERM is how services are ended: with the model saved, it is a success.
        done = 0 if result.saved else TERMINATED
        raise typer.Exit(done if isinstance(result.stopped, Terminated) else STOPPED)
    check_useful(result.is_useful)
