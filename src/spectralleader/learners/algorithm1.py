"""Algorithm1: the paper's learner as printed, the oracle for the fast one."""

from __future__ import annotations

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import fields
from spectralleader.checks.states import check_same
from spectralleader.documents import Documents
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.models import TopicModel
from spectralleader.samples import Reservoir
from spectralleader.spectral.algorithm1 import valid_model


class Algorithm1(LearnerBase):
    """The paper's Algorithm 1 line by line; slow, for verification.

    It runs `spectral.algorithm1` on a reservoir of the documents seen.

    Every read of `model` recomputes it from the whole reservoir, with a dense document-word matrix.
    It is meant for verification, with up to a few thousand distinct words. `SpectralLeader` returns
    the same model in microseconds, with topics in a stable order.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered (the paper's m in Algorithm 1).
    seed : int
        Seed of the reservoir and of the starts of the power method.

    Notes
    -----
    Memory: a sample; a dense matrix of it while a model is read.

    Examples
    --------
    >>> learner = Algorithm1(n_topics=2, n_words=2)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> learner.model.weights.round(2).tolist()
    [0.33, 0.67]
    """

    saved = fields(LearnerBase.saved, sample=Reservoir)

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
    ) -> None:
        super().__init__(n_topics, n_words, seed)
        capacity = check_whole("reservoir_size", reservoir_size, 1)
        self.sample = Reservoir(capacity, n_words=self.n_words, seed=self.seed)

    @property
    def model(self) -> TopicModel:
        """The model of the current reservoir: lines 1 to 5, converted to a valid model."""
        return valid_model(self.sample.documents, self.n_topics, seed=self.seed)

    def _learn(self, block: Documents) -> None:
        """Offer the block to the reservoir: lines 6 to 13, for one document after the other."""
        self.sample.add(block)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)

    def _loaded(self) -> None:
        check_same("n_words of the reservoir", self.sample.n_words, self.n_words)
