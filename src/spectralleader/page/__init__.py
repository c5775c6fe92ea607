"""A page of topics: one self-contained HTML file with the content of the command `topics`.

`content` computes what the page shows; ``page.css`` and ``page.js`` define how it looks.
"""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

from spectralleader.page.content import describe_page, describe_reading

__all__ = ["describe_page", "describe_reading", "render"]

# Content security policy: browsers load nothing; only a live page may connect to its service.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
ASKS = "; connect-src 'self'"
PARTS = {"html": "page.html", "css": "page.css", "js": "page.js"}
LIVE = {"live": "live.html", "live_js": "live.js"}


def render(content: dict[str, Any], *, live: bool = False) -> str:
    """Return the HTML of a page, given the content that `describe_page` returns.

    A live page is updated by events of its service.
    """
    parts = {name: read_part(file) for name, file in PARTS.items()}
    parts |= {name: read_part(file) if live else "" for name, file in LIVE.items()}
    # "</script>" in a document must not end the script element.
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    policy = POLICY + ASKS if live else POLICY
    filled = {"title": html.escape(content["title"]), "policy": policy, "data": data, **parts}
    # In one pass, because the inserted parts may contain such a mark.
    return re.sub(
        "@(title|policy|css|js|data|live|live_js)@", lambda mark: filled[mark[1]], parts["html"]
    )


def read_part(file: str) -> str:
    """Return a part of the page."""
    return files("spectralleader.page").joinpath(file).read_text(encoding="utf-8")
