"""Followed: the topics of a sample, kept up to date by incremental EM."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Ints, Posteriors
from spectralleader.checks.states import number, posteriors, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.em.visits import Columns, Smoothing, expect, follow, visit
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models.matching import best_order
from spectralleader.samples import Reservoir, Window

MATCHED = 5000  # documents at most that two models are matched by


class Followed:
    """Remembered documents with the posterior that each had when it was last visited.

    The statistics of K topics are the sums of these, kept by whoever calls: a document that enters
    adds its own, one that leaves takes them out, and with every block the next remembered documents
    in turn are visited again. No visit lowers the free energy (Neal & Hinton 1998), and topics move
    by little at a time.
    """

    def __init__(self, sample: Reservoir | Window, n_topics: int) -> None:
        self.sample = sample
        # grows in steps; documents that were there before wait for a restart
        self._room: Posteriors = np.zeros((len(sample), n_topics), np.float32)
        self._next = 0  # place to visit next
        self._due = 0.0  # visits, part of one

    @property
    def posterior(self) -> Posteriors:
        """P(topic | document) of each place, (n, K)."""
        return self._room[: len(self.sample)]

    def learn(
        self, block: Documents, columns: Columns, smoothing: Smoothing, n_visits: float
    ) -> None:
        """Show a block to the sample, and visit n_visits remembered documents for each."""
        n_before = len(self.sample)
        change, n = self.sample.add(block), len(self.sample)
        if n > len(self._room):
            room = np.zeros((min(2 * n, self.sample.capacity), self._room.shape[1]), np.float32)
            room[:n_before] = self._room[:n_before]
            self._room = room
        self._due += n_visits * block.n_docs
        again = (self._next, min(int(self._due), n))
        self._due -= int(self._due)
        self._next = (self._next + again[1]) % n
        moved = (tuple(self.sample.lying), tuple(change.moved), change.chosen, n_before)
        topics = (tuple(columns), tuple(smoothing))
        follow(*moved, again, self._room, topics, SETTINGS.unmoved)

    def restart(
        self,
        start: Columns,
        columns: Columns,
        smoothing: Smoothing,
        n_passes: int,
        *,
        renumber: bool = True,
    ) -> float:
        """Take other topics, numbered as those before by the documents that they share.

        All documents are visited n_passes times. Returns the share of them that changed topic. The
        numbers of the start are kept if `renumber` is false, or if there were no topics before.
        """
        before, n = self.posterior.copy(), len(self.sample)
        statistics = Statistics.zero(columns.n_topics, len(columns.words))
        after = np.zeros_like(before)
        expect(self.sample.lying, start, smoothing, Columns.of(statistics), after)
        is_known = renumber and before.any()
        order = match(after, before) if is_known else np.arange(columns.n_topics)
        at = slice(columns.first, columns.first + columns.n_topics)
        columns.words[:, at] = statistics.words[:, order]
        columns.totals[:, at] = statistics.totals[:, order]
        self._room[:n] = after[:, order]
        for _ in range(n_passes):
            bounds, words, counts, _ = self.sample.lying
            remembered = (bounds, words, counts, np.arange(n), self._room)
            visit(*remembered, columns, smoothing, SETTINGS.unmoved)
        return float((self.posterior.argmax(axis=1) != before.argmax(axis=1)).mean())

    def to_state(self) -> dict[str, Any]:
        """Return the state but the sample."""
        return {"posterior": self.posterior.copy(), "next": self._next, "due": self._due}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what `to_state` described, for the same sample."""
        shape = (len(self.sample), self._room.shape[1])
        self._room = posteriors(state, "posterior", shape)
        self._next = whole(state, "next", 0, max(0, len(self.sample) - 1))
        self._due = number(state, "due", 0.0, 1.0)


def match(after: Posteriors, before: Posteriors) -> Ints:
    """Return the order of topics after that best matches those before, by their documents."""
    step = -(-len(after) // MATCHED)
    tiny = 1e-30  # a topic without documents is like no other
    new, old = (np.ascontiguousarray(p[:: max(1, step)].T, float) + tiny for p in (after, before))
    return best_order(new, old)
