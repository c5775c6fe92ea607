"""The page: what it shows, and that it is one file that loads nothing."""

import base64
import hashlib
import json
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from spectralleader import TextTopics, Unigram
from spectralleader.jobs import describe, learn
from spectralleader.page import describe_page, render
from spectralleader.page.content import end_at_word, list_shifts, place_topics
from spectralleader.reading.findings import MOST_SHIFTS
from spectralleader.reading.timeline import Timeline
from spectralleader.reading.trends import Trends
from spectralleader.storage import load_with_run
from tests.factories import model, texts
from tests.page.pages import written_topics


@pytest.fixture(scope="module")
def content():
    return describe_page(written_topics().read(), title="Weather & <goals>")


def test_every_level_has_topics_shares_and_places(content):
    numbers = [len(level["topics"]) for level in content["levels"]]
    assert numbers == [2, 3, 4, 5, 6, 7, 8, 9]
    for level, n in zip(content["levels"], numbers, strict=True):
        np.testing.assert_allclose([sum(row) for row in level["shares"]], 1.0, atol=1e-3)
        assert {len(row) for row in level["shares"]} == {n}
        assert len(level["shares"]) == len(level["fit"]) == len(content["time"]["starts"])
        assert all(len(topic["words"]) == 10 for topic in level["topics"])
    lost = [level["lost"] for level in content["levels"]]
    assert lost == sorted(lost, reverse=True)
    assert lost[-1] == 0.0


def test_topics_explain_documents_better_than_word_frequencies(content):
    assert np.mean(content["levels"][1]["fit"]) < np.mean(content["fit"]) - 0.2


def test_the_tree_has_all_topics_and_their_groups_at_every_level(content):
    leaves, merges = content["tree"]["leaves"], content["tree"]["merges"]
    assert len(leaves) == len(merges) + 1 == 9
    for i, level in enumerate(content["levels"]):
        n = len(level["topics"])
        assert {leaf["groups"][i] for leaf in leaves.values()} == set(range(n))


def test_documents_have_their_topic_at_every_level(content):
    assert 20 < len(content["documents"]) <= 2000
    for document in content["documents"]:
        sizes = [len(level["topics"]) for level in content["levels"]]
        assert all(g < n for g, n in zip(document["groups"], sizes, strict=True))
        assert document["interval"] < len(content["time"]["starts"])
    without = describe_page(written_topics().read(), title="t", texts=False)
    assert without["documents"] == []
    assert without["no_documents"] == "This page contains no documents."
    forgetful = TextTopics(2, timeline=Timeline(texts=False))
    forgetful.learn(texts(90)[0])
    told = describe_page(forgetful.read(), title="t")["no_documents"]
    assert told == "This page contains no documents: the model keeps no texts."


def test_leaves_of_the_tree_have_a_name_or_words(content):
    labels = [leaf["label"] for leaf in content["tree"]["leaves"].values()]
    assert labels[0] == "the first"
    assert all(len(label.split()) == 4 for label in labels[1:])


def test_the_page_is_one_file_that_loads_nothing(content):
    page = render({**content, "findings": ["</script><b>@css@"]})
    assert "<title>Weather &amp; &lt;goals&gt;</title>" in page
    assert page.count("</script>") == 2
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org)", page)
    held = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert json.loads(held[1])["findings"] == ["</script><b>@css@"]


def test_a_model_without_times_or_with_one_topic_has_a_page():
    alone = TextTopics(learner=Unigram(1))
    alone.learn(texts(50)[0])
    found = describe_page(alone.read(), title="t")
    assert [len(level["topics"]) for level in found["levels"]] == [1]
    assert found["time"]["step"] == "50 documents"
    empty = describe_page(TextTopics(3).read(), title="t", level=2)
    assert empty["time"]["starts"] == []
    assert render(empty)


def test_places_are_near_where_words_are_the_same():
    found = model(4, 30)
    places = place_topics(found)
    assert places.shape == (4, 2)
    assert np.isfinite(places).all()


