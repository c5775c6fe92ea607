"""TopicTree: the topics of a model, merged by price, to be read at any number of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.models.merging import Merges, find_merges
from spectralleader.models.model import TopicModel

# Entries compared, K^2 d, up to which the cheapest pair is found exactly: some 10 ms. Beyond, the
# words of a topic are compared as one: on tweets the cuts lose within 3 % as much, both ways, and
# 100 topics over 5,000 words take 30 ms instead of 800.
EXACT = 500_000


READ = 20  # groups that people read, at most
JUMP = 2.0  # times the price before, from which on a merger is one too many
NOISE = 0.01  # of what all topics tell: cheaper mergers are of topics that are the same
SAME = 1e-6  # nats per word that topics tell: with less they are one
KEPT = 0.6  # share of the information of all topics that is to be kept


class Cut(NamedTuple):
    """A model read at a level of its tree."""

    model: TopicModel  # of n topics
    groups: Ints  # (K,): the topic of `model` that each topic of the fine model went into

    def members(self, group: int) -> list[int]:
        """Return the fine topics that a topic is made of."""
        return np.flatnonzero(self.groups == group).tolist()


@dataclass(frozen=True, repr=False)
class TopicTree:
    """The merge tree of a model's topics: every level is a valid model.

    Merging topics i and j into their weighted mean m costs ``(w_i + w_j) H(m) - w_i H(u_i) -
    w_j H(u_j)`` nats per word: the likelihood lost. The cheapest pair is merged again and again.

    Groups are numbered in the order in which they split off, from 0: when n groups become n + 1,
    the heavier part keeps the number of the whole, and the other part is number n. So a group has
    one number at every level that it exists at. With all K topics, these keep the model's order.

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
    pairs: Ints  # (K - 1, 2), in order: the group that keeps its number, and the one that joins it
    prices: Floats  # (K - 1,), nats per word

    @classmethod
    def of(cls, model: TopicModel, like: TopicTree | None = None) -> TopicTree:
        """Build the tree of a model; groups are numbered as in another tree where they overlap."""
        pairs = find_merges(_comparable(_mass(model))).pairs
        return cls.priced(model, _oriented(pairs, model.weights, like))

    @classmethod
    def priced(cls, model: TopicModel, pairs: Ints) -> TopicTree:
        """Return the tree with given mergers, at the prices of a model of as many topics."""
        pairs.setflags(write=False)
        return cls(model, pairs, _price(_mass(model), pairs))

    @property
    def n_topics(self) -> int:
        """Number of topics of the fine model, K."""
        return self.model.n_topics

    def groups(self, n: int) -> Ints:
        """Return the group of each topic when n are left, (K,), numbered from 0."""
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
        """Topics in the order in which their groups split off: the first n stand for n groups."""
        joins = self.pairs[::-1, 1].tolist()
        (root,) = set(range(self.n_topics)) - set(joins)
        return [root, *joins]

    def cut(self, n: int) -> Cut:
        """Return the model of n topics, from 1 to K, and which topics each is made of."""
        groups = self.groups(n)
        if n == self.n_topics:
            return Cut(self.model, groups)
        member = np.eye(n)[groups].T
        weights = member @ self.model.weights
        # a group without weight is the plain mean of its topics
        shares = member * np.where((weights > 0)[groups], self.model.weights, 1.0)
        topics = shares @ self.model.topics
        topics /= topics.sum(axis=1, keepdims=True)
        return Cut(TopicModel.trusted(weights / weights.sum(), topics), groups)

    def lost(self, n: int) -> float:
        """Return the likelihood lost by reading n topics instead of all, in nats per word."""
        return float(self.prices[: self.n_topics - n].sum())

    @property
    def suggested(self) -> int:
        """The number of topics that the prices suggest, up to `READ`; 1 if all are the same.

        That after which merging becomes dearer at once: the next merger costs at least `JUMP` times
        as much as any before, and the jump is the largest. Where prices rise slowly, the fewest
        topics that keep `KEPT` of what all of them tell.
        """
        K = self.n_topics
        if self.lost(1) <= SAME:
            return 1
        if K < 3:
            return K
        most = min(READ, K - 1)
        floor = max(NOISE * self.lost(1), 1e-300)
        dearest = np.maximum(np.maximum.accumulate(self.prices), floor)
        # the merger of n groups to n - 1 is number K - n
        jumps = {n: float(self.prices[K - n] / dearest[K - n - 1]) for n in range(2, most + 1)}
        best = max(jumps, key=jumps.__getitem__)
        if jumps[best] >= JUMP:
            return best
        enough = (n for n in range(2, most + 1) if self.lost(n) <= (1.0 - KEPT) * self.lost(1))
        return next(enough, most)

    def __repr__(self) -> str:
        return f"TopicTree({self.model!r})"


def _mass(model: TopicModel) -> Floats:
    """Return the joint probability of words and topics, (d, K)."""
    return np.ascontiguousarray((model.weights[:, None] * model.topics).T)


def _comparable(mass: Floats) -> Floats:
    """Return the mass that pairs are compared by: of many words, those of each topic as one."""
    n_words, K = mass.shape
    if K * K * n_words <= EXACT:
        return mass
    speaks_for = mass.argmax(axis=1)
    ordered = np.argsort(speaks_for, kind="stable")
    starts = np.flatnonzero(np.diff(speaks_for[ordered], prepend=-1))
    return np.add.reduceat(mass[ordered], starts, axis=0)


def _price(mass: Floats, pairs: Ints) -> Floats:
    """Return what each merger costs, by definition; merging again what was merged."""
    groups = np.array(mass.T)  # (K, d)
    sizes = groups.sum(axis=1)
    costs = [_code_length(row, size) for row, size in zip(groups, sizes.tolist(), strict=True)]
    prices = np.empty(len(pairs))
    for m, (stays, joins) in enumerate(pairs.tolist()):
        groups[stays] += groups[joins]
        sizes[stays] += sizes[joins]
        together = _code_length(groups[stays], sizes[stays])
        prices[m] = max(0.0, together - costs[stays] - costs[joins])  # below 0 by rounding only
        costs[stays] = together
    return prices


def _code_length(row: Floats, size: float) -> float:
    """Return ``size * H(row / size)``, the nats that the words of a topic take."""
    there = row[row > 0]
    return float(size * np.log(size) - there @ np.log(there)) if len(there) else 0.0


def _oriented(pairs: Ints, weights: Floats, like: TopicTree | None) -> Ints:
    """Return mergers with the group that keeps its number first, from the root down.

    That is the heavier one, or the one that has more of that number's group in another tree.
    """
    K = len(weights)
    slots = [{k} for k in range(K)]
    parts = []
    for stays, joins in pairs.tolist():
        parts.append((frozenset(slots[stays]), frozenset(slots[joins])))
        slots[stays] |= slots[joins]
    number = {frozenset(range(K)): 0}
    for m in range(K - 2, -1, -1):
        n = K - m  # groups after the split
        kept, new = parts[m]
        known = number.pop(kept | new)
        old = None if like is None or n >= K else like.groups(n) == known
        shares = weights + 1e-12 if old is None else (weights + 1e-12) * old
        if shares[list(new)].sum() > shares[list(kept)].sum():
            kept, new = new, kept
        number[kept], number[new] = known, n - 1
        parts[m] = (kept, new)
    stands = {frozenset([k]): k for k in range(K)}  # a topic for each group: its kept part's
    for kept, new in parts:
        stands[kept | new] = stands[kept]
    return np.array([[stands[kept], stands[new]] for kept, new in parts], np.int64).reshape(-1, 2)
