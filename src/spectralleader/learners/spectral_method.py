"""SpectralMethod: the offline spectral method on all documents."""

from __future__ import annotations

from typing import Any, Self

from spectralleader.checks import check_whole
from spectralleader.documents import Documents
from spectralleader.learners.offline import Offline
from spectralleader.learners.passes import InMemory, solve
from spectralleader.learners.protocol import MAX_ITERATIONS, MAX_RESTARTS
from spectralleader.models import TopicModel
from spectralleader.spectral import Estimate


class SpectralMethod(Offline[Estimate]):
    """Tensor decomposition of the moments of all documents: theta* where the truth is not known.

    One run of `estimate` (Anandkumar et al. 2014); `info` has its diagnostics. As a learner it
    remembers every document, so memory grows with the stream; `spectralleader.engines.dask` and
    `spectralleader.engines.spark` find the same model where documents are on many machines.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    seed : int
        Of the power method's starts.
    n_restarts, n_iterations : int
        Of the tensor power method.
    n_polish : int
        Iterations of EM afterwards: topics that predict better, no longer the moments' own.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> method = SpectralMethod(n_topics=2, n_words=2).fit(documents)
    >>> sorted(method.model.weights.round(2).tolist()), method.info.n_usable
    ([0.33, 0.67], 2)
    """

    parameters = (*Offline.parameters, "n_restarts", "n_iterations", "n_polish")

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        seed: int = 0,
        n_restarts: int = 10,
        n_iterations: int = 30,
        n_polish: int = 0,
    ) -> None:
        super().__init__(n_topics, n_words, seed)
        self.n_polish = check_whole("n_polish", n_polish, 0, MAX_ITERATIONS)
        self.n_restarts = check_whole("n_restarts", n_restarts, 1, MAX_RESTARTS)
        self.n_iterations = check_whole("n_iterations", n_iterations, 1, MAX_ITERATIONS)

    def _solve(self, documents: Documents) -> tuple[TopicModel, Estimate]:
        solution = solve(
            InMemory([documents], documents.n_words),
            self.n_topics,
            seed=self.seed,
            n_polish=self.n_polish,
            n_restarts=self.n_restarts,
            n_iterations=self.n_iterations,
        )
        return solution.model, solution.estimate

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        return super().from_state({"n_polish": 0, **state})  # files of before it was there
