"""Stacked statistics are the statistics, side by side."""

import numpy as np

from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.learners.hedged.tables import Tables
from tests.factories import documents, model, same_state


def some(seed):
    return Statistics.one_document(model(3, 5, seed=seed), 30.0)


def filled():
    tables = Tables(3, n_topics=3, n_words=5)
    for i in range(3):
        tables[i] = some(i)
    return tables


def assert_same(a, b):
    np.testing.assert_allclose(a.scale * a.words, b.scale * b.words, rtol=1e-12)
    np.testing.assert_allclose(a.scale * a.totals, b.scale * b.totals, rtol=1e-12)


def test_what_is_put_in_comes_out_and_the_others_stay():
    tables = filled()
    tables[1] = some(7)
    for i, seed in enumerate((0, 7, 2)):
        assert_same(tables[i], some(seed))
        assert_same(tables.view(i), some(seed))
    tables[1].words[:] = 0.0  # a copy
    assert_same(tables[1], some(7))


def test_documents_are_added_to_the_last_ones_as_to_statistics_that_decay():
    tables, block, memories = filled(), documents(20, 5), np.array([4.0, 100.0])
    rng = np.random.default_rng(0)
    chances = rng.random((20, 6, 3))  # two models each
    weights = tables.weights
    tables.add(block, chances, weights, tables.forget(1, memories, 20))
    assert_same(tables[0], some(0))
    for i, memory in enumerate(memories, start=1):
        posterior = weights[i] * chances[:, 2 * i]
        posterior /= posterior.sum(axis=1, keepdims=True)
        expected, keep = some(i), (1.0 - 1.0 / memory) ** 20
        expected.decay(keep)
        expected.add(block, posterior, (1.0 - keep) * memory / 20)
        assert_same(tables[i], expected)


def test_a_scale_that_becomes_small_is_multiplied_out():
    tables = filled()
    for _ in range(3):
        tables.forget(1, np.array([2.0, 1e9]), 300)
        assert tables.scales.min() >= SMALLEST_SCALE
    assert_same(tables[0], some(0))
    np.testing.assert_allclose(tables[2].words, some(2).words, rtol=1e-5)


def test_weights_share_one_document():
    tables = filled()
    tables.forget(2, np.array([10.0]), 3)
    for i in range(3):
        documents_of = tables[i].totals[0] + 1 / 3
        np.testing.assert_allclose(tables.weights[i], documents_of / documents_of.sum())


def test_words_are_renumbered_and_a_copy_goes_on():
    tables = filled()
    tables.recode(np.array([2, 0, 1, -1, 3]), 6)
    expected = some(1)
    expected.recode(np.array([2, 0, 1, -1, 3]), 6)
    assert_same(tables[1], expected)
    again = Tables.from_state(tables.to_state(), 3, 3, 6)
    assert same_state(again.to_state(), tables.to_state())
    assert_same(again[1], expected)
