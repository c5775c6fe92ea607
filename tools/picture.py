"""Take docs/figures/page.png, the top of the demonstration's page: ``python -m tools.picture``.

It needs a Chromium, which the variable CHROMIUM may name.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from rich.console import Console

from spectralleader.page import describe_page, render
from study.demo import show_tweets

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "page.png"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
LEVEL = 4  # few enough for one row of cards
WIDTH, UNTIL = 1200, "#s-time"  # pixels, and the last section in the picture
MARGIN = 16


def main() -> None:
    """Learn the tweets, write their page and photograph it."""
    topics = show_tweets(Console(), seed=0)
    content = describe_page(topics.read(), title="Health news on Twitter", level=LEVEL)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "topics.html"
        path.write_text(render(content), encoding="utf-8")
        take_picture(path)


def take_picture(path: Path) -> None:
    """Save the page down to the chart of shares over time."""
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto(path.as_uri())
        last = page.locator(UNTIL).bounding_box()
        if last is None:
            raise RuntimeError(f"the page has no visible section {UNTIL}")
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": last["y"] + last["height"] + MARGIN}
        page.screenshot(path=PICTURE, full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
