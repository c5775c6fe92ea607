"""LossCurve: what predicting the stream cost, from its beginning to its end, in bounded memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spectralleader.checks.states import MOST, floats, whole

MOST_POINTS = 200  # of a curve; with more, neighbours are merged in pairs
WIDTH = 100  # documents of a point, at first


class LossPoint(NamedTuple):
    """Consecutive documents that were predicted before they were learned, added up."""

    n_docs: float
    n_words: float
    loss: float  # nats, of the learner
    unigram_loss: float  # nats, of word frequencies

    def __add__(self, other: Any) -> LossPoint:
        return LossPoint(*(a + b for a, b in zip(self, other, strict=True)))


class LossCurve:
    """Losses of a learner and of word frequencies over a stream, in at most `MOST_POINTS` points.

    Examples
    --------
    >>> curve = LossCurve()
    >>> for _ in range(3):
    ...     curve.add(LossPoint(60, 600, 3000.0, 3600.0))
    >>> curve.rows()
    [(120, 5.0, 6.0), (180, 5.0, 6.0)]
    """

    def __init__(self) -> None:
        self.width = WIDTH
        self.points: list[LossPoint] = []

    def add(self, point: LossPoint) -> None:
        """Add documents; none, if nothing of them was predicted."""
        if not point.n_docs:
            return
        if self.points and self.points[-1].n_docs < self.width:
            self.points[-1] += point
        else:
            self.points.append(point)
        if len(self.points) > MOST_POINTS:
            self.width *= 2
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            odd = self.points[-1:] if len(self.points) % 2 else []
            self.points = [*(a + b for a, b in pairs), *odd]

    def rows(self) -> list[tuple[int, float, float]]:
        """Return documents up to the end of each point, and nats per word of both, rounded."""
        ends = np.cumsum([point.n_docs for point in self.points]).astype(int).tolist()
        per_word = (
            (round(p.loss / p.n_words, 4), round(p.unigram_loss / p.n_words, 4))
            for p in self.points
        )
        return [(end, *losses) for end, losses in zip(ends, per_word, strict=True)]

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {"width": self.width, "points": np.array(self.points, float).reshape(-1, 4)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> LossCurve:
        """Return the curve that `to_state` described, after validation."""
        curve = cls()
        curve.width = whole(state, "width", 1)
        points = floats(state, "points", (None, 4), -MOST, MOST)
        if (points[:, :2] < 1).any() or len(points) > MOST_POINTS:
            raise ValueError(f"points must be at most {MOST_POINTS}, each of documents with words")
        curve.points = [LossPoint(*row) for row in points.tolist()]
        return curve
