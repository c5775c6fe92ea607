"""Reservoir sampling as in the paper, lines 6 to 13 of Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import generator, one_of
from spectralleader.documents import BlockT
from spectralleader.runtime.compiled import in_place
from spectralleader.samples.document_buffer import Change
from spectralleader.samples.sample import BoundedSample
from spectralleader.samples.subsamples import interleave, take_in_turns

Acceptance = Literal["paper", "uniform"]
NONE_CHOSEN = np.empty((0, 2), np.int64)  # no document enters


class Reservoir(BoundedSample[BlockT]):
    """A random sample of at most `capacity` of the documents seen.

    The first `capacity` documents all enter. After that document t enters with probability
    ``capacity / (t - 1)`` (``acceptance="paper"``: as printed in Algorithm 1) or ``capacity / t``
    (``acceptance="uniform"``: every document seen is equally likely to be remembered, as the
    analysis assumes), and replaces a random one. t counts documents, not blocks, so the sample does
    not depend on the block size.

    Memory is bounded for documents of any length: at most `budget` entries (distinct words) are
    stored, 12 bytes each, by default 1,024 per document of the capacity. A document with more than
    ``budget // capacity`` distinct words is replaced by that many of its tokens, drawn at random,
    which leaves moments unbiased (see `subsample_tokens`).

    Examples
    --------
    >>> from spectralleader import Documents
    >>> reservoir = Reservoir(2, n_words=3, seed=0)
    >>> change = reservoir.add(Documents.from_tokens([[0], [1], [2]], n_words=3))
    >>> len(reservoir), reservoir.n_seen, change.entered.n_docs
    (2, 3, 2)
    """

    saved = fields(
        BoundedSample.saved, acceptance=field(one_of, known=get_args(Acceptance)), _draws=generator
    )
    saved_as = "reservoir"

    def __init__(
        self,
        capacity: int,
        *,
        n_words: int = 1,
        seed: int = 0,
        acceptance: Acceptance = "paper",
        budget: int | None = None,
    ) -> None:
        if acceptance not in get_args(Acceptance):
            raise ValueError(
                f"acceptance must be one of {get_args(Acceptance)}, got {acceptance!r}"
            )
        super().__init__(capacity, n_words, budget)
        self.acceptance: Acceptance = acceptance
        # The acceptance probability is capacity / (t - lag).
        self._lag = 1 if acceptance == "paper" else 0
        self._draws = np.random.default_rng(seed)

    def add(self, documents: BlockT) -> Change[BlockT]:
        """Offer a block to the reservoir; return the documents that entered and left."""
        n_docs = documents.n_docs
        return self._enter(documents, self._choose_one() if n_docs == 1 else self._choose(n_docs))

    def _choose(self, n_docs: int) -> Ints:
        """Draw the documents of a block that enter, and their slots; sorted by slot, (n, 2)."""
        # Two draws per document, even if unused, so that the draws do not depend on the blocks.
        draws, chosen = self._draws.random((n_docs, 2)), np.empty((n_docs, 2), np.int64)
        chosen = chosen[: choose_slots(draws, self.n_seen, self.capacity, self._lag, chosen)]
        # While a reservoir fills, slots are distinct and in order.
        if len(chosen) < 2 or self.n_seen + n_docs <= self.capacity:
            return chosen
        # If several documents draw the same slot, the last one stays.
        last = {slot: row for row, slot in chosen.tolist()}
        return np.array([(row, slot) for slot, row in sorted(last.items())], np.int64)

    def _choose_one(self) -> Ints:
        """Return `_choose` for a block of one document, fast if it does not enter."""
        (chance, where), t = self._draws.random(2).tolist(), self.n_seen + 1
        # The comparison of `choose_slots`, with the same rounding.
        if t > self.capacity and chance * (t - self._lag) > self.capacity:
            return NONE_CHOSEN
        chosen = np.zeros((1, 2), np.int64)
        chosen[0, 1] = t - 1 if t <= self.capacity else int(where * self.capacity)
        return chosen

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Become a sample of everything that this and other reservoirs of equal settings saw.

        The numbers of documents kept from each are hypergeometric, and the documents are chosen at
        random: if each is a uniform sample, so is the result.
        """
        parts = (self, *others)
        turns = interleave([part.n_seen for part in parts], self.capacity, rng)
        # The front of a random order is a uniform subsample; `take_in_turns` takes from the front.
        shuffled = [part.documents.take(rng.permutation(len(part))) for part in parts]
        self.n_seen = sum(part.n_seen for part in parts)
        self.documents = take_in_turns(shuffled, turns)
        # Reseed: the merged reservoirs may have had the same seed.
        self._draws = np.random.default_rng(rng.integers(2**63))

    @property
    def settings(self) -> dict[str, Any]:
        """Capacity, budget and acceptance."""
        return {**super().settings, "acceptance": self.acceptance}


@in_place
def choose_slots(draws: Floats, n_seen: int, capacity: int, lag: int, chosen: Ints) -> int:
    """Set `chosen` to the documents of a block that enter, and their slots; return their number.

    Document t (from 1) enters if ``t <= capacity or draws[., 0] <= capacity / (t - lag)``.
    """
    n, k = len(draws), 0
    for i in range(n):
        t = n_seen + i + 1
        if t <= capacity:
            chosen[k, 0], chosen[k, 1] = i, t - 1
            k += 1
        elif draws[i, 0] * (t - lag) <= capacity:
            # Draws are below 1: truncation makes all slots equally likely.
            chosen[k, 0], chosen[k, 1] = i, np.int64(draws[i, 1] * capacity)
            k += 1
    return k
