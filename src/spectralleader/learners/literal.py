"""LiteralLeader: Algorithm 1 to the letter, the oracle for everything faster."""

from __future__ import annotations

from typing import Any

from spectralleader.documents import Documents
from spectralleader.learners.order import TopicOrder
from spectralleader.learners.protocol import Predictive, check_block, check_sizes
from spectralleader.model import TopicModel
from spectralleader.moments import EmpiricalMoments
from spectralleader.samples import Reservoir, Sample, sample_from_state, sample_to_state
from spectralleader.spectral import Diagnostics, estimate
from spectralleader.spectral.power import random_starts

PARAMETERS = ("n_topics", "n_words", "seed", "n_restarts", "n_iterations")


class LiteralLeader:
    """Online spectral learning as the paper writes it: everything is rebuilt from the sample.

    Readable and slow: a model costs a pass over the whole sample. Use `SpectralLeader` for work.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int
        Vocabulary size, d.
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
    >>> leader = LiteralLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> leader.model.weights.round(2).tolist()
    [0.33, 0.67]
    """

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        n_restarts: int = 10,
        n_iterations: int = 30,
    ) -> None:
        self.n_topics, self.n_words = check_sizes(n_topics, n_words)
        self.seed, self.n_restarts, self.n_iterations = seed, n_restarts, n_iterations
        if sample is None:
            sample = Reservoir(reservoir_size, n_words=n_words, seed=seed)
        self.sample = sample
        self._starts = random_starts(n_topics, n_restarts, seed)
        self._order = TopicOrder()
        self._solution: tuple[TopicModel, Diagnostics] | None = None  # of the sample as it is

    def learn(self, documents: Documents) -> None:
        """Show the block to the sample (lines 6 to 13)."""
        change = self.sample.add(check_block(documents, self.n_words))
        if change.n_docs == 0:
            return
        self._solution = None
        if self._order.is_due(change.entered.n_docs, len(self.sample)):
            self._order.renew(self.model)

    def _solve(self) -> tuple[TopicModel, Diagnostics]:
        """Rebuild the model from the sample (lines 1 to 5), unless that has been done."""
        if self._solution is None:
            moments = EmpiricalMoments(self.sample.documents)
            model, info = estimate(
                moments, self.n_topics, self._starts, n_iterations=self.n_iterations
            )
            self._solution = self._order.put(model), info
        return self._solution

    @property
    def model(self) -> TopicModel:
        """The model of the documents remembered now."""
        return self._solve()[0]

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    @property
    def info(self) -> Diagnostics:
        """Diagnostics of the current model."""
        return self._solve()[1]

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return {
            **{name: getattr(self, name) for name in PARAMETERS},
            "sample": sample_to_state(self.sample),
            "order": self._order.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> LiteralLeader:
        """Rebuild the learner that `to_state` described."""
        parameters = {name: state[name] for name in PARAMETERS}
        learner = cls(**parameters, sample=sample_from_state(state["sample"]))
        learner._order = TopicOrder.from_state(state["order"])
        return learner
