"""Agglomerative merging of topics: repeatedly the pair that loses the least likelihood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.compiled import kernel, shared

LEAST = 0.3  # expected counts of a word in a topic below this are treated as 0, to skip them


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
    n, rooms = words.shape[1], np.ones((2, words.shape[1]), np.int64)
    _merge(np.array(words, order="C"), *merges, np.zeros((n, n)), np.zeros(n), rooms)
    return merges


def merge_topics(words: Floats, n_wanted: int) -> Ints:
    """Return the group of each topic when n_wanted groups are left, (K,).

    Groups are numbered from 0, in the order of their first topics; see `find_merges`.

    Examples
    --------
    >>> merge_topics(np.array([[9.0, 1.0, 8.0], [1.0, 9.0, 2.0]]), 2).tolist()
    [0, 1, 0]
    """
    merges = find_merges(np.where(words > LEAST, words, 0.0), n_wanted)
    group = merges.groups(words.shape[1], len(merges.prices))
    return np.unique(group, return_inverse=True)[1]


@kernel
def _merge(
    mass: Floats, pairs: Ints, prices: Floats, shared: Floats, weights: Floats, rooms: Ints
) -> None:
    """Merge columns of `mass` in place, ``len(prices)`` times, and record pairs and prices.

    With ``f(x) = x log x`` a merge costs the sum over words of ``f(a_i) + f(a_j) - f(a_i + a_j)``,
    which is 0 for a word that only one of the topics has, and ``f(w_i + w_j) - f(w_i) - f(w_j)``.
    Zeros for costs and weights, and ones for two lists of topics, are given: making arrays in a
    kernel takes as long to compile as the rest of it.
    """
    n, here, alive = mass.shape[1], rooms[0], rooms[1]
    for w in range(len(mass)):
        n_here = 0
        for i in range(n):
            if mass[w, i] > 0.0:
                weights[i] += mass[w, i]
                for x in range(n_here):
                    shared[here[x], i] += _lost(mass[w, here[x]], mass[w, i])
                here[n_here] = i
                n_here += 1
    for m in range(len(prices)):
        best, first, second = np.inf, 0, 0
        for i in range(n):
            for j in range(i + 1, n):
                if alive[i] and alive[j]:
                    price = shared[i, j] - _lost(weights[i], weights[j])
                    if price < best:
                        best, first, second = price, i, j
        pairs[m, 0], pairs[m, 1], prices[m] = first, second, best
        alive[second] = 0
        weights[first] += weights[second]
        for w in range(len(mass)):
            # Only words of the merged column change any price, so update instead of recomputing.
            if mass[w, second] > 0.0:
                before = mass[w, first]
                mass[w, first] += mass[w, second]
                for i in range(n):
                    if alive[i] and i != first and mass[w, i] > 0.0:
                        more = _lost(mass[w, first], mass[w, i]) - _lost(before, mass[w, i])
                        low, high = (i, first) if i < first else (first, i)
                        shared[low, high] += more


@shared
def _lost(a: float, b: float) -> float:
    """``f(a) + f(b) - f(a + b)``, which is at most 0."""
    total = a + b
    if a <= 0.0 or b <= 0.0:
        return 0.0
    return float(a * np.log(a / total) + b * np.log(b / total))
