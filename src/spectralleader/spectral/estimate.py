"""The spectral method on one page: moments in, model out (Algorithm 1, lines 1 to 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse.linalg import LinearOperator

from spectralleader.documents import Floats
from spectralleader.model import TopicModel
from spectralleader.spectral.power import power_method
from spectralleader.spectral.recovery import (
    background_share,
    complete,
    recover,
    smooth_words,
    to_simplex,
)
from spectralleader.spectral.whitening import whiten


class Moments(Protocol):
    """Mean moments over words: of documents, or exact ones of a known model."""

    n_tokens: float  # words that the means were taken over

    @property
    def words(self) -> Floats:
        """M1, shape (d,)."""

    @property
    def pairs(self) -> Floats | LinearOperator:
        """M2, shape (d, d)."""

    def triples(self, basis: Floats) -> Floats:
        """M3(Q, Q, Q), shape (r, r, r)."""


@dataclass(frozen=True)
class Diagnostics:
    """What a person wants to know of one estimate."""

    eigenvalues: Floats  # of the pairs, the usable ones, largest first
    n_usable: int  # topics that could be estimated; fewer than asked means too little data
    condition_number: float  # largest over smallest usable eigenvalue
    tensor_eigenvalues: Floats  # lambda, in the order found
    clipped: Floats  # negative mass removed from each topic found
    residual: float  # ||T - sum lambda v^(x)3|| / ||T||: small if each document has one topic


def estimate(
    moments: Moments, n_topics: int, starts: Floats, *, n_iterations: int = 30
) -> tuple[TopicModel, Diagnostics]:
    """Estimate a single-topic model from its moments.

    Parameters
    ----------
    moments : Moments
        Mean words, pairs and triples.
    n_topics : int
        K. If fewer can be estimated, the rest get weight 0.
    starts : (K, n_restarts, K) array
        Directions that the power method starts from, see `power.random_starts`.
    n_iterations : int
        Iterations of the power method.
    """
    whitening = whiten(moments.pairs, n_topics)  # lines 1 and 2
    T = moments.triples(whitening.forward)  # line 3
    eigenvalues, eigenvectors = power_method(T, starts, n_iterations=n_iterations)  # line 4
    weights, raw = recover(whitening, eigenvalues, eigenvectors)  # line 5
    topics, clipped = to_simplex(raw)

    unigram = smooth_words(moments.words, moments.n_tokens)
    share = background_share(n_topics, len(unigram), moments.n_tokens)
    model = complete(weights, topics, unigram, n_topics, share)
    return model, Diagnostics(
        eigenvalues=whitening.eigenvalues,
        n_usable=int((weights > 0).sum()),
        condition_number=condition_number(whitening.eigenvalues),
        tensor_eigenvalues=eigenvalues,
        clipped=clipped,
        residual=residual(T, eigenvalues, eigenvectors),
    )


def condition_number(eigenvalues: Floats) -> float:
    """Return the largest over the smallest of positive eigenvalues; 1 if there are none."""
    return float(eigenvalues[0] / eigenvalues[-1]) if len(eigenvalues) else 1.0


def residual(T: Floats, eigenvalues: Floats, eigenvectors: Floats) -> float:
    """Return ||T - sum lambda v^(x)3|| / ||T||, 0 for the zero tensor."""
    k, V = len(eigenvalues), eigenvectors
    squares = (V[:, :, None] * V[:, None, :]).reshape(k, k * k)
    rebuilt = (eigenvalues[:, None] * V).T @ squares  # T unfolded, (k, k^2)
    norm = np.linalg.norm(T)
    return float(np.linalg.norm(T.reshape(k, k * k) - rebuilt) / norm) if norm > 0 else 0.0
