"""Write the reference of the command line, from the commands themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """# Commands

What `spectralleader COMMAND --help` says. Made by `make docs`; do not edit.
"""


def page() -> str:
    """Return the page: every command with its help."""
    from typer.main import get_command

    from spectralleader.cli.app import app

    sections = [section(path, command) for path, command in commands(get_command(app))]
    return "\n".join([HEAD, *sections])


def commands(command: Any, path: str = "spectralleader") -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with all its names."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    if command.invoke_without_command:  # a group that does something by itself
        yield path, command
    for name, part in command.commands.items():
        yield from commands(part, f"{path} {name}")


def section(path: str, command: Any) -> str:
    """Return one command: what it does, its options, examples."""
    context = command.make_context(path, [], resilient_parsing=True)
    lines = [f"## {path.removeprefix('spectralleader ')}", "", plain(command.help or ""), ""]
    usage = " ".join(command.collect_usage_pieces(context))
    lines += ["```text", f"{path} {usage}", "```", ""]
    rows = [row(parameter, context) for parameter in command.params if not is_hidden(parameter)]
    if rows:
        lines += ["| | |", "|---|---|", *rows, ""]
    if command.epilog:
        lines += [plain(command.epilog), ""]
    return "\n".join(lines)


def is_hidden(parameter: Any) -> bool:
    """Return whether a parameter is not shown: hidden, or --help itself."""
    return bool(getattr(parameter, "hidden", False)) or parameter.name == "help"


def row(parameter: Any, context: Any) -> str:
    """Return an argument or option as a line of a table."""
    name, text = parameter.get_help_record(context) or (parameter.name, "")
    text = plain(text).replace("\n", " ").replace("|", "\\|")
    return f"| `{name.replace('|', chr(92) + '|')}` | {text} |"


def plain(text: str) -> str:
    """Return help without the terminal's markup: bold becomes code."""
    text = re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", text, flags=re.DOTALL)
    return re.sub(r"\[/?(?:dim|italic|green|yellow|red|cyan)\]", "", text).strip()


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    PAGE.write_text(page(), encoding="utf-8")
