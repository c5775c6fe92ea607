"""Formulas in pages, turned into MathML while the site is built: no script, no network."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

CODE = r"```.*?```|`[^`\n]+`"
DISPLAYED = re.compile(rf"({CODE})|\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(rf"({CODE})|\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)", re.DOTALL)
NUMBER = re.compile(r"\\tag\{(\d+[a-z]?)\}")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the formulas of a page; MkDocs calls this for each."""
    markdown = DISPLAYED.sub(lambda found: found[1] or displayed(found[2]), markdown)
    return INLINE.sub(lambda found: found[1] or mathml(found[2], "inline"), markdown)


def displayed(formula: str) -> str:
    """Return a formula on a line of its own, with its number."""
    number = NUMBER.search(formula)
    label = f'<span class="number">({number[1]})</span>' if number else ""
    anchor = f' id="eq-{number[1]}"' if number else ""
    return f'<div class="formula"{anchor}>{mathml(NUMBER.sub("", formula), "block")}{label}</div>'


def mathml(formula: str, display: str) -> str:
    """Return a formula as MathML, in one line."""
    return convert(formula.strip(), display=display).replace("\n", " ")
