"""Drift detection: whether models with a shorter memory predict recent documents better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import floats, integers, truth, whole
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.runtime.compiled import in_place

BOUND = 4.0  # differences per document are clipped to this many nats
BETS = (0.1, 0.5)  # fractions at stake: small ones detect slow drift, large ones abrupt changes
RESERVE = 1e3  # odds are capped at this factor above an alarm, so that an alarm can end
Pairs = tuple[tuple[int, int], ...]  # columns of each rival and of its opponent


def shape_of_bets(known: Mapping[str, Any]) -> tuple[int, int]:
    """Return the shape of the bets of all rivals."""
    return len(known["pairs"]), len(BETS)


class Drift(Saved):
    """An e-detector: bets that rivals with a shorter memory predict better.

    A bet multiplies its stake by ``1 + bet * s``, where s from -1 to 1 is the clipped difference of
    log-probabilities. If no rival is better on average, this is at best a fair game: the mean of
    the bets, each restarted when it falls below its stake, first exceeds 1 / a after at least 1 / a
    documents in expectation (Shin, Ramdas & Rinaldo 2022). The expected number of documents to a
    false alarm is therefore at least `Settings.run_length`.

    Parameters
    ----------
    pairs : tuple of pairs of int
        Columns of each rival and of its opponent.
    n_docs : int
        Number of documents before the first bet.
    settings : Settings
        The constants.

    Examples
    --------
    >>> drift = Drift(((1, 0),))
    >>> drift.update(np.tile([-9.0, -9.5], (100, 1)), n_docs=0)
    >>> drift.update(np.tile([-9.0, -7.0], (100, 1)), n_docs=100)  # the rival is better now
    >>> drift.is_alarmed, drift.alarmed_since
    (True, 100)
    """

    saved = fields(
        odds=field(floats, shape=shape_of_bets, least=1.0),
        starts=field(integers, shape=shape_of_bets),
        began=whole,
        is_alarmed=truth,
        alarmed_since=whole,
    )

    def __init__(self, pairs: Pairs, n_docs: int = 0, settings: Settings = SETTINGS) -> None:
        self._pairs: Ints = np.array(pairs)
        self._settings = settings
        shape = shape_of_bets({"pairs": pairs})
        self.mean_odds = 1.0  # mean of the odds
        self.suspected_since: int | None = None  # start of the latest bet that is suspicious
        self.odds: Floats = np.ones(shape)  # current value of each stake of 1
        self.starts: Ints = np.full(shape, n_docs)  # documents before each bet was placed
        self.began = n_docs
        self.is_alarmed = False
        self.alarmed_since = 0  # estimated documents before the change

    def update(self, log_probs: Floats, n_docs: int) -> None:
        """Bet on documents, given the log-probabilities by all experts, (n, n_experts).

        `n_docs` is the number of documents before.
        """
        limits = self._settings.suspicion, RESERVE * self._settings.run_length
        self.mean_odds, since = bet(
            self.odds, self.starts, log_probs, self._pairs, BETS, n_docs, *limits
        )
        self.suspected_since = since if since >= 0 else None
        if self.mean_odds >= self._settings.run_length and not self.is_alarmed:
            # Recorded once: another bet may lead while the alarm lasts.
            self.is_alarmed, self.alarmed_since = True, self.since
        elif self.mean_odds <= 1.0:
            # Hysteresis: odds are at least 1, so that every bet is back at its stake.
            self.is_alarmed = False

    @property
    def since(self) -> int:
        """Estimated documents before a change: when the leading bet was placed."""
        return int(self.starts.flat[self.odds.argmax()])

    def _loaded(self) -> None:
        flags = self.is_alarmed, self.alarmed_since
        self.update(np.empty((0, 0)), 0)  # no document: only what follows from the odds
        self.is_alarmed, self.alarmed_since = flags


@in_place
def bet(
    odds: Floats,
    starts: Ints,
    log_probs: Floats,
    pairs: Ints,
    bets: tuple[float, ...],
    n_docs: int,
    suspicious: float,
    most: float,
) -> tuple[float, int]:
    """Update the odds document by document, restarting those below 1.

    Returns their mean, and the latest start of those that are suspicious, -1 if none is.
    """
    for i in range(len(log_probs)):
        for rival in range(odds.shape[0]):
            better = log_probs[i, pairs[rival, 0]] - log_probs[i, pairs[rival, 1]]
            score = better / BOUND  # clipped without `min`, which would be compiled for this alone
            score = 1.0 if score > 1.0 else -1.0 if score < -1.0 else score
            for b in range(odds.shape[1]):
                # If the score is not positive on average, this product does not grow on average.
                after = odds[rival, b] * (1.0 + bets[b] * score)
                odds[rival, b] = after if after < most else most
                # Restart from the stake: if there is a change, its estimate is later than this.
                if after <= 1.0:
                    odds[rival, b], starts[rival, b] = 1.0, n_docs + i + 1
    total, since = 0.0, -1
    for rival in range(odds.shape[0]):
        for b in range(odds.shape[1]):
            total += odds[rival, b]
            if odds[rival, b] >= suspicious and starts[rival, b] > since:
                since = starts[rival, b]
    return total / odds.size, since
