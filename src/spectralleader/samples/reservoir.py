"""Reservoir sampling as in the paper, lines 6 to 13 of Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, cast, get_args

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import generator, one_of
from spectralleader.documents import BlockT
from spectralleader.runtime.compiled import in_place, inlined
from spectralleader.samples.document_buffer import Change
from spectralleader.samples.sample import BoundedSample
from spectralleader.samples.subsamples import interleave, take_in_turns

AHEAD = 256  # pairs buffered for `one`: amortises the overhead of a NumPy call


class Draws:
    """A stream of pairs of uniform numbers from 0 to 1.

    Examples
    --------
    >>> one_by_one, together = (Draws(np.random.default_rng(0)) for _ in range(2))
    >>> [one_by_one.one() for _ in range(3)] == [tuple(pair) for pair in together.many(3)]
    True
    >>> one_by_one.to_state() == together.to_state()
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

    def to_state(self) -> dict[str, Any]:
        """Return the state of the generator, as if nothing had been buffered."""
        self._put_back()
        return cast(dict[str, Any], self._rng.bit_generator.state)

    def _put_back(self) -> None:
        """Rewind the generator by the buffered numbers: PCG64 has period 2**128."""
        if self._ahead:
            n = -len(self._ahead) % 2**128
            cast(np.random.PCG64, self._rng.bit_generator).advance(n)
            self._ahead = []


Acceptance = Literal["paper", "uniform"]
NONE_CHOSEN = np.empty((0, 2), np.int64)  # no document enters
FEW = 32  # up to this many entering documents are sorted by insertion inside the kernel


def read_draws(state: Any, name: str) -> Draws:
    """Return the draws of a stored generator."""
    return Draws(generator(state, name))


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
        BoundedSample.saved, acceptance=field(one_of, known=get_args(Acceptance)), _draws=read_draws
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
        self._draws = Draws(np.random.default_rng(seed))

    def add(self, documents: BlockT) -> Change[BlockT]:
        """Offer a block to the reservoir; return the documents that entered and left."""
        n_docs = documents.n_docs
        chosen = self._choose_one() if n_docs == 1 else self._choose(n_docs)
        written, block = chosen, documents
        # Most documents of a long stream do not enter.
        if len(chosen) > 0:
            args = chosen[:, 0], self.n_seen, self._max_entries
            block, rows = self._buffer.shorten(documents, *args)
            written = chosen if block is documents else np.stack([rows, chosen[:, 1]], axis=1)
        self.n_seen += n_docs
        change: Change[BlockT] = self._buffer.enter(block, written)
        change.chosen = chosen
        return change

    def _choose(self, n_docs: int) -> Ints:
        """Draw the documents of a block that enter, and their slots; sorted by slot, (n, 2)."""
        # Two draws per document, even if unused, so that the draws do not depend on the blocks.
        draws, chosen = self._draws.many(n_docs), np.empty((n_docs, 2), np.int64)
        chosen = chosen[: choose_slots(draws, self.n_seen, self.capacity, self._lag, chosen)]
        # The kernel has sorted few documents; while a reservoir fills, slots are in order.
        if len(chosen) <= FEW or self.n_seen + n_docs <= self.capacity:
            return chosen
        # If several documents draw the same slot, the last one stays: the sort must be stable.
        chosen = chosen[np.argsort(chosen[:, 1], kind="stable")]
        is_last = np.append(chosen[1:, 1] != chosen[:-1, 1], np.True_)
        return np.asarray(chosen[is_last])

    def _choose_one(self) -> Ints:
        """Return `_choose` for a block of one document, fast if it does not enter."""
        (chance, where), t = self._draws.one(), self.n_seen + 1
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
        self._draws = Draws(np.random.default_rng(rng.integers(2**63)))

    @property
    def settings(self) -> dict[str, Any]:
        """Capacity, budget and acceptance."""
        return {**super().settings, "acceptance": self.acceptance}


@in_place
def choose_slots(draws: Floats, n_seen: int, capacity: int, lag: int, chosen: Ints) -> int:
    """Set `chosen` to the documents of a block that enter, and their slots; return their number.

    Document t (from 1) enters if ``t <= capacity or draws[., 0] <= capacity / (t - lag)``. Up to
    `FEW` are sorted by slot, with only the last of those that share a slot.
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
    return sort_slots(chosen, k) if k <= FEW else k


@inlined
def sort_slots(chosen: Ints, n: int) -> int:
    """Sort the first n rows by slot, keeping the last of equal slots; return their number."""
    k = 0
    for i in range(n):
        row, slot, at = chosen[i, 0], chosen[i, 1], k
        while at > 0 and chosen[at - 1, 1] > slot:
            at -= 1
        # A later document replaces an earlier one of the same block.
        if at > 0 and chosen[at - 1, 1] == slot:
            chosen[at - 1, 0] = row
        else:
            for j in range(k, at, -1):
                chosen[j, 0], chosen[j, 1] = chosen[j - 1, 0], chosen[j - 1, 1]
            chosen[at, 0], chosen[at, 1] = row, slot
            k += 1
    return k
