"""A page of topics: one self-contained HTML file with the content of the command `topics`.

`content` computes what the page shows; ``page.css`` and ``page.js`` define how it looks.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from spectralleader.page.content import describe_page, describe_reading

__all__ = ["describe_page", "describe_reading", "render"]

PARTS = {"html": "page.html", "css": "page.css", "js": "page.js"}
LIVE = {"live": "live.html", "live_js": "live.js"}


def render(content: dict[str, Any], *, live: bool = False) -> str:
    """Return the HTML of a page, given the content that `describe_page` returns.

    A live page is updated by events of its service.
    """
    parts = read_parts(live=live)
    # "</script>" in a document must not end the script element.
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    filled = {"title": html.escape(content["title"]), "policy": policy_of(live=live), "data": data}
    filled |= parts
    # In one pass, because the inserted parts may contain such a mark.
    return re.sub(
        "@(title|policy|css|js|data|live|live_js)@", lambda mark: filled[mark[1]], parts["html"]
    )


@cache
def policy_of(*, live: bool) -> str:
    """Return the content security policy of a page: nothing is loaded, and nothing else runs.

    Only a live page may connect to its service.
    """
    parts = read_parts(live=live)
    # The elements begin with a line feed.
    style, script = (
        digest_of("\n" + code) for code in (parts["css"], parts["js"] + parts["live_js"])
    )
    policy = f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'"
    return f"{policy}; form-action 'none'" + ("; connect-src 'self'" if live else "")


def digest_of(code: str) -> str:
    """Return the source expression that allows an inline element."""
    return f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'"


def read_parts(*, live: bool) -> dict[str, str]:
    """Return the parts of a page, "" for those that only a live one has."""
    parts = {name: read_part(file) for name, file in PARTS.items()}
    return parts | {name: read_part(file) if live else "" for name, file in LIVE.items()}


def read_part(file: str) -> str:
    """Return a part of the page."""
    return files("spectralleader.page").joinpath(file).read_text(encoding="utf-8")
