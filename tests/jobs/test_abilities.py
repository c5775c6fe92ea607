"""Abilities: a learner from elsewhere is shown like ours if it has the members, whatever its class.

The learner is in no way related to `HedgedLeader`.
"""

import pytest

from spectralleader import TextTopics, Unigram, Window, register_learner
from spectralleader.jobs import describe
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.protocol import HasRecent, Refits, Remembers, Reports, remembered
from spectralleader.reading.findings import describe_stale_names, describe_trust
from spectralleader.serve.service import Service


@register_learner
class Watchful(Unigram):
    """Word frequencies of all documents, and of the last three; it reports what a test says."""

    events = (
        Event(2, EventKind.CHANGED),
        Event(3, EventKind.RESTARTED, (0,), 0.25),
        Event(4, EventKind.RESCUED, (0,), 0.0, n_used=1),
    )
    drifts_since = 2
    settles_at = 10

    def __init__(self, n_topics=1, *, n_words=None, seed=0):
        super().__init__(1, n_words=n_words, seed=seed)
        self.window = Window(3, n_words=self.n_words)
        self._recent = Unigram(1)

    def _learn(self, block):
        super()._learn(block)
        self.window.add(block)
        self._recent.learn(block[-3:])

    @property
    def recent(self):
        return self._recent.model


@pytest.fixture
def topics():
    topics = TextTopics(learner=Watchful(), min_count=1)
    topics.learn(["rain and wind", "wind and rain"], position=1)
    topics.name(0, "weather")
    topics.learn(["late goal", "a goal", "goal late"], position=2)
    return topics


def test_abilities_are_members():
    assert isinstance(Watchful(), HasRecent)
    assert isinstance(Watchful(), Reports)
    assert not isinstance(Watchful(), Remembers)
    assert not isinstance(Watchful(), Refits)
    assert not isinstance(Unigram(1), HasRecent | Reports)
    assert remembered(Unigram(1), recent=True) is remembered(Watchful()) is None


def test_its_events_drift_and_provisional_topics_are_worded_like_ours(topics):
    assert describe(topics.read()).events == [
        "After 2 documents the stream changed.",
        "After 3 documents topic 1, which was unused, was re-initialised; 25% of the remembered "
        "documents changed their topic.",
        "After 4 documents topic 1 was raced again, because only 1 were in use; no documents "
        "moved.",
        "Topics are provisional: until 10 documents with known words are learned (so far 5), they "
        "may be replaced by better ones and renumbered.",
        "The stream has changed since document 3: use --recent for the topics of the last "
        "documents.",
        *describe_stale_names(topics.read()),
    ]
    assert len(describe_stale_names(topics.read())) == 1
    assert any(
        "changed since document 3" in line for line in describe_trust(describe(topics.read()))
    )


def test_its_recent_topics_are_described(topics):
    found = describe(topics.read(recent=True))
    assert found.n_recent == 3
    assert found.topics[0]["words"][0]["word"] == "goal"


def test_the_service_answers_with_its_events(topics, tmp_path):
    service = Service(tmp_path / "saved.model")
    service.show(topics)
    shown = service.published.events
    assert shown.drifts_since == 2
    assert [change.kind for change in shown.events] == ["changed", "restarted", "rescued"]
    assert any("the stream changed" in line for line in shown.findings)
