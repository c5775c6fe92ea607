"""OnlineEM: what the online forms of EM share."""

from __future__ import annotations

from typing import Any, Self

from spectralleader.documents import Documents
from spectralleader.learners.protocol import Predictive, check_block, check_seed, check_sizes
from spectralleader.learners.start import Start, check_smoothing, make_start
from spectralleader.learners.statistics import Statistics, with_words
from spectralleader.model import TopicModel


class OnlineEM:
    """A start, running statistics, and the model that the M-step reads off them.

    A subclass says how a block changes the statistics (`_update`), and names the arguments of its
    constructor but the start (`parameters`).
    """

    parameters: tuple[str, ...] = ("n_topics", "n_words", "seed", "smoothing")

    def __init__(
        self, n_topics: int, n_words: int, seed: int, start: Start, smoothing: float
    ) -> None:
        self.n_topics, self.n_words = check_sizes(n_topics, n_words)
        self.seed, self.smoothing = check_seed(seed), check_smoothing(smoothing)
        self.n_updates = 0
        start_model = make_start(start, n_topics, n_words, seed)
        self._model: TopicModel | None = start_model  # None: to be read off the statistics
        self._statistics = Statistics.one_document(start_model, 1.0)

    def _update(self, block: Documents) -> None:
        """Take a block of documents, all of which have words, into the statistics."""
        raise NotImplementedError

    def learn(self, documents: Documents) -> None:
        """Make one update; documents without words teach nothing and are left out."""
        block = with_words(check_block(documents, self.n_words))
        if block.n_docs == 0:
            return
        if self.n_updates == 0:  # how long a document is, is known only now
            length = float(block.counts.sum()) / block.n_docs
            self._statistics = Statistics.one_document(self.model, length)
        self._update(block)
        self.n_updates += 1
        self._model = None

    @property
    def _pseudo_count(self) -> float:
        """The smoothing, in the unit of the statistics."""
        return self.smoothing

    @property
    def model(self) -> TopicModel:
        """The M-step of the statistics; before the first document, the start."""
        if self._model is None:
            self._model = self._statistics.maximise(self._pseudo_count)
        return self._model

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return {
            **{name: getattr(self, name) for name in self.parameters},
            "start": self.model.to_state() if self.n_updates == 0 else None,
            "n_updates": self.n_updates,
            "statistics": self._statistics.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild the learner that `to_state` described."""
        parameters = {name: state[name] for name in cls.parameters}
        if state["start"] is None:
            start = TopicModel.uniform(state["n_topics"], state["n_words"])  # long forgotten
        else:
            start = TopicModel.from_state(state["start"])
        learner = cls(**parameters, start=start)
        learner.n_updates = state["n_updates"]
        learner._statistics = Statistics.from_state(state["statistics"])
        learner._model = start if learner.n_updates == 0 else None
        return learner
