"""Estimating near an earlier estimate: `spectral.estimate` for sums in a basis, in one kernel."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents
from spectralleader.learners.spectral_leader.order import NO_TOPICS, arrange_topics
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedSums
from spectralleader.moments.exchange import exchange_documents
from spectralleader.moments.kernels import contract, unpack
from spectralleader.moments.projected import MANY
from spectralleader.runtime.compiled import kernel
from spectralleader.samples import Change
from spectralleader.spectral import Anchoring, Estimate
from spectralleader.spectral.joint import diagonalise
from spectralleader.spectral.power import decompose
from spectralleader.spectral.recovery import finish
from spectralleader.spectral.whitening import Whitening, whiten_small

N_ITERATIONS = 30
# Refresh the warm start after this share of the sample has changed, and after at least this many
# documents. It saves power iterations only; L1 and L2 do not depend on it.
STEP, FEWEST = 1 / 64, 32
NOTHING, NO_ROWS = np.empty(0), np.empty((0, 0))  # room for nothing: it is not asked for
NO_CHANGE = Change.of(Documents.empty(1), Documents.empty(1), np.zeros(0, np.int64))

Parts = tuple[Floats, Floats, Floats, Floats, Floats, Floats]  # views of one array, see `_cut`


class Near:
    """Sums that follow changes, and estimates near directions that were found earlier.

    A model after every document must not spend its time between one kernel and the next, so adding
    a change, estimating and arranging are one. All that is done here is done by that one kernel:
    the bits of a model do not depend on how often somebody looked.
    """

    __slots__ = ("_n_entered", "_n_steps", "directions", "joint", "sums")

    def __init__(self, sums: ProjectedSums, directions: Floats, *, joint: bool) -> None:
        self.sums, self.directions, self.joint = sums, directions, joint
        self._n_steps = max(FEWEST, STEP * sums.n_docs[0])  # documents until the next directions
        self._n_entered = 0  # since the last

    def follow(self, change: Change) -> None:
        """Add a change to the sums: ``sums.exchange(change.moved, change.n_entered)``.

        Every so many documents the directions are found anew, so that estimates stay near.
        """
        self._run(change, None, 0.0, NOTHING, NO_ROWS, NOTHING)
        self._n_entered += change.n_entered
        if self._n_entered >= self._n_steps:
            self._n_entered = 0
            if (found := self.estimate()) is not None:
                self.directions = found.directions

    def estimate(self, anchoring: Anchoring | None = None) -> Estimate | None:
        """Return ``estimate(ProjectedMoments(sums), K, decompose, ..., near=directions)``.

        None: fewer than K directions are left.
        """
        k, (d, r) = len(self.directions), self.sums.basis.shape
        weights, topics, rest = np.empty(k), np.empty((k, d)), np.empty(_size(k, r))
        if not self._run(NO_CHANGE, None, 0.0, weights, topics, rest):
            return None
        clipped, values, vectors, T, eigenvalues, forward = _cut(rest, k)
        model, whitening = TopicModel.trusted(weights, topics), Whitening(forward, eigenvalues)
        return Estimate(model, whitening, T, values, vectors, clipped, anchoring)

    def model(
        self, change: Change, reference: TopicModel | None, level: float
    ) -> TopicModel | None:
        """Follow a change; return ``arrange(self.estimate().model, reference, level)``."""
        if self._n_entered + change.n_entered >= self._n_steps:
            self.follow(change)
            change = NO_CHANGE
        weights = np.empty(len(self.directions))
        topics = np.empty((len(weights), len(self.sums.basis)))
        is_found = self._run(change, reference, level, weights, topics, NOTHING)
        self._n_entered += change.n_entered
        return TopicModel.trusted(weights, topics) if is_found else None

    def _run(
        self,
        change: Change,
        reference: TopicModel | None,
        level: float,
        weights: Floats,
        topics: Floats,
        rest: Floats,
    ) -> bool:
        bounds, words, counts, _ = change.moved
        return _follow(
            bounds,
            words,
            counts,
            change.n_entered,
            MANY,
            self.sums.basis,
            *self.sums.parts(),
            self.directions,
            self.joint,
            N_ITERATIONS,
            NO_TOPICS if reference is None else reference.topics,
            level,
            weights,
            topics,
            rest,
        )


@kernel
def _follow(
    bounds: Ints,
    words: WordIds,
    counts: Floats,
    n_added: int,
    many: float,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    image: Floats,
    pairs: Floats,
    triples: Floats,
    near: Floats,
    joint: bool,  # noqa: FBT001  # kernels have no keyword arguments
    n_iterations: int,  # a constant here would have the decomposition compiled once more
    reference: Floats,
    level: float,
    weights: Floats,
    topics: Floats,
    rest: Floats,
) -> bool:
    """Add a change to sums; if there is room for a model, estimate and arrange it, see `Near`.

    Models are written into arrays made before, and the rest into one, if there is room: an array
    that a kernel returns costs as much as a tenth of all this. Returns whether a model was found.
    """
    sums = (n, sum_words, image, pairs, triples)
    if len(bounds) > 0:
        exchange_documents(bounds, words, counts, n_added, many, basis, *sums)
    if len(weights) == 0:
        return False
    if len(rest) == 0:
        rest = np.empty(_size(len(weights), basis.shape[1]))
    if not _solve(sums, near, joint, n_iterations, weights, topics, rest):
        return False
    arrange_topics(weights, topics, reference, level)
    return True


@kernel
def _solve(
    sums: tuple[Floats, Floats, Floats, Floats, Floats],
    near: Floats,
    joint: bool,  # noqa: FBT001
    n_iterations: int,
    weights: Floats,
    topics: Floats,
    rest: Floats,
) -> bool:
    """Set weights, topics, and the rest; return whether there are as many directions as topics."""
    n, words, image, pairs, triples = sums
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
        start = starts.reshape(n_topics, 1, n_topics)
        decompose(T.copy(), start, n_iterations, values, vectors, 0, n_topics)
    directions = np.dot(vectors, W.T / n_pairs)  # backward is image @ W / n_pairs
    clipped[:] = finish(image, values, directions, words, n[0], weights, topics)
    return True


@kernel
def _size(k: int, r: int) -> int:
    """Return how many numbers `_cut` cuts."""
    return k * (k * k + k + r + 3)


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
