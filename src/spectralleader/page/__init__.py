"""A page of topics: one self-contained HTML file with the content of the command `topics`.

`content` computes what the page shows; ``page.css`` and ``page.js`` define how it looks.
"""

from spectralleader.page.content import describe_page, describe_snapshot
from spectralleader.page.render import render

__all__ = ["describe_page", "describe_snapshot", "render"]
