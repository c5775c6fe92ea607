"""The page in a real browser: nothing is loaded, nothing fails, controls work.

Needs a Chromium, found by its name or by the variable `CHROMIUM`.
"""

import pytest

from spectralleader.page import describe_page, render
from spectralleader.storage.checkpoint import LossCurve, LossPoint
from tests.browser import SCREENS, browsing
from tests.page.pages import written_topics


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("page") / "topics.html"
    topics = written_topics()
    curve = LossCurve()
    for i in range(20):
        curve.add(LossPoint(100, 900.0, 5000.0 - 20 * i, 5400.0))
    content = describe_page(
        topics.read(), title="Topics", level=topics.tree().suggested, curve=curve
    )
    found.write_text(render(content), encoding="utf-8")
    return found


@pytest.fixture(params=SCREENS.values(), ids=SCREENS.keys())
def page(request, path):
    with browsing(request.param, path.as_uri(), reduced_motion="reduce") as (found, told):
        yield found
        assert told == []


def test_the_slider_changes_the_number_of_topics(page):
    page.locator("#level").focus()
    page.keyboard.press("End")
    assert page.locator(".card").count() == page.evaluate("used().length")
    assert page.locator("#level-shown").inner_text() == "9"
    page.keyboard.press("Home")
    assert page.locator(".card").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_topic_is_chosen_by_keyboard_and_shows_its_documents(page):
    page.locator(".card").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator(".card[aria-pressed=true]").count() == 1
    assert "Typical documents of topic 2" in page.locator("#documents-note").inner_text()
    assert page.locator("#documents blockquote").count() > 3


def test_unused_topics_are_counted_and_not_shown(page):
    page.evaluate("level().topics[0].used = false; draw(); $('technical').open = true; draw()")
    n = page.evaluate("level().topics.length")
    unused = page.locator("#unused")
    assert unused.inner_text().startswith(f"{n - 1} of {n} topics are in use: choose fewer")
    # Before the topics, so that it is read first.
    assert unused.bounding_box()["y"] < page.locator("#topics").bounding_box()["y"]
    assert page.locator(".card").count() == n - 1
    assert page.locator("#legend span").count() == page.locator("#map circle").count() == n - 1


def test_a_long_document_is_cut_at_a_word_and_expanded_by_keyboard(page):
    page.evaluate("data.documents.forEach((d, i) => { d.text = `rain${i} `.repeat(99); }); draw()")
    document = page.locator("#documents summary").first
    assert document.inner_text().endswith("\u00a0…")
    short = len(document.inner_text())
    document.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#documents summary').textContent.length > 500")
    assert short < 230
    page.evaluate("draw()")
    page.wait_for_function("document.querySelector('#documents summary').textContent.length > 500")


def test_dates_without_a_time_are_shown_as_dates(page):
    assert page.evaluate("when(86400 * 17000, true)") == "18 Jul 2016"
    assert page.evaluate("when(86400 * 17000 + 60, true)") == "18 Jul 2016 00:01"


def test_the_axis_is_proportional_and_sparse_times_have_no_shares(page):
    page.evaluate(
        """() => {
          const time = data.time;
          time.starts[0] -= 300 * 86400; time.ends[0] = time.starts[0] + 86400;
          time.n_sampled[0] = time.n_docs[0] = 1;
          draw();
        }"""
    )
    thin, svg = page.locator("#time .thin"), page.locator("#time svg")
    assert thin.count() == 1
    assert thin.bounding_box()["width"] < svg.bounding_box()["width"] / 50
    assert "1 document: too few" in thin.get_attribute("aria-label")
    labels = page.locator("#time text").all_text_contents()
    assert "Jul 2021" in labels or "2021" in labels


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
    page.locator("#technical > summary").click()
    page.locator("#losses svg").wait_for()
    for chart in ("time", "map", "tree", "fit", "losses"):
        assert page.locator(f"#{chart} svg [tabindex='0']").count() > 0
        page.locator(f"#{chart}-table summary").click()
        assert page.locator(f"#{chart}-table tr").count() > 2


OVERLAPS = """() => {
  const labels = [...document.querySelectorAll("#map text")];
  const boxes = labels.map(node => node.getBoundingClientRect());
  return boxes.some((a, i) => boxes.slice(i + 1).some(b =>
    a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom));
}"""


def test_labels_of_the_map_do_not_overlap_with_many_topics(page):
    page.locator("#technical > summary").click()
    page.locator("#map svg").wait_for()
    page.evaluate(
        """() => {
          level().topics = Array.from({ length: 64 }, (_, k) => ({
            name: "", weight: 1 / 64, used: true,
            words: ["word" + k, "x".repeat(39) + "…", "third"],
            x: Math.sin(k * k) * .1, y: Math.cos(7 * k) * .1 }));
          drawMap();
        }"""
    )
    assert page.locator("#map text").count() > 32
    assert not page.evaluate(OVERLAPS)


def test_in_print_charts_are_there_and_controls_are_not(page):
    assert not page.locator("#losses svg").is_visible()
    page.emulate_media(media="print")
    page.locator("#losses svg").wait_for()
    assert not page.locator("#level").is_visible()
    assert not page.locator("#reset").is_visible()
    page.emulate_media(media="screen")
    page.locator("#losses svg").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (7.31, 8.04, ["7.4", "7.6", "7.8", "8.0"]),
        (0, 0.5, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]),
        (6.981, 7.02, ["6.99", "7.00", "7.01", "7.02"]),
        (3, 61, ["20", "40", "60"]),
    ],
)
def test_ticks_are_evenly_spaced_round_numbers(page, low, high, labels):
    assert [one[1] for one in page.evaluate(f"roundTicks({low}, {high})")] == labels


def test_without_documents_nobody_is_sent_to_look_for_them(page):
    note = page.locator("#topics-note")
    assert note.inner_text() == "Choose a topic to see its documents."
    page.evaluate("renew({ ...data, documents: [], no_documents: 'No texts.' })")
    assert note.inner_text() == page.locator("#documents-note").inner_text() == "No texts."


def test_further_rises_and_falls_are_listed_on_request(page):
    page.evaluate(
        """() => {
          const one = { topic: 0, before: .1, after: .5, position: 0, n_before: 90, n_after: 80,
                        when: "1 Feb", shown: ["10.0 %", "50.0 %"] };
          level().shifts = Array(5).fill(one);
          draw();
        }"""
    )
    assert page.locator("#shifts > div > div > ul > li").count() == 3
    shown = page.locator("#shifts li").first.inner_text()
    assert shown.endswith(": 50.0 % since 1 Feb (40 of 80), 10.0 % before (9 of 90).")
    page.locator("#shifts summary", has_text="and 2 more").click()
    assert page.locator("#shifts details li").nth(1).is_visible()
