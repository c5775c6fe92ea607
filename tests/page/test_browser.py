"""The page in a real browser: nothing is loaded, nothing fails, controls work.

Needs the extra `browser` and a Chromium, found by its name or by the variable `CHROMIUM`.
"""

import os
import shutil

import pytest

from spectralleader.page import describe_page, render
from tests.page.pages import written_topics

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("page") / "topics.html"
    topics = written_topics()
    content = describe_page(topics, title="Topics", level=topics.tree().suggested)
    found.write_text(render(content), encoding="utf-8")
    return found


@pytest.fixture(params=[(400, "light"), (1600, "dark")], ids=["narrow light", "wide dark"])
def page(request, path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    if CHROMIUM is None:
        pytest.skip("no Chromium here; name one by the variable CHROMIUM")
    width, scheme = request.param
    with sync_api.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        told: list[str] = []
        found.on("pageerror", lambda error: told.append(str(error)))
        found.on("console", lambda line: told.append(line.text) if line.type == "error" else None)
        found.on("request", lambda one: told.append(one.url) if "topics.html" not in one.url else 0)
        found.goto(path.as_uri())
        yield found
        assert told == []
        browser.close()


def test_the_slider_changes_the_number_of_topics(page):
    page.locator("#level").focus()
    page.keyboard.press("End")
    assert page.locator(".card").count() == 9
    assert page.locator("#level-shown").inner_text() == "9"
    page.keyboard.press("Home")
    assert page.locator(".card").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_topic_is_chosen_by_keyboard_and_shows_its_documents(page):
    page.locator(".card").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator(".card[aria-pressed=true]").count() == 1
    assert "Typical of topic 2" in page.locator("#documents-note").inner_text()
    assert page.locator("#documents blockquote").count() > 3


def test_pointing_at_a_chart_tells_a_share_and_dragging_zooms(page):
    chart = page.locator("#time svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    x, y = box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.4
    page.mouse.move(x, y)
    assert "documents" in page.locator("#tip").inner_text()
    page.mouse.down()
    page.mouse.move(x + box["width"] * 0.3, y, steps=5)
    page.mouse.up()
    assert int(page.locator("#from").input_value()) > 0
    page.locator("#reset").click()
    assert page.locator("#from").input_value() == "0"


def test_every_chart_has_a_table_and_marks_that_are_reached_by_keyboard(page):
    for chart in ("time", "map", "tree", "fit"):
        assert page.locator(f"#{chart} svg [tabindex='0']").count() > 0
        page.locator(f"#{chart}-table summary").click()
        assert page.locator(f"#{chart}-table tr").count() > 2
