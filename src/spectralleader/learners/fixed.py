"""Fixed: a given model as a learner, as a reference for comparisons."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from spectralleader.documents import Documents
from spectralleader.learners.protocol import Predictive, check_block
from spectralleader.models import TopicModel
from spectralleader.runtime.guard import Guarded


class Fixed(Guarded):
    """A learner that never changes its model: the truth, or the best static model in hindsight.

    Examples
    --------
    >>> learner = Fixed(TopicModel.uniform(2, 3))
    >>> learner.learn(Documents.from_tokens([[0, 0, 0]], n_words=3))
    >>> learner.model.topics[0].round(2).tolist()
    [0.33, 0.33, 0.33]
    """

    grows = False

    def __init__(self, model: TopicModel) -> None:
        self.model = model
        self.n_topics, self.n_words = model.n_topics, model.n_words

    def learn(self, documents: Documents) -> None:
        """Check the block, and ignore it."""
        check_block(documents, self.n_words)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the model, see `TopicModel.recode`."""
        self.model = self.model.recode(new_ids, n_words)
        self.n_words = self.model.n_words

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    def to_state(self) -> dict[str, Any]:
        """Return the model's state."""
        return self.model.to_state()

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return what `to_state` described."""
        return cls(TopicModel.from_state(state))


class Sequel(Fixed):
    """One given model, and another after some documents: the truth of a changing stream.

    Examples
    --------
    >>> learner = Sequel(TopicModel.uniform(2, 3), TopicModel.uniform(1, 3), n_docs=1)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0]], n_words=3))
    >>> learner.model.n_topics
    1
    """

    def __init__(self, model: TopicModel, then: TopicModel, *, n_docs: int) -> None:
        super().__init__(model)
        self._then, self._n_left = then, n_docs

    def learn(self, documents: Documents) -> None:
        """Count the documents, and switch the model when it is time."""
        super().learn(documents)
        self._n_left -= documents.n_docs
        if self._n_left <= 0:
            self.model = self._then

    def to_state(self) -> dict[str, Any]:
        """Return both models, and the number of documents before the switch."""
        models = {"model": self.model.to_state(), "then": self._then.to_state()}
        return {**models, "n_left": self._n_left}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return what `to_state` described."""
        model, then = (TopicModel.from_state(state[name]) for name in ("model", "then"))
        return cls(model, then, n_docs=state["n_left"])
