"""Merging topics by price, against prices computed by their definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.models.coarsening import coarsen, find_merges


def entropy(p):
    return -(p[p > 0] * np.log(p[p > 0])).sum()


def price(a, b):
    """``(w_a + w_b) H(m) - w_a H(u_a) - w_b H(u_b)``, in the unit of the counts."""
    parts = (a + b, a, b)
    sizes = [part.sum() for part in parts]
    costs = [size * entropy(part / size) for part, size in zip(parts, sizes, strict=True)]
    return costs[0] - costs[1] - costs[2]


def plainly(words, n_wanted):
    groups = [[k] for k in range(words.shape[1])]
    while len(groups) > n_wanted:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i + 1, len(groups))]
        sums = [words[:, group].sum(axis=1) for group in groups]
        i, j = min(pairs, key=lambda pair: price(sums[pair[0]], sums[pair[1]]))
        groups[i] += groups.pop(j)
    out = np.empty(words.shape[1], int)
    for number, group in enumerate(sorted(groups, key=min)):
        out[group] = number
    return out


@given(seed=st.integers(0, 1000), n_topics=st.integers(1, 9))
def test_the_cheapest_pair_is_merged_again_and_again(seed, n_topics):
    words = np.random.default_rng(seed).gamma(0.3, 20.0, size=(12, n_topics)) + 0.5
    words[words < 1.0] = 0.0
    words[0] += 1.0  # no topic is empty
    for n_wanted in range(1, n_topics + 1):
        np.testing.assert_array_equal(coarsen(words, n_wanted), plainly(words, n_wanted))


def test_what_is_given_stays():
    words = np.array([[9.0, 1.0, 8.0], [1.0, 9.0, 2.0]])
    kept = words.copy()
    assert coarsen(words, 3).tolist() == [0, 1, 2]
    assert coarsen(words, 2).tolist() == [0, 1, 0]
    np.testing.assert_array_equal(words, kept)


@pytest.mark.parametrize("scale", [0.3, 30.0])
def test_the_cheapest_pair_is_merged_again_and_again_at_the_likelihood_lost(scale):
    words = scale * np.random.default_rng(3).dirichlet(np.full(6, 0.5), size=5).T
    words[2, 1] = words[4, 3] = 0.0
    groups = {k: words[:, k] for k in range(5)}
    found = find_merges(words)
    for (first, second), found_price in zip(found.pairs.tolist(), found.prices, strict=True):
        lost = {(i, j): price(a, b) for (i, a), (j, b) in combinations(groups.items(), 2)}
        assert (first, second) == min(lost, key=lost.__getitem__)
        assert found_price == pytest.approx(lost[first, second], abs=1e-12)
        groups[first] = groups[first] + groups.pop(second)
