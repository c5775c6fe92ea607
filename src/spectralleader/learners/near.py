"""Estimating near an earlier estimate: `spectral.estimate` for sums in a basis, in one kernel."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats
from spectralleader.model import TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.moments.kernels import contract, unpack
from spectralleader.spectral import Anchoring, Estimate
from spectralleader.spectral.joint import diagonalise
from spectralleader.spectral.power import decompose
from spectralleader.spectral.recovery import finish
from spectralleader.spectral.whitening import Whitening, whiten_small

N_ITERATIONS = 30


Sums = tuple[Floats, Floats, Floats, Floats, Floats]  # as `ProjectedSums.parts` returns them
Found = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats, Floats]


def estimate_near(
    sums: ProjectedSums,
    n_topics: int,
    near: Floats,
    *,
    joint: bool,
    anchoring: Anchoring | None = None,
) -> Estimate | None:
    """Return ``estimate(ProjectedMoments(sums), n_topics, decompose, ..., near=near)``.

    A model after every document must not spend its time between one kernel and the next: the road
    of `estimate` is the same, and that function is what this one is tested against. None: fewer
    than n_topics directions are left.
    """
    d, r = sums.basis.shape
    k, empty = n_topics, np.empty
    weights, topics, forward, eigenvalues = empty(k), empty((k, d)), empty((r, k)), empty(k)
    T, values, vectors, clipped = empty((k, k, k)), empty(k), empty((k, k)), empty(k)
    found = (weights, topics, forward, eigenvalues, T, values, vectors, clipped)
    if not _solve(sums.parts(), near, joint, N_ITERATIONS, found):
        return None
    model = TopicModel.trusted(weights, topics)
    return Estimate(model, Whitening(forward, eigenvalues), T, values, vectors, clipped, anchoring)


@kernel
def _solve(
    sums: Sums,
    near: Floats,
    joint: bool,  # noqa: FBT001  # kernels have no keyword arguments
    n_iterations: int,  # a constant here would have the decomposition compiled once more
    found: Found,
) -> bool:
    """Set weights, topics, W, its eigenvalues, T, its eigenpairs and the mass clipped.

    They are written into arrays made before: an array that a kernel returns costs as much as a
    tenth of all this. Returns whether there are as many directions as topics.
    """
    n, words, image, pairs, triples = sums
    weights, topics, forward, eigenvalues, T, values, vectors, clipped = found
    n_topics, n_pairs, n_triples = len(weights), max(1.0, n[2]), max(1.0, n[3])
    W, usable = whiten_small(unpack(pairs, image.shape[1]) / n_pairs, n_topics)
    if len(usable) < n_topics:
        return False
    forward[:], eigenvalues[:] = W, usable
    T[:] = contract(triples, W, n_triples)
    if joint:
        values[:], vectors[:] = diagonalise(T.copy())
    else:
        starts = np.dot(near, W)  # v of the directions W v, but for the eigenvalues
        for i in range(n_topics):
            starts[:, i] *= usable[i]
        values[:], vectors[:] = decompose(
            T.copy(), starts.reshape(n_topics, 1, n_topics), n_iterations
        )
    directions = np.dot(vectors, W.T / n_pairs)  # backward is image @ W / n_pairs
    weights[:], topics[:], clipped[:] = finish(image, values, directions, words, n[0], n_topics)
    return True
