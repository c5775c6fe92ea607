"""Draws: pairs of random numbers that do not depend on how many are drawn at a time."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from spectralleader.arrays import Floats

AHEAD = 256  # pairs buffered for `one`: amortises the overhead of a NumPy call


class Draws:
    """A stream of pairs of uniform numbers from 0 to 1.

    Examples
    --------
    >>> one_by_one, together = (Draws(np.random.default_rng(0)) for _ in range(2))
    >>> [one_by_one.one() for _ in range(3)] == [tuple(pair) for pair in together.many(3)]
    True
    >>> one_by_one.state == together.state
    True
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._ahead: list[float] = []  # buffered numbers, the next one last

    def one(self) -> tuple[float, float]:
        """Take the next pair."""
        if not self._ahead:
            # Reversed, because `pop` takes from the end of the list.
            self._ahead = self._rng.random(2 * AHEAD)[::-1].tolist()
        ahead = self._ahead
        return ahead.pop(), ahead.pop()

    def many(self, n: int) -> Floats:
        """Take the next n pairs, (n, 2)."""
        # Otherwise the buffered numbers would be skipped, and the draws would depend on the blocks.
        self._put_back()
        return self._rng.random((n, 2))

    @property
    def state(self) -> dict[str, Any]:
        """The state of the generator, as if nothing had been buffered."""
        self._put_back()
        return cast(dict[str, Any], self._rng.bit_generator.state)

    def _put_back(self) -> None:
        """Rewind the generator by the buffered numbers: PCG64 has period 2**128."""
        if self._ahead:
            n = -len(self._ahead) % 2**128
            cast(np.random.PCG64, self._rng.bit_generator).advance(n)
            self._ahead = []
