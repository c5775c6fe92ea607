"""One thing of every kind that can be saved, learned a little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import spectralleader.river
import spectralleader.sklearn
from spectralleader import (
    LEARNERS,
    Everything,
    GrowingVocabulary,
    Reservoir,
    SpectralLeader,
    TextTopics,
    Vocabulary,
    Window,
    Words,
)
from spectralleader.learners.learner_base import Fixed
from tests.factories import checkpoint, documents, model, texts

BLOCK = documents(60)


def things() -> Iterator[tuple[str, Any]]:
    """Yield every kind once, by its name in files."""
    for name, learner in LEARNERS.items():
        yield f"learner/{name}", learned(learner(2, n_words=BLOCK.n_words))
    for name, sample in (
        ("reservoir", Reservoir(9)),
        ("window", Window(9)),
        ("everything", Everything()),
    ):
        sample.add(BLOCK)
        yield f"sample/{name}", sample
    growing = GrowingVocabulary(10)
    growing.count_texts(["grün und blau", "ein 漢字"], Words())
    yield "vocabulary/growing", growing
    yield "vocabulary/given", Vocabulary(["grün", "blau"])
    yield "model", model()
    yield "documents", BLOCK[:20]
    topics = TextTopics(3, learner="stepwise-em")
    topics.learn(texts(50)[0])
    yield "text-topics", topics
    yield "checkpoint", checkpoint(topics)
    yield "learner/fixed", Fixed(model())


def more_things() -> Iterator[tuple[str, Any]]:
    """Yield the same kinds in other states: new, grown, with a full sample, over given words."""
    for name, learner in LEARNERS.items():
        yield f"new learner/{name}", learner(3, n_words=4)
        yield f"grown learner/{name}", learned(learner(2))
    for sample in (Reservoir(20), Window(20), Everything()):
        leader = SpectralLeader(2, sample=sample)
        for block in documents(100, 30).blocks(1):
            leader.learn(block)
        yield f"spectral over {type(sample).__name__}", leader
    counted = GrowingVocabulary(2000, min_count=2)
    counted.count_texts([f"word{i}" for i in range(1010)], Words())  # ten of them are rare
    yield "vocabulary with rare words", counted
    tokens = TextTopics(2, words="tokens", learner="stepwise-em")
    tokens.learn([["rain", 7], {"goal": 2}] * 20, position={"kind": "queue", "at": [1, None, "x"]})
    yield "topics of tokens", tokens
    topics = TextTopics(2, vocabulary=["rain", "goal", "dose"], learner="spectral")
    topics.learn(texts(50)[0])
    yield "text-topics over given words", topics
    bags = [{"rain": 2, "wind": 1}, {"goal": 1, "late": 2}] * 20
    yield "scikit-learn", spectralleader.sklearn.SpectralTopics(2, learner="stepwise-em").fit(bags)
    river = spectralleader.river.SpectralTopics(2, learner="stepwise-em")
    river.learn_many(bags)
    yield "river", river


def learned(learner: Any) -> Any:
    """Return a learner that has learned, in two steps."""
    learner.learn(BLOCK[:40])
    learner.learn(BLOCK[40:])
    return learner
