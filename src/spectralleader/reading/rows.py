"""Rows: classified documents and topics as plain values, as files and services give them."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from spectralleader.arrays import Floats, Ints

if TYPE_CHECKING:
    from spectralleader.reading.snapshot import Snapshot


class Classified(NamedTuple):
    """The classification of some texts; all arrays have shape (n_docs,)."""

    topics: Ints  # likeliest topic
    probabilities: Floats  # its posterior probability
    lengths: Floats  # number of known words
    p_values: Floats  # see `TextTopics.p_values`
    names: tuple[str, ...] = ()  # of the topics, see `Snapshot`

    def rows(self, digits: int = 4) -> list[dict[str, Any]]:
        """Return one row per text, as files and services give it; topics count from 1.

        A text without known words has no topic: its posterior is the weights of the topics.
        """
        columns = self.topics, self.probabilities, self.lengths, self.p_values
        names = self.names or ("",) * (int(self.topics.max(initial=0)) + 1)
        return [
            {
                "topic": k + 1 if length else None,
                "name": (names[k] or None) if length else None,
                "probability": round(probability, digits) if length else None,
                "known_words": int(length),
                "p_value": None if isnan(p_value) else round(p_value, digits),
            }
            for k, probability, length, p_value in zip(*(c.tolist() for c in columns), strict=True)
        ]


def list_topics(topics: Snapshot, n_words: int) -> list[dict[str, Any]]:
    """Return the topics as plain values: number (from 1), name, weight, use, words."""
    model, used = topics.model, topics.model.used.tolist()
    return [
        {
            "topic": k + 1,
            "name": topics.name(k) or None,
            "weight": float(model.weights[k]),
            "unused": not used[k],
            "words": [
                {"word": word, "probability": float(model.topics[k, i])}
                for word, i in zip(words, topics.vocabulary.find(words).tolist(), strict=True)
            ],
        }
        for k, words in enumerate(topics.top_words(n_words))
    ]
