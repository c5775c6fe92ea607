"""A page of topics to send: one HTML file that needs no network, and says what `topics` says.

Here belongs what the page shows (`content`) and how it looks (`page.css`, `page.js`). What topics
are is in `text` and `jobs`.
"""

from spectralleader.page.content import describe_held, describe_page
from spectralleader.page.render import render

__all__ = ["describe_held", "describe_page", "render"]
