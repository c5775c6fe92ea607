"""Typical documents of each topic: of the timeline, with their text, or of those remembered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.reading.findings import printable
from spectralleader.reading.snapshot import Snapshot
from spectralleader.reading.trends import TimelineSample, name_position

# Known words of a document worth showing: shorter ones are often empty phrases. Where most
# documents are shorter, half of them are worth it.
MIN_WORDS = 5
LOOKED_AT = 20  # documents tried for each one shown: some have the same words
MIN_TYPICAL = 3  # fewest words of a remembered document that is typical


def typicality(model: TopicModel, documents: Documents, posterior: Floats) -> Floats:
    """Return how typical each document is of its likeliest topic, (n_docs,).

    This is P(topic | document) times the geometric mean of the probabilities of its words.
    """
    rows = np.repeat(np.arange(documents.n_docs), np.diff(documents.indptr))
    probabilities = model.topics[posterior.argmax(axis=1)[rows], documents.words]
    logs = np.log(np.maximum(probabilities, np.finfo(float).tiny)) * documents.counts
    means = np.bincount(rows, logs, documents.n_docs) / np.maximum(documents.lengths, 1.0)
    return np.asarray(np.exp(means) * posterior.max(axis=1))


def most_typical(documents: Documents, scores: Floats, n: int) -> list[int]:
    """Return the n documents with the largest positive scores; of those with equal words, one."""
    shown: dict[bytes, int] = {}
    for i in np.argsort(-scores, kind="stable")[: LOOKED_AT * n].tolist():
        if scores[i] <= 0.0 or len(shown) == n:
            break
        shown.setdefault(documents[i].words.tobytes(), i)
    return list(shown.values())


def find_typical(
    model: TopicModel, documents: Documents, posterior: Floats, n: int, is_shown: NDArray[np.bool_]
) -> list[list[int]]:
    """Return the n documents that are most typical of each topic, of those that may be shown."""
    best, scores = posterior.argmax(axis=1), typicality(model, documents, posterior) * is_shown
    # Of its own topic only, however well a document fits another one.
    return [most_typical(documents, scores * (best == k), n) for k in range(model.n_topics)]


def typical_texts(
    model: TopicModel, sampled: TimelineSample, n: int, *, since: int = 0
) -> list[list[dict[str, Any]]]:
    """Return the n sampled texts most typical of each topic, from an interval on, as rows."""
    documents, posterior = sampled.documents, sampled.posterior
    lengths, by_time = documents.lengths, bool(sampled.timeline.by_time)
    least = min(MIN_WORDS, float(np.median(lengths))) if len(lengths) else MIN_WORDS
    is_shown = (lengths >= least) & (sampled.interval >= since)
    chosen = find_typical(model, documents, posterior, n, is_shown)
    return [
        [
            {
                "text": printable(sampled.texts[i]),
                "time": name_position(float(sampled.positions[i]), by_time=by_time),
                "probability": round(float(posterior[i, k]), 4),
            }
            for i in places
        ]
        for k, places in enumerate(chosen)
    ]


def typical_words(shown: Snapshot, documents: Documents | None, n: int) -> list[list[str]]:
    """Return the words of the n remembered documents most typical of each topic, if any.

    Words are in order of their probability under the topic.
    """
    if documents is None:
        return [[]] * shown.model.n_topics
    # Documents of a word or two are typical of any topic that has these words.
    documents, model = documents[documents.lengths >= MIN_TYPICAL], shown.model
    everything = np.ones(documents.n_docs, np.bool_)
    chosen = find_typical(model, documents, model.posterior(documents), n, everything)
    listed = []
    for topic, places in zip(model.topics, chosen, strict=True):
        typical = [documents[i].words for i in places]
        ranked = [words[np.argsort(-topic[words], kind="stable")] for words in typical]
        listed.append([" ".join(shown.vocabulary[w] for w in words) for words in ranked])
    return listed
