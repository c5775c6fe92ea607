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

Parts = tuple[Floats, Floats, Floats, Floats, Floats, Floats]  # views of one array, see `_cut`


class Nearby:
    """An estimate of which the model is there, and the rest is put together when asked for."""

    __slots__ = ("anchoring", "model", "rest")

    def __init__(self, model: TopicModel, rest: Floats, anchoring: Anchoring | None) -> None:
        self.model, self.rest, self.anchoring = model, rest, anchoring

    @property
    def estimate(self) -> Estimate:
        """The estimate with its diagnostics."""
        clipped, values, vectors, T, eigenvalues, forward = _cut(self.rest, self.model.n_topics)
        whitening = Whitening(forward, eigenvalues)
        return Estimate(self.model, whitening, T, values, vectors, clipped, self.anchoring)


def estimate_near(
    sums: ProjectedSums,
    n_topics: int,
    near: Floats,
    *,
    joint: bool,
    anchoring: Anchoring | None = None,
) -> Nearby | None:
    """Return ``estimate(ProjectedMoments(sums), n_topics, decompose, ..., near=near)``.

    A model after every document must not spend its time between one kernel and the next: the road
    of `estimate` is the same, and that function is what this one is tested against. None: fewer
    than n_topics directions are left.
    """
    d, r = sums.basis.shape
    k = n_topics
    weights, topics, rest = np.empty(k), np.empty((k, d)), np.empty(k * (k * k + k + r + 3))
    if not _solve(*sums.parts(), near, joint, N_ITERATIONS, weights, topics, rest):
        return None
    return Nearby(TopicModel.trusted(weights, topics), rest, anchoring)


@kernel
def _solve(
    n: Floats,
    words: Floats,
    image: Floats,
    pairs: Floats,
    triples: Floats,
    near: Floats,
    joint: bool,  # noqa: FBT001  # kernels have no keyword arguments
    n_iterations: int,  # a constant here would have the decomposition compiled once more
    weights: Floats,
    topics: Floats,
    rest: Floats,
) -> bool:
    """Set weights, topics, and the rest: W, its eigenvalues, T, its eigenpairs, the mass clipped.

    They are written into arrays made before, and the rest into one: an array that a kernel returns
    costs as much as a tenth of all this. Returns whether there are as many directions as topics.
    """
    n_topics, n_pairs, n_triples = len(weights), max(1.0, n[2]), max(1.0, n[3])
    clipped, values, vectors, T, eigenvalues, forward = _cut(rest, n_topics)
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
    clipped[:] = finish(image, values, directions, words, n[0], weights, topics)
    return True


@kernel
def _cut(rest: Floats, k: int) -> Parts:
    """Return parts of an array: mass clipped, eigenpairs of T, T, eigenvalues of the pairs, W."""
    square, cube = k * k, k * k * k
    vectors, T = rest[2 * k : 2 * k + square], rest[2 * k + square : 2 * k + square + cube]
    end = 2 * k + square + cube
    return (
        rest[:k],
        rest[k : 2 * k],
        vectors.reshape(k, k),
        T.reshape(k, k, k),
        rest[end : end + k],
        rest[end + k :].reshape((len(rest) - end - k) // k, k),
    )
