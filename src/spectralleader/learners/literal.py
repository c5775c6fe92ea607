"""LiteralLeader: Algorithm 1 to the letter, the oracle for everything faster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

from spectralleader.documents import Documents, Floats
from spectralleader.learners.leader import Leader
from spectralleader.learners.protocol import MAX_ITERATIONS, MAX_RESTARTS, check_whole
from spectralleader.model import TopicModel
from spectralleader.moments import EmpiricalMoments
from spectralleader.samples import Sample
from spectralleader.spectral import Estimate, estimate
from spectralleader.spectral.power import power_method, random_starts


class LiteralLeader(Leader):
    """Online spectral learning as the paper writes it: everything is rebuilt from the sample.

    Readable and slow: a model costs a pass over the whole sample. Use `SpectralLeader` for work.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. Left out, it grows with the stream.
    reservoir_size : int
        Documents remembered (the paper's m in Algorithm 1).
    seed : int
        Of the reservoir and of the power method's starts.
    sample : Sample, optional
        Which documents to remember, instead of a reservoir: `Window`, `Everything`.
    n_restarts, n_iterations : int
        Of the tensor power method.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> leader = LiteralLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> leader.model.weights.round(2).tolist()
    [0.33, 0.67]
    """

    parameters = ("n_topics", "n_words", "seed", "n_restarts", "n_iterations")

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        n_restarts: int = 10,
        n_iterations: int = 30,
    ) -> None:
        super().__init__(n_topics, n_words, seed, reservoir_size, sample)
        self.n_restarts = check_whole("n_restarts", n_restarts, 1, MAX_RESTARTS)
        self.n_iterations = check_whole("n_iterations", n_iterations, 1, MAX_ITERATIONS)

    def _solve(self) -> Estimate:
        """Rebuild the estimate from the sample."""
        return self._solve_of(self.sample.documents)

    def _solve_without(self, parts: Sequence[Documents]) -> list[TopicModel]:
        others = (Documents.concatenate([*parts[:i], *parts[i + 1 :]]) for i in range(len(parts)))
        return [self._solve_of(documents).model for documents in others]

    def _solve_of(self, documents: Documents) -> Estimate:
        moments = EmpiricalMoments(documents)
        decompose = partial(power_method, n_iterations=self.n_iterations)
        return estimate(moments, self.n_topics, decompose, self._starts)

    @cached_property
    def _starts(self) -> Floats:
        return random_starts(self.n_topics, self.n_restarts, self.seed)
