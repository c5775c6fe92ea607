"""The command `spectralleader`: its subcommands, and the handling of errors."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any

import typer

from spectralleader import __version__
from spectralleader.cli import evaluate, serve, text
from spectralleader.cli.exits import MISUSE, NOTHING_USEFUL, STOPPED, fail
from spectralleader.errors import NotEmittedError, NotSavedError, NoWordsError
from spectralleader.runtime.blas import THREAD_VARIABLES

app = typer.Typer(
    name="spectralleader",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Learn topic models from streams of documents, online, with nothing to tune.",
    epilog="Start with [bold]spectralleader learn tweets.csv[/bold]. Exit codes: 0 success, 1 "
    "nothing was learned, saved or printed, 2 wrong usage or invalid input, 129 terminal closed, "
    "130 stopped by Ctrl-C, 143 terminated by SIGTERM before anything was saved.",
)
app.add_typer(text.app)
app.add_typer(evaluate.app)
app.add_typer(serve.app)


def print_version(wanted: bool) -> None:
    """Print the version and exit, if requested."""
    if wanted:
        typer.echo(f"spectralleader {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", is_eager=True, callback=print_version
    ),
) -> None:
    """Parse the options before a command."""


def main(commands: typer.Typer = app) -> None:
    """Run a command line; errors are one line on standard error, with exit code 2."""
    # Before NumPy is imported, which reads them once.
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    prepare_output()
    try:
        code = run(commands)
        sys.stdout.flush()
    except (BrokenPipeError, OutputError) as error:
        # A closed pipe is a reader, such as head, that has seen enough.
        is_enough = isinstance(error, BrokenPipeError)
        code = 0 if is_enough else fail(str(error), NOTHING_USEFUL)
        # Python flushes again at the end, which must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


class OutputError(OSError):
    """Raised if standard output cannot be written."""


@contextmanager
def told_apart() -> Iterator[None]:
    """Convert errors of writing to `OutputError`; a closed pipe is not an error."""
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error


class Output(io.TextIOWrapper):
    """Standard output, with errors that can be distinguished from those of files."""

    handling: Callable[[], AbstractContextManager[None]] = staticmethod(told_apart)

    def write(self, text: str) -> int:
        """Write."""
        with self.handling():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush."""
        with self.handling():
            super().flush()


class Unfailing(Output):
    """Standard error that ignores failures: messages must not interrupt the work."""

    handling = staticmethod(partial(suppress, OSError))


def prepare_output() -> None:
    """Escape characters that the terminal cannot show, and replace closed streams.

    A closed stream is replaced by the null device, or the next opened file would get its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)  # the descriptor may be open although Python has no stream
                continue
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115
    for name, kind in (("stdout", Output), ("stderr", Unfailing)):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            how = (stream.encoding, "backslashreplace", None, stream.line_buffering)
            setattr(sys, name, kind(stream.detach(), *how, stream.write_through))


def run(commands: typer.Typer) -> int:
    """Run a command; return its exit code."""
    try:
        # Otherwise typer would print errors itself, as a box of several lines.
        return commands(standalone_mode=False) or 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer and rich exit on it
            raise end.__context__ from None
        raise
    except (BrokenPipeError, OutputError):
        raise
    except (KeyboardInterrupt, typer.Abort):  # before or after a command
        return fail("stopped", STOPPED)
    except (NoWordsError, NotSavedError, NotEmittedError) as error:
        return fail(str(error), NOTHING_USEFUL)
    except (ValueError, OSError, ImportError) as error:  # ImportError: a missing extra
        return fail(str(error), MISUSE)
    except Exception as error:
        # By name: typer may raise a usage error of click, or of its own copy of click.
        if "ClickException" not in [cls.__name__ for cls in type(error).__mro__]:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            return MISUSE
        return fail(with_advice(error), MISUSE)


def with_advice(error: Any) -> str:
    """Return a usage error with a hint at --help."""
    context = getattr(error, "ctx", None)
    advice = f"; see {context.command_path} --help" if context is not None else ""
    return str(error.format_message()).rstrip(".") + advice
