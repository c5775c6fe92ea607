"""Merging topics: the pair whose merger loses the least likelihood, again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.runtime.compiled import kernel, shared

LEAST = 0.3  # times that a word occurs in a topic, expected, below which it does not


class Merges(NamedTuple):
    """Mergers of groups of topics, in order: each group goes by the number of its first topic."""

    pairs: Ints  # (n, 2): the group that stays, and the one that joins it
    prices: Floats  # (n,), in the unit of the words

    def groups(self, n_topics: int, n_merged: int) -> Ints:
        """Return the first topic of each topic's group, after so many mergers, (K,)."""
        group = np.arange(n_topics)
        for stays, joins in self.pairs[:n_merged].tolist():
            group[group == joins] = stays
        return group


def find_merges(words: Floats, n_wanted: int = 1) -> Merges:
    """Merge the pair of groups that costs least, until n_wanted are left.

    Merging topics i and j costs ``(w_i + w_j) H(m) - w_i H(u_i) - w_j H(u_j)``, w being their
    words and m their mean: the likelihood lost, in nats.

    Parameters
    ----------
    words : (d, K) array
        Expected words of each topic, as in `Statistics`.
    n_wanted : int
        Groups, at least 1.
    """
    n_merged = max(0, words.shape[1] - n_wanted)
    merges = Merges(np.empty((n_merged, 2), np.int64), np.empty(n_merged))
    _merge(np.array(words, order="C"), *merges)
    return merges


def merge_topics(words: Floats, n_wanted: int) -> Ints:
    """Return for each topic the group that it is in, when n_wanted are left, (K,).

    Groups are numbered by their first topics; see `find_merges`.

    Examples
    --------
    >>> merge_topics(np.array([[9.0, 1.0, 8.0], [1.0, 9.0, 2.0]]), 2).tolist()
    [0, 1, 0]
    """
    merges = find_merges(np.where(words > LEAST, words, 0.0), n_wanted)
    group = merges.groups(words.shape[1], len(merges.prices))
    return np.unique(group, return_inverse=True)[1]


@kernel
def _merge(mass: Floats, pairs: Ints, prices: Floats) -> None:
    """Merge columns into the first of each group, in place, as often as there is room for prices.

    With ``f(x) = x log x`` a merger costs the sum over words of ``f(a_i) + f(a_j) - f(a_i + a_j)``,
    which is 0 where a word is in one of the topics only, and ``f(w_i + w_j) - f(w_i) - f(w_j)``.
    """
    n = mass.shape[1]
    shared, weights, here = np.zeros((n, n)), np.zeros(n), np.empty(n, np.int64)
    for w in range(len(mass)):
        n_here = 0
        for i in range(n):
            if mass[w, i] > 0.0:
                weights[i] += mass[w, i]
                for j in here[:n_here]:
                    shared[j, i] += _lost(mass[w, j], mass[w, i])
                here[n_here] = i
                n_here += 1
    alive = np.ones(n, np.bool_)
    for m in range(len(prices)):
        best, first, second = np.inf, 0, 0
        for i in range(n):
            for j in range(i + 1, n):
                if alive[i] and alive[j]:
                    price = shared[i, j] - _lost(weights[i], weights[j])
                    if price < best:
                        best, first, second = price, i, j
        pairs[m, 0], pairs[m, 1], prices[m] = first, second, best
        alive[second] = False
        weights[first] += weights[second]
        for w in range(len(mass)):
            if mass[w, second] > 0.0:  # elsewhere nothing changes
                before = mass[w, first]
                mass[w, first] += mass[w, second]
                for i in range(n):
                    if alive[i] and i != first and mass[w, i] > 0.0:
                        more = _lost(mass[w, first], mass[w, i]) - _lost(before, mass[w, i])
                        shared[min(i, first), max(i, first)] += more


@shared
def _lost(a: float, b: float) -> float:
    """``f(a) + f(b) - f(a + b)``, which is at most 0."""
    total = a + b
    if a <= 0.0 or b <= 0.0:
        return 0.0
    return float(a * np.log(a / total) + b * np.log(b / total))
