"""The mean moments that the spectral road starts from: of documents, or of a known model."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse.linalg import LinearOperator

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.moments import kernels
from spectralleader.moments.projected import ProjectedSums
from spectralleader.moments.sums import (
    multiply_pairs,
    project_triples,
    sum_pairs,
    sum_words,
)

DENSE_LIMIT = 2000  # largest vocabulary whose (d, d) pairs are built: 32 MB


class EmpiricalMoments:
    """Mean words, pairs and triples of a block of documents, computed as they are asked for."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        lengths = documents.lengths
        self.n_tokens = float(lengths.sum())
        self._n_docs = [max(1.0, float((lengths >= order).sum())) for order in (1, 2, 3)]

    @cached_property
    def words(self) -> Floats:
        """Mean word frequencies, M1, shape (d,)."""
        return sum_words(self._documents) / self._n_docs[0]

    @cached_property
    def pairs(self) -> Floats | LinearOperator:
        """Mean pairs, M2, (d, d): a matrix, or an operator if the vocabulary is large."""
        d, n = self._documents.n_words, self._n_docs[1]
        if d <= DENSE_LIMIT:
            return sum_pairs(self._documents) / n

        def product(Z: Floats) -> Floats:
            return multiply_pairs(self._documents, Z.reshape(d, -1)).reshape(Z.shape) / n

        return LinearOperator((d, d), matvec=product, matmat=product, dtype=np.float64)

    def triples(self, basis: Floats) -> Floats:
        """Mean triples in a basis, M3(Q, Q, Q), shape (r, r, r)."""
        return project_triples(self._documents, basis) / self._n_docs[2]

    def multiply_pairs(self, basis: Floats) -> Floats:
        """M2 Q, shape (d, r)."""
        return np.asarray(self.pairs @ basis)


class PopulationMoments:
    """The exact moments of a known model: what infinitely many documents would give."""

    n_tokens = np.inf

    def __init__(self, model: TopicModel) -> None:
        self._model = model
        self.words: Floats = model.weights @ model.topics
        self.pairs: Floats = model.topics.T @ (model.weights[:, None] * model.topics)

    def triples(self, basis: Floats) -> Floats:
        """Mean triples in a basis, sum_k omega_k (Q^T u_k)^(x)3, shape (r, r, r)."""
        P = self._model.topics @ basis
        return np.asarray(np.einsum("k,ka,kb,kc->abc", self._model.weights, P, P, P))

    def multiply_pairs(self, basis: Floats) -> Floats:
        """M2 Q, shape (d, r)."""
        return np.asarray(self.pairs @ basis)


class ProjectedMoments:
    """Mean moments in the coordinates of a basis, from sums in that basis."""

    def __init__(self, sums: ProjectedSums) -> None:
        self._sums = sums
        self.n_tokens = sums.n_tokens
        n_words, n_pairs, self._n_triples = (max(1.0, n) for n in sums.n_docs)
        self._n_pairs = n_pairs
        self.words = sums.words / n_words
        self.pairs = sums.pairs / n_pairs

    def triples(self, basis: Floats) -> Floats:
        """Mean triples in a basis given in these coordinates, (r, k): shape (k, k, k)."""
        *_, triples = self._sums.parts()
        return kernels.contract(triples, basis, self._n_triples)

    def multiply_pairs(self, basis: Floats) -> Floats:
        """M2 over words times a basis given in these coordinates, (r, k): shape (d, k)."""
        return self._sums.image @ (basis / self._n_pairs)
