"""Agglomerative merging of topics: repeatedly the pair that loses the least likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.compiled import in_place, shared

RARE = 0.3  # expected counts of a word in a topic below this are treated as 0, to skip them


class Merges(NamedTuple):
    """The merges of groups of topics, in order; a group is named by its first topic."""

    pairs: Ints  # (n, 2): the group that remains, and the one merged into it
    prices: Floats  # (n,): likelihood lost, in nats times the unit of the word counts

    def groups(self, n_topics: int, n_merged: int) -> Ints:
        """Return the group (its first topic) of each topic after `n_merged` merges, (K,)."""
        group = np.arange(n_topics)
        for stays, joins in self.pairs[:n_merged].tolist():
            group[group == joins] = stays
        return group


def find_merges(words: Floats, n_wanted: int = 1) -> Merges:
    """Return the merges that reduce the topics to `n_wanted` groups, cheapest pair first.

    Merging topics i and j costs ``(w_i + w_j) H(m) - w_i H(u_i) - w_j H(u_j)`` nats of likelihood,
    where w are their numbers of words and m is their weighted mean.

    Parameters
    ----------
    words : (d, K) array
        Expected word counts of each topic, as in `Statistics`.
    n_wanted : int
        Number of groups to stop at, at least 1.
    """
    n_merged = max(0, words.shape[1] - n_wanted)
    merges = Merges(np.empty((n_merged, 2), np.int64), np.empty(n_merged))
    n = words.shape[1]
    rooms, topics = np.zeros((2, n)), np.ones((2, n), np.int64)
    _merge(np.array(words, order="C"), *merges, np.zeros((n, n)), rooms, topics)
    return merges


def coarsen(words: Floats, n_wanted: int) -> Ints:
    """Return the group of each topic when n_wanted groups are left, (K,).

    Groups are numbered from 0, in the order of their first topics; see `find_merges`.

    Examples
    --------
    >>> coarsen(np.array([[9.0, 1.0, 8.0], [1.0, 9.0, 2.0]]), 2).tolist()
    [0, 1, 0]
    """
    merges = find_merges(np.where(words > RARE, words, 0.0), n_wanted)
    group = merges.groups(words.shape[1], len(merges.prices))
    return np.unique(group, return_inverse=True)[1]


@in_place
def _merge(
    mass: Floats, pairs: Ints, prices: Floats, shared: Floats, rooms: Floats, topics: Ints
) -> None:
    """Merge columns of `mass` in place, ``len(prices)`` times, and record pairs and prices.

    With ``f(x) = x log x`` a merge costs the sum over words of ``f(a_i) + f(a_j) - f(a_i + a_j)``,
    which is 0 for a word that only one of the topics has, and ``f(w_i + w_j) - f(w_i) - f(w_j)``.
    Zeros for costs, two rows of zeros, and ones for two lists of topics are given: making arrays in
    a kernel takes as long to compile as the rest of it.
    """
    n, weights, own, here, alive = mass.shape[1], rooms[0], rooms[1], topics[0], topics[1]
    for w in range(len(mass)):
        row, n_here = mass[w], 0
        for i in range(n):
            if row[i] > 0.0:
                weights[i] += row[i]
                own[i] = _length(row[i])
                # Only topics that both have the word have a cost: far fewer than K^2 d pairs if
                # rows are sparse.
                for x in range(n_here):
                    j = here[x]
                    shared[j, i] += own[i] + own[j] - _length(row[i] + row[j])
                here[n_here] = i
                n_here += 1
    # O(K^2) to find each pair: costs are kept for all pairs, and merges only update them.
    for m in range(len(prices)):
        best, first, second = np.inf, 0, 0
        for i in range(n):
            # From here on `own` is of the totals, which change with every merge.
            own[i] = _length(weights[i])
        for i in range(n):
            for j in range(i + 1, n):
                if alive[i] and alive[j]:
                    price = shared[i, j] + _length(weights[i] + weights[j]) - own[i] - own[j]
                    if price < best:
                        best, first, second = price, i, j
        pairs[m, 0], pairs[m, 1], prices[m] = first, second, best
        alive[second] = 0
        weights[first] += weights[second]
        for w in range(len(mass)):
            row = mass[w]
            # Only words of the merged column change any price, so update instead of recomputing.
            if row[second] > 0.0:
                before, after = row[first], row[first] + row[second]
                more, row[first] = _length(after) - _length(before), after
                for i in range(n):
                    if alive[i] and i != first and row[i] > 0.0:
                        low, high = min(i, first), max(i, first)
                        shared[low, high] += (
                            more + _length(before + row[i]) - _length(after + row[i])
                        )


@shared
def _length(x: float) -> float:
    """``x log x``, and 0 for 0."""
    return float(x * np.log(x)) if x > 0.0 else 0.0
