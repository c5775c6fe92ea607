"""TopicTree: agglomerative clustering of a model's topics, to be cut at any number of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.models.coarsening import Merges, find_merges
from spectralleader.models.model import TopicModel

# Find the cheapest pair exactly while K^2 d is at most this, which takes about 10 ms. Above it,
# words with the same likeliest topic are summed before pairs are compared: on tweets the cuts then
# lose within 3 % of the exact tree's loss, in both directions, and 100 topics over 5,000 words take
# 30 ms instead of 800.
EXACT = 500_000

# Constants of `TopicTree.suggested`.
READ = 20  # largest suggestion: more groups are hard to read
# A merge that costs this many times any earlier one joins topics that differ. Over 3 to 12 distinct
# synthetic topics the price jumps 5 to 40 times, among tweets at most 2.3 times. With 2, health
# tweets were read at 2 topics until 30,000 documents and at 12 from then on.
JUMP = 3.0
NOISE = 0.01  # merges cheaper than this share of the total cost join equal topics: no jump there
SAME = 1e-6  # nats per word: if all merges together cost less, all topics are equal
KEPT = 0.6  # if no price jumps, keep this share of the information in all topics


class Cut(NamedTuple):
    """A merge tree cut at one level."""

    model: TopicModel  # with one topic per group
    groups: Ints  # (K,): the topic of `model` that each topic of the full model was merged into

    def members(self, group: int) -> list[int]:
        """Return the topics of the full model that were merged into a group."""
        return np.flatnonzero(self.groups == group).tolist()


@dataclass(frozen=True, repr=False)
class TopicTree:
    """The merge tree of a model's topics: every level is a valid model.

    Merging topics i and j into their weighted mean m costs ``(w_i + w_j) H(m) - w_i H(u_i) -
    w_j H(u_j)`` nats of likelihood per word. The cheapest pair is merged until one group is left.

    Groups are numbered from 0 in the order in which they split off: when n groups become n + 1, the
    heavier part keeps the number of the group and the other part gets number n. A group therefore
    has the same number at every level at which it exists. The cut with all K topics keeps the
    model's order.

    Examples
    --------
    >>> model = TopicModel([0.6, 0.2, 0.2], [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8]])
    >>> tree = model.tree()
    >>> cut = tree.cut(2)
    >>> cut.groups.tolist(), cut.model.weights.tolist(), cut.model.topics[1].round(2).tolist()
    ([0, 1, 1], [0.6, 0.4], [0.15, 0.85])
    >>> tree.prices.round(3).tolist()
    [0.004, 0.309]
    """

    model: TopicModel
    pairs: Ints  # (K - 1, 2), in order: the group that keeps its number, the one merged into it
    prices: Floats  # (K - 1,), nats per word

    @classmethod
    def of(cls, model: TopicModel, like: TopicTree | None = None) -> TopicTree:
        """Return the tree of a model; groups are numbered like those of `like` they overlap."""
        pairs = find_merges(_comparable(_mass(model)).T).pairs
        return cls.priced(model, _oriented(pairs, model.weights, like))

    @classmethod
    def priced(cls, model: TopicModel, pairs: Ints) -> TopicTree:
        """Return the tree with the given merges, priced with this model."""
        pairs.setflags(write=False)
        return cls(model, pairs, _price(_mass(model), pairs))

    @property
    def n_topics(self) -> int:
        """Number of topics of the full model, K."""
        return self.model.n_topics

    def groups(self, n: int) -> Ints:
        """Return the group of each topic in the cut with n groups, (K,), numbered from 0."""
        K = self.n_topics
        n = check_whole("the number of groups", n, 1, K)
        if n == K:
            return np.arange(K)
        joined = Merges(self.pairs, self.prices).groups(K, K - n)
        number = np.empty(K, np.int64)
        number[self.order[:n]] = np.arange(n)
        return np.asarray(number[joined])

    @property
    def order(self) -> list[int]:
        """One topic per group, in the order of splitting: the first n represent the n groups."""
        joins = self.pairs[::-1, 1].tolist()
        (root,) = set(range(self.n_topics)) - set(joins)
        return [root, *joins]

    def cut(self, n: int) -> Cut:
        """Return the model with n topics, 1 to K, and the group of each original topic."""
        groups = self.groups(n)
        if n == self.n_topics:
            return Cut(self.model, groups)
        member = np.eye(n)[groups].T
        weights = member @ self.model.weights
        # A group of weight 0 is the unweighted mean of its topics.
        shares = member * np.where((weights > 0)[groups], self.model.weights, 1.0)
        topics = shares @ self.model.topics
        topics /= topics.sum(axis=1, keepdims=True)
        return Cut(TopicModel.trusted(weights / weights.sum(), topics), groups)

    def lost(self, n: int) -> float:
        """Return the likelihood lost by the cut with n topics, in nats per word."""
        return float(self.prices[: self.n_topics - n].sum())

    @property
    def suggested(self) -> int:
        """Suggested number of topics, at most `READ`; 1 if all topics are equal.

        The suggestion is the level at which the price of the next merge jumps the most, if it is at
        least `JUMP` times any earlier price. Otherwise it is the smallest number of topics that
        keeps the share `KEPT` of the information.
        """
        K = self.n_topics
        if self.lost(1) <= SAME:
            return 1
        if K < 3:
            return K
        most = min(READ, K - 1)
        floor = max(NOISE * self.lost(1), 1e-300)
        dearest = np.maximum(np.maximum.accumulate(self.prices), floor)
        # Merge number K - n reduces n groups to n - 1.
        jumps = {n: float(self.prices[K - n] / dearest[K - n - 1]) for n in range(2, most + 1)}
        best = max(jumps, key=jumps.__getitem__)
        if jumps[best] >= JUMP:
            return best
        enough = (n for n in range(2, most + 1) if self.lost(n) <= (1.0 - KEPT) * self.lost(1))
        return next(enough, most)

    def __repr__(self) -> str:
        return f"TopicTree({self.model!r})"


def _mass(model: TopicModel) -> Floats:
    """Return the joint probabilities of topics and words, (K, d)."""
    return np.asarray(model.weights[:, None] * model.topics)


def _comparable(mass: Floats) -> Floats:
    """Return the mass used to compare pairs; above `EXACT`, words are summed by likeliest topic."""
    K, n_words = mass.shape
    if K * K * n_words <= EXACT:
        return mass
    # K groups of words instead of d words: pairs then cost O(K^3) in total.
    speaks_for = mass.argmax(axis=0)
    ordered = np.argsort(speaks_for, kind="stable")
    starts = np.flatnonzero(np.diff(speaks_for[ordered], prepend=-1))
    return np.add.reduceat(mass[:, ordered], starts, axis=1)


def _price(mass: Floats, pairs: Ints) -> Floats:
    """Return the exact price of each merge, by replaying the merges on the full mass."""
    groups, sizes = mass.copy(), mass.sum(axis=1)
    costs = [_code_length(row, size) for row, size in zip(groups, sizes.tolist(), strict=True)]
    prices = np.empty(len(pairs))
    for m, (stays, joins) in enumerate(pairs.tolist()):
        groups[stays] += groups[joins]
        sizes[stays] += sizes[joins]
        together = _code_length(groups[stays], sizes[stays])
        prices[m] = max(0.0, together - costs[stays] - costs[joins])  # < 0 only by rounding
        costs[stays] = together
    return prices


def _code_length(row: Floats, size: float) -> float:
    """Return ``size * H(row / size)``, the code length of a topic's words in nats."""
    there = row[row > 0]
    # Not `@`: BLAS would start threads for it, which wait for each other on a busy machine.
    return float(size * np.log(size) - (there * np.log(there)).sum()) if len(there) else 0.0


