"""TopicOrder: topic 3 stays topic 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.documents import Ints
from spectralleader.model import TopicModel


class TopicOrder:
    """Keeps the order of a learner's topics over time, by a reference model.

    Every model is put in the order that best matches the reference. The reference is renewed when
    as many documents have entered as were remembered when it was made, whether or not anybody read
    a model in between: so the order is a function of the stream alone, and a learner that is read
    seldom need not solve often.
    """

    def __init__(self) -> None:
        self.reference: TopicModel | None = None
        self.n_left = 1  # documents that may enter before the reference is renewed

    def put(self, model: TopicModel) -> TopicModel:
        """Return the model with its topics in the order kept."""
        if self.reference is None:
            return model
        n_new = model.n_words - self.reference.n_words
        return model.aligned_to(with_unknown(self.reference, n_new) if n_new else self.reference)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the reference; it need not know new ones."""
        if self.reference is not None and new_ids is not None:
            n_known = self.reference.n_words
            self.reference = self.reference.recode(new_ids[:n_known], n_words)

    def count(self, n_entered: int) -> None:
        """Count documents that entered."""
        self.n_left -= n_entered

    @property
    def is_due(self) -> bool:
        """Whether to renew the reference."""
        return self.n_left <= 0

    def renew(self, model: TopicModel, n_remembered: int) -> None:
        """Make a model (in the order kept) of so many documents the reference."""
        self.reference = model
        self.n_left = n_remembered

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        reference = None if self.reference is None else self.reference.to_state()
        return {"reference": reference, "n_left": self.n_left}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TopicOrder:
        """Rebuild what `to_state` described."""
        order = cls()
        if state["reference"] is not None:
            order.reference = TopicModel.from_state(state["reference"])
        order.n_left = state["n_left"]
        return order


def with_unknown(model: TopicModel, n_new: int) -> TopicModel:
    """Return a model with words added that it rules out, to compare topics over known words."""
    topics = np.zeros((model.n_topics, model.n_words + n_new))
    topics[:, : model.n_words] = model.topics
    return TopicModel.trusted(model.weights, topics)
