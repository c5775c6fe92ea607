"""Output: a console for a terminal of any width, or for a file or pipe."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Console
from rich.text import Text

PIPE_WIDTH = 120  # width of the output without a terminal
HANGING = "    "  # indentation of the further lines of a text


class PlainConsole(Console):
    """A console for a file or a pipe: lines have no trailing spaces."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print like `Console`, without the spaces that fill up the cells of tables."""
        with self.capture() as printed:
            super().print(*objects, **options)
        self.file.write(re.sub(r" +$", "", printed.get(), flags=re.MULTILINE))
        self.file.flush()


def make_output() -> Console:
    """Return a console for standard output."""
    console = Console(highlight=False)
    return console if console.is_terminal else PlainConsole(highlight=False, width=PIPE_WIDTH)


def say(out: Console, line: str) -> None:
    """Print a line; on a terminal, break it between words."""
    out.print(line, soft_wrap=not out.is_terminal, markup=False)


def say_whole(out: Console, line: str) -> None:
    """Print a line that contains something to copy, without breaking it."""
    out.print(line, soft_wrap=True, markup=False)


def say_hanging(out: Console, text: Text) -> None:
    """Print a text; if it is longer than a line, indent its further lines."""
    first, *others = text.wrap(out, max(20, out.width - len(HANGING)))
    for line in (first, *(Text(HANGING) + other for other in others)):
        line.rstrip()
        out.print(line, soft_wrap=True)
