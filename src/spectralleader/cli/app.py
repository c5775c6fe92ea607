"""The command `spectralleader`: its groups of commands, and how errors end."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import click
import typer

from spectralleader import __version__
from spectralleader.cli import corpora, study, text

MISUSE, STOPPED = 2, 130  # exit codes; 130 is the shell's for Ctrl-C
# Products here are small: more threads cost more than they gain, and on a busy machine far more.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

app = typer.Typer(
    name="spectralleader",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Learn topic models from streams of documents, online, with nothing to tune.",
    epilog="Start with: [bold]spectralleader learn tweets.csv[/bold], or [bold]demo[/bold] "
    "to see it learn. Exit codes: 0 done, 1 nothing useful was learned, 2 misuse or bad input.",
)
app.add_typer(text.app)
app.add_typer(corpora.app, name="corpora")
app.add_typer(study.app)


def print_version(wanted: bool) -> None:
    """Print the version and stop, if that is wanted."""
    if wanted:
        typer.echo(f"spectralleader {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=print_version),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command line; an error is one line on standard error and exit code 2."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (KeyboardInterrupt, click.Abort):
        code = fail("stopped", STOPPED)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = MISUSE
    except click.ClickException as error:
        code = fail(with_advice(error), MISUSE)
    except (ValueError, OSError) as error:
        code = fail(str(error), MISUSE)
    sys.exit(code)


def fail(message: str, code: int) -> int:
    """Say in one line what went wrong; return the exit code."""
    line = " ".join(message.split())
    sys.stderr.write(f"spectralleader: {line}\n")
    return code


def with_advice(error: click.ClickException) -> str:
    """Return what is wrong with the arguments, and where to read of them."""
    context = getattr(error, "ctx", None)
    advice = f"; see {context.command_path} --help" if context is not None else ""
    return error.format_message().rstrip(".") + advice
