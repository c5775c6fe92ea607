"""The live page in a real browser: charts, a text tried, an update after a POST, nothing run.

Needs a Chromium, found by its name or by the variable `CHROMIUM`.
"""

import pytest

from spectralleader import TextTopics, save
from tests.browser import SCREENS, browsing
from tests.factories import texts
from tests.serve.serving import Serving

TOKEN = "a-token-of-24-characters"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    (folder / "token").write_text(TOKEN)
    topics = TextTopics(6)
    topics.learn(texts(900)[0])
    path = save(topics, folder / "t.model")
    with Serving(path, "--token-file", str(folder / "token")) as found:
        yield found


@pytest.fixture(params=SCREENS.values(), ids=SCREENS.keys())
def page(request, service):
    known = {"username": "me", "password": TOKEN}
    with browsing(request.param, service.address, http_credentials=known) as (found, told):
        found.locator("#live", has_text="learned").wait_for()
        yield found
        assert [line for line in told if "401" not in line] == []  # the browser asks without first


def learn(service, some):
    answer = service.post("/learn", {"texts": some}, Authorization=f"Bearer {TOKEN}")
    assert answer.status == 202


def test_levels_are_chosen(page):
    page.locator("#level").focus()
    page.keyboard.press("End")
    assert page.locator("#level-shown").inner_text() == "6"
    assert page.locator(".card").count() == page.evaluate("used().length") > 2
    page.keyboard.press("Home")
    assert page.locator(".card").count() == 2
    page.locator(".card").nth(1).click()
    assert page.locator(".card[aria-pressed=true]").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_text_is_typed_and_classified(page):
    page.locator("#try-text").fill("the referee gave a penalty, and the striker scored a goal")
    page.get_by_role("button", name="Classify").click()
    page.locator("#tried", has_text="known words").wait_for()
    assert "topic" in page.locator("#tried").inner_text()
    page.locator("#try-text").fill("zebra")
    page.get_by_role("button", name="Classify").click()
    page.locator("#tried", has_text="no known words").wait_for()


def test_what_is_posted_is_seen(page, service):
    before = service.n_docs
    learn(service, ["the vaccine and the virus of this page"])
    page.locator("#latest", has_text="of this page").wait_for(timeout=15_000)
    page.locator("#live", has_text=f"{before + 1:,} documents learned").wait_for()
    page.locator("#summary", has_text=f"{before + 1:,} documents,").wait_for(timeout=120_000)


def test_a_document_is_shown_and_never_run(page, service):
    evil = "goal <script>window.run = 1</script><img src=x onerror='window.run = 1'> cup"
    learn(service, [evil, "</script><script>window.run = 1</script> goal cup"])
    page.locator("#latest", has_text="<script>window.run = 1</script>").first.wait_for()
    page.reload()  # it is in the page itself now
    page.locator("#latest", has_text="<script>window.run = 1</script>").first.wait_for()
    assert page.evaluate("window.run") is None
    assert page.locator("#latest img, #documents img").count() == 0


def test_the_curve_of_losses_grows(page, service):
    for _ in range(3):
        learn(service, texts(200)[0])
        page.wait_for_timeout(1300)
    page.locator("#technical-loss > summary").click()
    page.locator("#loss svg path").first.wait_for()
    assert page.locator("#loss svg [tabindex='0']").count() == 2
