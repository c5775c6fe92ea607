"""Where arrays lie in memory does not change the bits of a result."""

from functools import partial

import numpy as np
import pytest

from spectralleader.documents import DocumentView
from spectralleader.em.columns import Columns, Smoothing, work_space
from spectralleader.em.passes import set_log_probs
from spectralleader.em.stacked import expert_log_probs, learn_posteriors
from spectralleader.em.statistics import read_off
from spectralleader.learners.hedged.mixing import weigh
from tests.factories import documents

K, D, N, N_TABLES = 32, 20, 30, 4
GAPS = (0, 16, 64, 256, 1024)  # bytes between two arrays
BLOCK = documents(N, D)
ARRAYS = (BLOCK.indptr, BLOCK.words, BLOCK.counts)


def place(arrays, rng):
    """Copy arrays into one buffer, in random order, with random gaps."""
    room, at, out = np.zeros(sum(one.size for one in arrays) + 200 * len(arrays)), 0, list(arrays)
    for i in rng.permutation(len(arrays)):
        here = room[at : at + arrays[i].size]
        here[:] = arrays[i].ravel()
        out[i], at = here.reshape(arrays[i].shape), at + arrays[i].size + rng.choice(GAPS) // 8
    return out


def log_probs(table, totals, seen, work, out):
    smoothing = Smoothing(seen, float(seen.sum()), 3.0)
    set_log_probs(DocumentView.of(BLOCK), Columns(table, totals, K, K), smoothing, work, out)


def read(weights, topics, table, totals, background):
    smoothing = Smoothing(background, float(background.sum()), 3.0)
    model = read_off(Columns(table, totals, K, K), smoothing, 0.7)
    weights[:], topics[:] = model.weights, model.topics


def weigh_all(pool, weights, log_probs, relative):
    weigh(pool, weights, log_probs, 7.0, 1000.0, relative)


def ask_experts(table, totals, scales, seen, strengths, priors, work, out, likelihoods, experts):
    known = (seen, float(seen.sum()), seen, float(seen.sum()))
    rows, results = (strengths, experts, priors), (out, likelihoods, work)
    expert_log_probs(ARRAYS, (table, totals, scales), known, rows, results)


def learn(table, totals, scales, likelihoods, weights, keep, room):
    learn_posteriors(ARRAYS, (table, totals, scales), (likelihoods, weights, keep), room)


def drawn(rng, *shapes):
    return [0.1 + rng.random(shape) for shape in shapes]


TABLE, TOTALS = (D, N_TABLES * K), (2, N_TABLES * K)
EXPERTS = np.array([[0, 0], [3, 1], [7, 5]])
KERNELS = {
    "log_probs": (log_probs, [TABLE, TOTALS, D, (5, 1, K), N]),
    "smooth": (read, [K, (K, D), TABLE, TOTALS, D]),
    "weigh": (weigh_all, [K, K + 1, (N, K), K + 1]),
    "experts": (
        partial(ask_experts, experts=EXPERTS),
        [TABLE, TOTALS, N_TABLES, D, 2, (6, K), (5, 2, N_TABLES * K), (N, 5), (N, 8, K)],
    ),
    "learn": (learn, [TABLE, TOTALS, N_TABLES, (N, 8, K), (N_TABLES, K), 2, (2, 2 * K)]),
}


@pytest.mark.parametrize("name", KERNELS)
def test_results_have_the_same_bits_wherever_arrays_lie(name):
    """LLVM chooses between two versions of a loop with stores by the distances of its arrays."""
    run, shapes = KERNELS[name]
    for seed in range(5):
        given, found = drawn(np.random.default_rng(seed), *shapes), set()
        if name == "log_probs":
            given[3] = work_space(K)
        if name == "learn":
            given[5] = np.array([0.9, 0.99])
        for layout in range(40):
            arrays = place(given, np.random.default_rng(layout))
            run(*arrays)
            found.add(b"".join(one.tobytes() for one in arrays))
        assert len(found) == 1
