"""TopicOrder: topic 3 stays topic 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.documents import Ints
from spectralleader.model import TopicModel
from spectralleader.states import check_same, part, take


class TopicOrder:
    """Keeps the order of a learner's topics over time, by a reference model.

    Every model is put in the order that best matches the reference, an earlier model.
    """

    def __init__(self) -> None:
        self.reference: TopicModel | None = None

    def put(self, model: TopicModel) -> TopicModel:
        """Return the model with its topics in the order kept."""
        if self.reference is None:
            return model
        return model.aligned_to(known_over(self.reference, model.n_words))

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the reference; it need not know new ones."""
        if self.reference is not None and new_ids is not None:
            self.reference = recode_known(self.reference, new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        return {"reference": None if self.reference is None else self.reference.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int, n_words: int) -> TopicOrder:
        """Rebuild what `to_state` described, for a learner of that size."""
        order = cls()
        order.reference = known_from_state(state, n_topics, n_words)
        return order


def known_from_state(state: dict[str, Any], n_topics: int, n_words: int) -> TopicModel | None:
    """Rebuild a reference of a learner of that size, if it has one; it may not know all words."""
    if take(state, "reference") is None:
        return None
    model = TopicModel.from_state(part(state, "reference"))
    check_same("n_topics of the reference", model.n_topics, n_topics)
    if model.n_words > n_words:
        raise ValueError(f"the reference is over {model.n_words} words, the learner over {n_words}")
    return model


def known_over(model: TopicModel, n_words: int) -> TopicModel:
    """Return a model over as many words or more than it knows; it rules out those it does not."""
    if model.n_words == n_words:
        return model
    topics = np.zeros((model.n_topics, n_words))
    topics[:, : model.n_words] = model.topics
    return TopicModel.trusted(model.weights, topics)


def recode_known(model: TopicModel, new_ids: Ints, n_words: int) -> TopicModel:
    """Renumber the words of a model that may not know the last of them."""
    return model.recode(new_ids[: model.n_words], n_words)
