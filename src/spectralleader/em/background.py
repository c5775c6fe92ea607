"""Background: the word counts of a stream, towards which topics are smoothed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import floats, number
from spectralleader.documents import Documents
from spectralleader.documents.recoding import move_rows
from spectralleader.em.columns import UNSEEN, Smoothing
from spectralleader.runtime.compiled import in_place


class Background(Saved):
    """Word counts of the stream, which also define the topic of no documents.

    A word with count c of n has the probability ``(c + 1/2) / (n + d/2)``. Topics are smoothed with
    the square roots of the counts: a rare word is less certain to be of one topic.
    """

    saved = fields(
        seen=field(floats, shape=("n_words",), least=UNSEEN), n_seen=field(number, least=UNSEEN)
    )

    def __init__(self, n_words: int) -> None:
        self.seen: Floats = np.full(n_words, UNSEEN)  # (d,)
        self.n_seen = UNSEEN * n_words  # their sum
        self._set_roots()

    def _set_roots(self) -> None:
        self.roots: Floats = np.sqrt(self.seen)  # (d,)
        self.n_roots = float(self.roots.sum())

    def copy(self) -> Background:
        """Return an independent copy."""
        background = Background(1)
        background.seen, background.n_seen = self.seen.copy(), self.n_seen
        background.roots, background.n_roots = self.roots.copy(), self.n_roots
        return background

    def add(self, documents: Documents) -> None:
        """Count the words of documents."""
        self.n_seen += count_words(self.seen, self.roots, documents.words, documents.counts)
        # Summed again, not updated: rounding must depend on the counts alone, not on their history.
        self.n_roots = float(np.add.reduce(self.roots))

    def merge(self, others: Sequence[Self]) -> None:
        """Add the counts of others."""
        for other in others:
            # Each part contains the pseudo-counts; the result must contain them once.
            self.seen = self.seen + (other.seen - UNSEEN)
        self.n_seen = float(self.seen.sum())
        self._set_roots()

    @property
    def prior(self) -> Floats:
        """The distribution over words that topics are smoothed with, (d,)."""
        return np.asarray(self.roots / self.n_roots)

    def smoothing(self, strength: float) -> Smoothing:
        """Return a smoothing by `strength` pseudo-words, distributed like the background."""
        return Smoothing(self.roots, self.n_roots, strength)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words; new words have count 0."""
        # `move_rows` fills new rows with zeros, so that the pseudo-counts are added afterwards.
        self.seen = move_rows(self.seen - UNSEEN, new_ids, n_words) + UNSEEN
        self.n_seen = float(self.seen.sum())
        self._set_roots()

    def _loaded(self) -> None:
        self._set_roots()
        away = abs(self.n_seen - float(self.seen.sum()))
        if away > 1e-6 * self.n_seen:  # rounding is much less
            raise ValueError(f"n_seen must be the sum of what was seen, is {away:g} off")


@in_place
def count_words(seen: Floats, roots: Floats, words: WordIds, counts: Floats) -> float:
    """``np.add.at(seen, words, counts); roots[:] = np.sqrt(seen)``; return the sum of counts."""
    total = 0.0
    for j in range(len(words)):
        w = words[j]
        seen[w] += counts[j]
        roots[w] = np.sqrt(seen[w])
        total += counts[j]
    return total
