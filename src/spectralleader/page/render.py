"""Render: what a page shows, its style and its script, as one HTML file."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

# Nothing may be loaded from anywhere: a browser would refuse it. A live page asks its service.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
ASKS = "; connect-src 'self'"
PARTS = {"html": "page.html", "css": "page.css", "js": "page.js"}
LIVE = {"live": "live.html", "live_js": "live.js"}


def render(content: dict[str, Any], *, live: bool = False) -> str:
    """Return the HTML of a page; `content` is what `describe_page` returns.

    A live page is renewed by the events of the service that it comes from.
    """
    parts = {name: read(file) for name, file in PARTS.items()}
    parts |= {name: read(file) if live else "" for name, file in LIVE.items()}
    # "</script>" in a document must not end the script that holds it
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = POLICY + ASKS if live else POLICY
    filled = {"title": html.escape(content["title"]), "policy": policy, "data": data, **parts}
    # at once: what is filled in may hold such a mark itself
    return re.sub(
        "@(title|policy|css|js|data|live|live_js)@", lambda mark: filled[mark[1]], parts["html"]
    )


def read(file: str) -> str:
    """Return a part of the page."""
    return files("spectralleader.page").joinpath(file).read_text(encoding="utf-8")
