"""Render: what a page shows, its style and its script, as one HTML file."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

# Nothing may be loaded from anywhere: a browser would refuse it.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def render(content: dict[str, Any]) -> str:
    """Return the HTML of a page; `content` is what `describe_page` returns."""
    folder = files("spectralleader.page")
    parts = {
        name: folder.joinpath(f"page.{name}").read_text(encoding="utf-8")
        for name in ("html", "css", "js")
    }
    # "</script>" in a document must not end the script that holds it
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    filled = {"title": html.escape(content["title"]), "policy": POLICY, "data": data, **parts}
    # at once: what is filled in may hold such a mark itself
    return re.sub("@(title|policy|css|js|data)@", lambda mark: filled[mark[1]], parts["html"])
