"""The exact moments of a known model: the limit of infinitely many documents."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.models import TopicModel
from spectralleader.moments.sums import pack
from spectralleader.moments.update_kernels import Sums


def population_sums(model: TopicModel, basis: Floats | None = None) -> Sums:
    """Return the moments of a model as the sums of one document with infinitely many words.

    Parameters
    ----------
    model : TopicModel
        The known model.
    basis : (d, r) array, optional
        Coordinates Q of the pairs and triples; defaults to the words themselves.

    Examples
    --------
    >>> population_sums(TopicModel([0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]])).image.tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    Q = np.eye(model.n_words) if basis is None else np.ascontiguousarray(basis)
    weights, P = model.weights, model.topics @ Q
    image = model.topics.T @ (weights[:, None] * P)
    # Eq. 2 in the coordinates of the basis.
    triples = np.einsum("k,ka,kb,kc->abc", weights, P, P, P)
    # With infinitely many tokens, the share of the unigram distribution (eq. 11) is 0.
    n = np.array([np.inf, 1.0, 1.0, 1.0])
    return Sums(Q, n, weights @ model.topics, image, pack(Q.T @ image, triples))
