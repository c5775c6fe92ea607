"""Renew the outputs and figures of docs/events.md: ``python -m tools.examples``.

Runs each script of docs/examples, writes its figure, and replaces the output that the page shows.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "events.md"
SCRIPTS = ("movielens_users", "system_logs")


def shown(page: str, script: str) -> re.Pattern[str]:
    """Return a pattern of the block in which a page shows the command of a script."""
    pattern = rf"(```text\n\$ [^\n]*docs\.examples\.{script}\n)(.*?)(```)"
    compiled = re.compile(pattern, re.DOTALL)
    if compiled.search(page) is None:
        raise ValueError(f"no page block shows the output of {script}")
    return compiled


def renew(script: str) -> None:
    """Run a script, and replace what the page shows."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", f"docs.examples.{script}", folder]
        run = subprocess.run(command, cwd=DOCS.parent, check=True, capture_output=True, text=True)
        for figure in Path(folder).glob("*.svg"):
            (DOCS / "figures" / figure.name).write_bytes(figure.read_bytes())
    text = PAGE.read_text(encoding="utf-8")
    block = shown(text, script)
    text = block.sub(lambda found: found[1] + run.stdout + found[3], text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for script in SCRIPTS:
        renew(script)
