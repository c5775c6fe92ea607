"""SampleEM: a sample whose topics are updated by incremental EM."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Ints, Posteriors
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import number, posteriors, truth, whole
from spectralleader.documents import Documents
from spectralleader.em.columns import Columns, Smoothing, work_space
from spectralleader.em.passes import batch_pass, visit_changes
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.models.matching import best_order
from spectralleader.samples import Reservoir, Window, read_sample
from spectralleader.samples.reservoir import NONE_CHOSEN

MATCHED = 5000  # maximum number of documents used to match topics
NO_DOCUMENTS = Documents.from_tokens([], n_words=1)


class SampleEM(Saved):
    """Remembered documents with their posteriors at the last visit.

    The statistics of K topics, held by the caller, are sums over documents: one that enters the
    sample adds its own, and with every block some remembered documents are revisited in turn. No
    visit lowers the free energy (Neal & Hinton 1998), and topics move in small steps.

    If it `keeps` documents, the statistics are those of the whole stream: a document that leaves,
    or does not enter, is counted with its last posterior. If not, one that leaves is removed.
    """

    saved = fields(
        keeps=truth,
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
        posterior=field(posteriors, shape=lambda known: (len(known["sample"]), known["n_topics"])),
        _next=field(whole, most=lambda known: max(0, len(known["sample"]) - 1)),
        _due=field(number, least=0.0, most=1.0),
    )

    def __init__(self, sample: Reservoir | Window, n_topics: int, *, keeps: bool) -> None:
        self.sample, self.keeps = sample, keeps
        # Grows by doubling; documents already in the sample get their posteriors at a restart.
        self._room: Posteriors = np.zeros((len(sample), n_topics), np.float32)
        self._work = work_space(n_topics)  # of kernels, used again at every block
        self._next = 0  # slot to visit next
        self._due = 0.0  # fractional part of the visits due

    @property
    def posterior(self) -> Posteriors:
        """P(topic | document) of each slot, (n, K)."""
        return self._room[: len(self.sample)]

    @posterior.setter
    def posterior(self, posterior: Posteriors) -> None:
        self._room = posterior

    def learn(
        self, block: Documents, columns: Columns, smoothing: Smoothing, n_visits: float
    ) -> None:
        """Add a block to the sample, and revisit n_visits remembered documents per document."""
        n_before = len(self.sample)
        change, n = self.sample.add(block), len(self.sample)
        if n > len(self._room):
            room = np.zeros((min(2 * n, self.sample.capacity), self._room.shape[1]), np.float32)
            room[:n_before] = self._room[:n_before]
            self._room = room
        if not columns.totals[0, columns.first : columns.first + columns.n_topics].any():
            return  # no topics yet: the first race gives all documents their posteriors
        # Fractions carry over: half a visit per document is one visit for every second document.
        self._due += n_visits * block.n_docs
        revisited = (self._next, min(int(self._due), n))
        self._due -= int(self._due)
        self._next = (self._next + revisited[1]) % n
        # Plain tuples, because Numba determines their types faster, see `passes.visit_changes`.
        visit_changes(
            tuple(self.sample.view),
            tuple(change.moved),
            change.chosen,
            n_before,
            arrays_of(block if self.keeps else NO_DOCUMENTS),
            self.keeps,
            revisited,
            self._room,
            (tuple(columns), tuple(smoothing)),
            SETTINGS.unmoved,
            self._work,
        )

    def restart(
        self,
        start: Columns,
        columns: Columns,
        smoothing: Smoothing,
        n_passes: int,
        *,
        renumber: bool = True,
    ) -> float:
        """Switch to other topics, numbered like the previous ones by the documents they share.

        All documents are visited n_passes times. Returns the share of documents that changed topic.
        The start keeps its numbers if `renumber` is False, or if there were no topics before.
        """
        before, n = self.posterior.copy(), len(self.sample)
        statistics = Statistics.zero(columns.n_topics, len(columns.words))
        after = np.zeros_like(before)
        # Invariant: the statistics are the sums of these posteriors, which `visit_changes` later
        # subtracts.
        batch_pass(self.sample.view, start, smoothing, statistics.columns, after, self._work)
        is_known = renumber and before.any()
        order = match(after, before) if is_known else np.arange(columns.n_topics)
        at = slice(columns.first, columns.first + columns.n_topics)
        columns.words[:, at] = statistics.words[:, order]
        columns.totals[:, at] = statistics.totals[:, order]
        self._room[:n] = after[:, order]
        view, topics = tuple(self.sample.view), (tuple(columns), tuple(smoothing))
        moved = (view, view, NONE_CHOSEN, n, arrays_of(NO_DOCUMENTS), self.keeps)
        for _ in range(n_passes):  # nothing moved, and everything is visited again
            visit_changes(*moved, (0, n), self._room, topics, SETTINGS.unmoved, self._work)
        if self.keeps and n > 0:
            # The sample stands for all documents, as these have no posterior under the new topics.
            columns.words[:, at] *= self.sample.n_seen / n
            columns.totals[:, at] *= self.sample.n_seen / n
        return float((self.posterior.argmax(axis=1) != before.argmax(axis=1)).mean())


def arrays_of(block: Documents) -> tuple[Any, ...]:
    """Return the arrays of a block, and zeros to mark its documents, for kernels."""
    return block.indptr, block.words, block.counts, np.zeros(block.n_docs, np.bool_)


def match(after: Posteriors, before: Posteriors) -> Ints:
    """Return the order of the new topics that best matches the old ones, by their documents."""
    step = -(-len(after) // MATCHED)
    tiny = 1e-30  # avoids 0 / 0 for a topic without documents
    new, old = (np.ascontiguousarray(p[:: max(1, step)].T, float) + tiny for p in (after, before))
    return best_order(new, old)
