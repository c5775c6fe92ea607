"""SpectralLeader: the paper's learner, at a fraction of the cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from spectralleader.arrays import Ints
from spectralleader.checks import is_number
from spectralleader.checks.states import part
from spectralleader.documents import Documents
from spectralleader.learners.spectral_leader.anchored import Anchored
from spectralleader.learners.spectral_leader.leader import Leader
from spectralleader.models import TopicModel
from spectralleader.samples import Change, Sample
from spectralleader.spectral import DECOMPOSITIONS, Estimate


class SpectralLeader(Leader):
    """Online spectral learning: a model after every document, in microseconds.

    The paper's learner: the model is that of `Algorithm1`, its topics in a stable order. The
    moments of the remembered documents are updated in a small basis instead of being rebuilt, and
    a model that is not read is not computed. What the paper does not have is off by default:
    `decomposition="joint"`, `scaling` and `shrinkage` are ours.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered (the paper's m in Algorithm 1).
    seed : int
        Seed of the reservoir and of the starts of all iterations.
    sample : Sample, optional
        Which documents to remember, instead of a reservoir: a `Window` follows drift, `Everything`
        forgets nothing.
    decomposition : {"power", "joint"}
        How the tensor is decomposed: by the paper's power method, or by joint diagonalisation, ten
        times faster for many topics and a little less accurate on real text.
    scaling : float
        Ours, not the paper's. While topics are estimated, words are scaled by their frequency to
        the power of minus this, from 0 (off, the default) to 1: 0.25 or 0.5 keep a few frequent
        words from dominating the rest; 1 raises L1 on tweets by 1 to 2 %.
    shrinkage : {None, "cross-validated"}
        Ours, not the paper's. Shrink the topics of `model` towards their mean and the uniform
        distribution by the level that cross-validation on the sample chooses (`choose_level`):
        a lower recovery error from few documents. `predictive` is never shrunk. Defaults to None.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> leader = SpectralLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> leader.model.weights.round(2).tolist()
    [0.33, 0.67]

    Not told how many words there are, it grows with the stream:

    >>> leader = SpectralLeader(n_topics=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [0, 0, 0]], n_words=1))
    >>> leader.learn(Documents.from_tokens([[1, 1, 1]], n_words=2))
    >>> leader.n_words, leader.model.weights.round(2).tolist()
    (2, [0.33, 0.67])
    """

    parameters = ("n_topics", "n_words", "seed", "decomposition", "scaling")

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        decomposition: str = "power",
        scaling: float = 0.0,
        shrinkage: str | None = None,
    ) -> None:
        if decomposition not in list(DECOMPOSITIONS):  # also of what has no hash
            raise ValueError(
                f"decomposition must be one of {list(DECOMPOSITIONS)}, got {decomposition!r}"
            )
        if not is_number(scaling) or not 0.0 <= scaling <= 1.0:
            raise ValueError(f"scaling must be a number from 0 to 1, got {scaling!r}")
        super().__init__(n_topics, n_words, seed, reservoir_size, sample, shrinkage)
        self.decomposition, self.scaling = decomposition, float(scaling)
        decompose = DECOMPOSITIONS[decomposition]
        self._anchored = Anchored(self.n_topics, self.n_words, self.seed, decompose, self.scaling)
        if len(self.sample):
            self._anchored.anchor_at(self.sample, "the sample had documents already")

    def _follow(self, change: Change) -> None:
        self._anchored.follow(change, self.sample)

    def _start_anew(self) -> None:
        self._anchored.anchor_at(self.sample, "samples were merged")

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self._anchored.recode(new_ids, n_words)

    def _solve(self) -> Estimate:
        return self._anchored.estimate()

    def _solve_model(self, level: float) -> TopicModel:
        if self._estimate is not None:  # because somebody asked for it
            return super()._solve_model(level)
        return self._anchored.model(self._reference, level)

    def _solve_without(self, parts: Sequence[Documents]) -> list[TopicModel]:
        return [found.model for found in self._anchored.estimate_without(parts)]

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return super().to_state() | {"anchored": self._anchored.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild the learner that `to_state` described."""
        learner = super().from_state(state)
        learner._anchored.load_state(part(state, "anchored"), learner.sample)
        return learner
