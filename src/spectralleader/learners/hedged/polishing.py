"""Polishing: documents are remembered, and topics polished on them when they have moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import check_same, parts, truth, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.panel import N_POLISHED, Panel
from spectralleader.learners.hedged.polish import polish
from spectralleader.learners.hedged.race import Pause, no_pause, race
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.samples import Reservoir, Window, sample_to_state
from spectralleader.samples.interleaving import interleave, take_turns

WINDOW = 2000  # last documents, that a second estimate is polished on
FRESH = 50  # documents after a change that the window's topics are first polished on
MOVED = 1 / 3  # share of the remembered documents that changes before they are polished anew
RACED = 4000  # documents of the reservoir that new starts are tried on, at most
N_PASSES = 10  # of EM for the winner over the whole reservoir, at most
N_BEST = 2  # contenders of each that go on when streams are merged
TOLERANCE = 1e-3  # nats a document that a pass must gain


class Polishing:
    """A reservoir and a window of documents, and when a panel's topics are polished on them.

    The reservoir's are, by a race of new starts against earlier survivors, whenever a third of it
    is new; the window's when half of it is, and sooner after a change.
    """

    def __init__(self, n_topics: int, n_words: int, reservoir_size: int, seed: int) -> None:
        self.n_topics, self.seed = n_topics, seed
        self.reservoir = Reservoir(reservoir_size, n_words=n_words, seed=seed)
        self.window = Window(min(WINDOW, reservoir_size), n_words=n_words)
        self.contenders: list[Statistics] = []  # survivors of the races, best first
        self.n_races = 0
        self._n_raced = self._n_changed = 0  # documents in the last race, and entered since
        self._n_window = 0  # documents since the window's topics were polished
        self._reservoir_due = self._window_due = False

    def remember(self, block: Documents) -> None:
        """Show the block to the samples."""
        self._n_changed += self.reservoir.add(block).n_entered
        self.window.add(block)
        self._n_window += block.n_docs

    def note_due(self, panel: Panel) -> None:
        """Note whether the reservoir and the window have moved enough to be polished anew."""
        n_window, n_fresh = len(self.window), self._n_fresh(panel)
        # soon after a change, then less and less often
        turn = min(self.window.capacity // 2, max(FRESH, int(MOVED * n_fresh)))
        is_fresh = n_fresh >= min(FRESH, n_window) and self.window.n_seen > n_window
        has_moved = self._n_changed > MOVED * self._n_raced
        self._reservoir_due, self._window_due = has_moved, self._n_window >= turn and is_fresh

    @property
    def is_due(self) -> bool:
        """Whether anything is to be polished anew."""
        return self._reservoir_due or self._window_due

    def renew(self, panel: Panel, pause: Pause = no_pause) -> None:
        """Polish anew what is due; where `pause` raises, what is not done stays due."""
        if self._reservoir_due:
            with ONE_BLAS_THREAD:
                self._race(panel, pause)
            self._reservoir_due = False
        if self._window_due:
            with ONE_BLAS_THREAD:
                self._renew_window(panel, pause)
            self._window_due = False

    def _n_fresh(self, panel: Panel) -> int:
        """Documents of the window that the leading topics are about: after a change, the new."""
        n = len(self.window)
        return min(n, self.window.n_seen - panel.since) if panel.lead else n

    def _race(self, panel: Panel, pause: Pause = no_pause) -> None:
        """Try new starts on part of the reservoir, polish the winner on all of it."""
        documents = self.reservoir.documents
        order = np.random.default_rng([self.seed, self.n_races]).permutation(documents.n_docs)
        smoothing = (panel.background.words, panel.strength)
        some, seed = documents.take(order[:RACED]), [self.seed, self.n_races, 1]
        kept = race(some, self.n_topics, self.contenders, *smoothing, seed, pause)
        kept[0], _ = polish(documents, kept[0], *smoothing, N_PASSES, TOLERANCE)
        self.contenders = kept
        self.n_races += 1
        self._n_raced, self._n_changed = documents.n_docs, 0
        panel.replace(0, kept[0])
        if self.window.n_seen <= len(self.window):  # the window has all documents too
            panel.replace(1, kept[0])
        panel.restart()

    def _renew_window(self, panel: Panel, pause: Pause = no_pause) -> None:
        """Polish on the last documents; after a change, try new starts on those since."""
        documents = self.window.last(self._n_fresh(panel))
        smoothing = (panel.background.words, panel.strength)
        incumbents = [panel.tables[i] for i in (1, 0, N_POLISHED)]
        if panel.lead and documents.n_docs < len(self.window):
            seed = [self.seed, self.n_races, self.window.n_seen]
            best = race(documents, self.n_topics, incumbents, *smoothing, seed, pause)[0]
        else:
            polished = [polish(documents, s, *smoothing, 1) for s in incumbents]
            best = max(polished, key=lambda found: found[1])[0]
        best, _ = polish(documents, best, *smoothing, N_PASSES // 2, TOLERANCE)
        panel.replace(1, best)
        self._n_window = 0
        panel.restart()

    def merge(self, others: Sequence[Self], panel: Panel, rng: np.random.Generator) -> None:
        """Merge the samples, and polish the panel's topics on them, others' among the contenders.

        The panel must be of all documents already.
        """
        self.reservoir.merge([other.reservoir for other in others], rng)
        self.window.merge([other.window for other in others], rng)
        best = [one for part in (self, *others) for one in part.contenders[:N_BEST]]
        self.contenders = [statistics.copy() for statistics in best]
        self._race(panel)
        if self.window.n_seen > len(self.window):
            self._renew_window(panel)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of all that is remembered."""
        self.reservoir.recode(new_ids, n_words)
        self.window.recode(new_ids, n_words)
        for statistics in self.contenders:
            statistics.recode(new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {
            **{name: getattr(self, name) for name in (*COUNTERS, *DUE)},
            "samples": [sample_to_state(sample) for sample in (self.reservoir, self.window)],
            "contenders": [statistics.to_state() for statistics in self.contenders],
        }

    @classmethod
    def from_state(
        cls, state: dict[str, Any], n_topics: int, n_words: int, reservoir_size: int, seed: int
    ) -> Polishing:
        """Rebuild what `to_state` described, of that size."""
        polishing = cls(n_topics, n_words, reservoir_size, seed)
        for name in COUNTERS:
            setattr(polishing, name, whole(state, name))
        for name in DUE:
            setattr(polishing, name, truth(state, name))
        samples = parts(state, "samples", N_POLISHED)
        reservoir, window = Reservoir.from_state(samples[0]), Window.from_state(samples[1])
        check_same("capacity of the reservoir", reservoir.capacity, polishing.reservoir.capacity)
        check_same("capacity of the window", window.capacity, polishing.window.capacity)
        check_same("n_words of the reservoir", reservoir.n_words, n_words)
        check_same("n_words of the window", window.n_words, n_words)
        check_same("n_seen of the window", window.n_seen, reservoir.n_seen)
        polishing.reservoir, polishing.window = reservoir, window
        contenders = parts(state, "contenders")
        found = [Statistics.from_state(one, n_topics, n_words, 0.0) for one in contenders]
        polishing.contenders = found
        return polishing


def recent(parts: Sequence[Polishing], rng: np.random.Generator) -> Documents:
    """Return the documents in the windows of several streams, as if those had been one."""
    windows = [part.window.last(len(part.window)) for part in parts]
    n_of_each = [window.n_docs for window in windows]
    return take_turns(windows, interleave(n_of_each, sum(n_of_each), rng))


DUE = ("_reservoir_due", "_window_due")
COUNTERS = ("n_races", "_n_raced", "_n_changed", "_n_window")
