"""Drift: whether recent documents are predicted better by what was learned from few of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import floats, integers, truth, whole
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.runtime.compiled import kernel

BOUND = 4.0  # nats: a document counts for no more
BETS = (0.1, 0.5)  # small ones win where drift is slow, large ones after a change
RESERVE = 1e3  # by which the odds may exceed those of an alarm, so that drift can end again


class Drift:
    """Bets that rivals, which remember less, predict better than others.

    A bet wins ``1 + bet * s`` times its stake, s from -1 to 1 being by how much a rival predicted a
    document better. While no rival is better on average, that is a fair game at best: the mean of
    the bets, each begun anew whenever it falls below its stake, exceeds 1 / a for the first time
    after at least 1 / a documents on average (an e-detector; Shin, Ramdas & Rinaldo 2022). So there
    is a false alarm in no less than `SETTINGS.run_length` documents, on average.

    Parameters
    ----------
    pairs : tuple of pairs of int
        Columns of rivals and of whom each is against.
    n_docs : int
        Documents before the first bet.

    Examples
    --------
    >>> drift = Drift(((1, 0),))
    >>> drift.update(np.tile([-9.0, -9.5], (100, 1)), n_docs=0)
    >>> drift.update(np.tile([-9.0, -7.0], (100, 1)), n_docs=100)  # the rival is better now
    >>> drift.is_alarmed, drift.alarmed_since
    (True, 100)
    """

    def __init__(self, pairs: tuple[tuple[int, int], ...], n_docs: int = 0) -> None:
        self._pairs: Ints = np.array(pairs)
        shape = (len(pairs), len(BETS))
        self.mean_odds = 1.0  # what a stake on all rivals has become
        self.odds: Floats = np.ones(shape)  # what each stake of 1 has become
        self.starts: Ints = np.full(shape, n_docs)  # documents before it was placed
        self.began = n_docs
        self.is_alarmed = False
        self.alarmed_since = 0  # documents before the change that the alarm is for

    def update(self, log_probs: Floats, n_docs: int) -> None:
        """Bet on documents, given their log-probabilities by all experts, (n, n_experts).

        There were n_docs documents before.
        """
        most = RESERVE * SETTINGS.run_length
        self.mean_odds = bet(self.odds, self.starts, log_probs, self._pairs, BETS, n_docs, most)
        if self.mean_odds >= SETTINGS.run_length and not self.is_alarmed:
            self.is_alarmed, self.alarmed_since = True, self.since
        elif self.mean_odds <= 1.0:
            self.is_alarmed = False

    @property
    def since(self) -> int:
        """Documents before the change, if there was one: when the bet that leads was placed."""
        return int(self.starts.flat[self.odds.argmax()])

    def suspected_since(self, odds: float) -> int | None:
        """Return when the latest of the bets that have come so far was placed; None if none has."""
        # six numbers, asked for at every block: lists are five times faster than masks
        bets = zip(self.odds.ravel().tolist(), self.starts.ravel().tolist(), strict=True)
        return max((start for come_to, start in bets if come_to >= odds), default=None)

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        arrays = {"odds": self.odds.copy(), "starts": self.starts.copy()}
        names = ("began", "is_alarmed", "alarmed_since")
        return {**arrays, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_state(cls, state: dict[str, Any], pairs: tuple[tuple[int, int], ...]) -> Drift:
        """Rebuild what `to_state` described."""
        drift = cls(pairs, whole(state, "began"))
        drift.odds = floats(state, "odds", drift.odds.shape, 1.0, RESERVE * SETTINGS.run_length)
        drift.mean_odds = float(drift.odds.mean())
        drift.starts = integers(state, "starts", drift.starts.shape).copy()
        drift.is_alarmed = truth(state, "is_alarmed")
        drift.alarmed_since = whole(state, "alarmed_since")
        return drift


@kernel
def bet(
    odds: Floats,
    starts: Ints,
    log_probs: Floats,
    pairs: Ints,
    bets: tuple[float, ...],
    n_docs: int,
    most: float,
) -> float:
    """Multiply the odds, document by document; those below 1 begin anew. Return their mean."""
    for i in range(len(log_probs)):
        for rival in range(odds.shape[0]):
            better = log_probs[i, pairs[rival, 0]] - log_probs[i, pairs[rival, 1]]
            score = max(-1.0, min(1.0, better / BOUND))
            for b in range(odds.shape[1]):
                odds[rival, b] = min(odds[rival, b] * (1.0 + bets[b] * score), most)
                if odds[rival, b] <= 1.0:
                    odds[rival, b], starts[rival, b] = 1.0, n_docs + i + 1
    total = 0.0
    for rival in range(odds.shape[0]):
        for b in range(odds.shape[1]):
            total += odds[rival, b]
    return total / odds.size