def _oriented(pairs: Ints, weights: Floats, like: TopicTree | None) -> Ints:
    """Return the merges with the group that keeps its number first.

    It is the heavier one, or, given `like`, the one that overlaps more with the group of that
    number there. Numbers are assigned from the root down.
    """
    K = len(weights)
    slots = [{k} for k in range(K)]
    parts = []
    for stays, joins in pairs.tolist():
        parts.append((frozenset(slots[stays]), frozenset(slots[joins])))
        slots[stays] |= slots[joins]
    number = {frozenset(range(K)): 0}
    # From the root down: a part can be numbered only when the whole has its number.
    for m in range(K - 2, -1, -1):
        n = K - m  # groups after the split
        kept, new = parts[m]
        known = number.pop(kept | new)
        old = None if like is None or n >= K else like.groups(n) == known
        # The offset compares groups of weight 0 by their number of topics.
        shares = weights + 1e-12 if old is None else (weights + 1e-12) * old
        if shares[list(new)].sum() > shares[list(kept)].sum():
            kept, new = new, kept
        number[kept], number[new] = known, n - 1
        parts[m] = (kept, new)
    stands = {frozenset([k]): k for k in range(K)}  # the topic that represents each group
    for kept, new in parts:
        stands[kept | new] = stands[kept]
    return np.array([[stands[kept], stands[new]] for kept, new in parts], np.int64).reshape(-1, 2)
