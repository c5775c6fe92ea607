"""Saving: a `TextTopics` as arrays and plain values, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spectralleader.checks import check_json
from spectralleader.checks.states import part, plain, text, whole
from spectralleader.learners.registry import name_of, stored_learner
from spectralleader.text.annotations import TopicAnnotations
from spectralleader.text.timeline import Timeline
from spectralleader.text.vectoriser import Vectoriser

if TYPE_CHECKING:
    from spectralleader.text.topics import TextTopics

MAX_POSITION = 2**20  # characters of a stored position


def to_state(topics: TextTopics) -> dict[str, Any]:
    """Return all that is needed to resume, as arrays and plain values."""
    position = topics.position
    return {
        "learner": {**topics.learner.to_state(), "kind": name_of(topics.learner)},
        "vectoriser": topics.vectoriser.to_state(),
        "block_size": topics.block_size,
        "n_docs": topics.n_docs,
        "n_empty": topics.n_empty,
        "timeline": topics.timeline.to_state(),
        **topics.annotations.to_state(),
        "position": None if position is None else check_json("a position", position),
    }


def from_state(cls: type[TextTopics], state: dict[str, Any]) -> TextTopics:
    """Return what `to_state` described, checked."""
    stored = part(state, "learner")
    vectoriser = Vectoriser.from_state(part(state, "vectoriser"))
    topics = cls(
        learner=stored_learner(text(stored, "kind")).from_state(stored),
        vocabulary=vectoriser.vocabulary,
        words=vectoriser.words,
        block_size=whole(state, "block_size", 1),
    )
    topics.n_docs = whole(state, "n_docs")
    topics.n_empty = whole(state, "n_empty", 0, topics.n_docs)
    if "timeline" in state:  # files of version 0.1.0 have none
        topics.timeline = Timeline.from_state(part(state, "timeline"))
    topics.annotations = TopicAnnotations.from_state(state, topics.learner.n_topics)
    if state.get("position") is not None:  # nor a position
        topics.position = plain(state, "position", MAX_POSITION)
    return topics
