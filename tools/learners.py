"""What learners say of themselves, for the documentation: filled in when the site is built.

MkDocs calls `on_page_markdown`, so that a new learner is in the table and the reference by itself.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from spectralleader.learners import LEARNERS, HasRecent, Learner, Merges, Remembers

HEAD = """| learner | what it is | remembers | bytes of memory | merged |
|---|---|---|---|---|"""
LISTED = "{{ learners }}"  # where the page of the reference lists them
TABLE = "{{ table of learners }}"  # where the page on choosing a learner compares them
ABILITIES = {Remembers: "documents of the whole stream", HasRecent: "the last documents"}


def table() -> str:
    """Return the table of all learners."""
    return "\n".join([HEAD, *(row(name, learner) for name, learner in LEARNERS.items())])


def row(name: str, learner: type[Learner]) -> str:
    """Return a learner as a row: the first line of its docstring, what it can do, its notes."""
    text = inspect.getdoc(learner) or ""
    remembers = [what for ability, what in ABILITIES.items() if has(learner, ability)]
    merged = note(text, "Merging") if has(learner, Merges) else "no"
    remembered = ", ".join(remembers) or "no documents"
    if "memory grows" in text.lower():
        remembered = "all documents"
    what = f"`{learner.__name__}`: {text.splitlines()[0].rstrip('.')}"
    return f"| `{name}` | {what} | {remembered} | {note(text, 'Memory')} | {merged} |"


def has(learner: type[Learner], ability: type) -> bool:
    """Return whether a class has the members of an ability."""
    own = {name for name in vars(ability) if name[0] != "_"}
    return all(hasattr(learner, name) or name in learner.saved for name in own)


def note(text: str, name: str) -> str:
    """Return a paragraph of the notes of a docstring in one line."""
    found = re.search(rf"^{name}: (.*?)\.(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else "not said"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in what a page asks for; MkDocs calls this for each page."""
    names = (f"::: {one.__module__}.{one.__qualname__}" for one in LEARNERS.values())
    return markdown.replace(LISTED, "\n\n".join(names)).replace(TABLE, table())