def test_what_rose_is_listed_with_documents_on_either_side():
    n, late = np.full(20, 100), np.arange(20) >= 15
    shares = np.where(late, 0.5, 0.1)[:, None] * [1, 0] + np.where(late, 0.5, 0.9)[:, None] * [0, 1]
    found = list_shifts(Trends(False, 100.0 * np.arange(20), 100.0, n, n, shares))
    sides = {"position": 1500.0, "n_before": 1500, "n_after": 500, "when": "document 1,501"}
    assert found == [
        {"topic": 0, "before": 0.1, "after": 0.5, **sides, "shown": ["10.0\u00a0%", "50.0\u00a0%"]},
        {"topic": 1, "before": 0.9, "after": 0.5, **sides, "shown": ["90.0\u00a0%", "50.0\u00a0%"]},
    ]
    assert list_shifts(Trends(False, 100.0 * np.arange(20), 100.0, n // 50, n, shares)) == []


def test_the_page_and_the_terminal_report_the_same_changes():
    written, labels = texts(900)  # sorted by topic, so that all topics rise or fall
    order = sorted(range(900), key=lambda i: labels[i])
    changing = TextTopics(9, learner="hedged")
    start = datetime(2021, 11, 1, tzinfo=UTC)
    changing.learn([written[i] for i in order], [start + timedelta(hours=i) for i in range(900)])
    lines = describe(changing.read()).history
    listed = describe_page(changing.read(), title="t")["levels"][-1]["shifts"]
    for line, shift in zip(lines[:MOST_SHIFTS], listed[:MOST_SHIFTS], strict=True):
        before, after = (side.replace("\u00a0", "") for side in shift["shown"])
        assert line.startswith(f"Topic {shift['topic'] + 1} (")
        assert line.endswith(f": {before} of the documents before {shift['when']}, {after} since.")
    more = (
        f"{len(listed) - MOST_SHIFTS} more topics rose or fell: see the page (spectralleader page)."
    )
    assert lines[MOST_SHIFTS] == more


def test_weights_are_rounded_once():
    topics = written_topics()
    listed = describe_page(topics.read(), title="t")["levels"][-1]["topics"]
    assert [one["weight"] for one in listed] == topics.model.weights.tolist()


def test_a_truncated_text_ends_at_a_word():
    topics = TextTopics(2, learner="stepwise-em")
    topics.learn(["rain and storm " * 100] * 30)
    shown = {one["text"] for one in describe_page(topics.read(), title="t")["documents"]}
    assert all(text.endswith((" rain …", " and …", " storm …")) for text in shown)
    assert end_at_word("a\nwhole text", 100) == "a whole text"


def test_losses_over_the_stream_are_those_of_the_checkpoint(tmp_path):
    file = tmp_path / "texts.csv"
    file.write_text("\n".join(["text", *texts(600)[0]]))
    found = learn(file, n_topics=3, save=tmp_path / "saved.model")
    topics, run = load_with_run(str(tmp_path / "saved.model"))
    rows = describe_page(topics.read(), title="t", curve=run.curve)["losses"]
    assert rows == found.curve.rows()
    assert rows[-1][0] == found.losses.n_docs == 500  # the first block is not predicted
    assert rows[-1][1] < rows[-1][2] - 0.2
    assert describe_page(topics.read(), title="t")["losses"] == []


def test_a_word_of_any_length_is_cut_where_it_is_shown():
    topics = TextTopics(2, learner="stepwise-em")
    topics.learn(["x" * 500 + " rain", "goal late"] * 30)
    found = describe_page(topics.read(), title="t", texts=False)
    shown = [
        word for level in found["levels"] for topic in level["topics"] for word in topic["words"]
    ]
    assert "x" * 39 + "…" in shown
    assert max(map(len, shown)) == 40
    assert max(len(leaf["label"]) for leaf in found["tree"]["leaves"].values()) < 200


@pytest.mark.parametrize("live", [False, True])
def test_the_policy_allows_the_inline_elements_of_the_page_and_no_others(live):
    content = describe_page(written_topics().read(), title="Topics")
    page = render(content, live=live)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    inline = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in inline]
    assert re.findall(r"'sha256-([^']*)'", policy) == digests
    assert len(digests) == 2
    assert "\r" not in page
    assert "unsafe" not in policy
    assert ("connect-src 'self'" in policy) == live
