"""A real browser for tests of pages; skipped without a Chromium."""

import os
import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
SCREENS = {"narrow light": (400, "light"), "wide dark": (1600, "dark")}


@contextmanager
def browsing(screen, address, **settings):
    """Yield a page at an address, and what it reports: errors, and requests to elsewhere."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the extra dev, renewed")
    if CHROMIUM is None:
        pytest.skip("no Chromium here; name one by the variable CHROMIUM")
    width, scheme = screen
    with sync_api.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **settings
        )
        told = []
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("console", lambda line: told.append(line.text) if line.type == "error" else None)
        page.on(
            "request", lambda one: None if one.url.startswith(address) else told.append(one.url)
        )
        page.goto(address)
        yield page, told
        browser.close()
