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


def estimate_near(
    sums: ProjectedSums,
    n_topics: int,
    near: Floats,
    *,
    joint: bool,
    anchoring: Anchoring | None = None,
) -> Estimate:
    """Return ``estimate(ProjectedMoments(sums), n_topics, decompose, ..., near=near)``.

    A model after every document must not spend its time between one kernel and the next: the road
    of `estimate` is the same, and that function is what this one is tested against.
    """
    weights, topics, forward, *found, clipped = _solve(
        *sums.parts(), n_topics, near, joint, N_ITERATIONS
    )
    eigenvalues, T, tensor_eigenvalues, tensor_eigenvectors = found
    model = TopicModel.trusted(weights, topics)
    whitening = Whitening(forward, eigenvalues)
    tensor = (T, tensor_eigenvalues, tensor_eigenvectors)
    return Estimate(model, whitening, *tensor, clipped, anchoring)


@kernel
def _solve(
    n: Floats,
    words: Floats,
    image: Floats,
    pairs: Floats,
    triples: Floats,
    n_topics: int,
    near: Floats,
    joint: bool,  # noqa: FBT001  # kernels have no keyword arguments
    n_iterations: int,  # a constant here would have the decomposition compiled once more
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    n_pairs, n_triples = max(1.0, n[2]), max(1.0, n[3])
    forward, eigenvalues = whiten_small(unpack(pairs, image.shape[1]) / n_pairs, n_topics)
    T = contract(triples, forward, n_triples)
    if joint:
        values, vectors = diagonalise(T.copy())
    else:
        starts = np.dot(near, forward)  # v of the directions W v, but for the eigenvalues
        for i in range(len(eigenvalues)):
            starts[:, i] *= eigenvalues[i]
        values, vectors = decompose(
            T.copy(), starts.reshape(len(starts), 1, len(eigenvalues)), n_iterations
        )
    directions = np.dot(vectors, forward.T / n_pairs)  # backward is image @ forward / n_pairs
    weights, topics, clipped = finish(image, values, directions, words, n[0], n_topics)
    return weights, topics, forward, eigenvalues, T, values, vectors, clipped
