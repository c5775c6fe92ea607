"""TopicOrder: topic 3 stays topic 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.documents import Ints
from spectralleader.model import TopicModel

RENEWAL = 1.0  # share of the sample that changes before the reference is renewed


class TopicOrder:
    """Keeps the order of a learner's topics over time, by a reference model.

    Every model is put in the order that best matches the reference. The reference is renewed when
    as many documents have entered as are remembered, whether or not anybody read a model in
    between: so the order is a function of the stream alone, and a learner that is read seldom need
    not solve often.
    """

    def __init__(self) -> None:
        self.reference: TopicModel | None = None
        self.n_changed = 0  # documents that entered since the reference was made

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

    def is_due(self, n_entered: int, n_remembered: int) -> bool:
        """Count documents that entered; say whether to renew the reference."""
        self.n_changed += n_entered
        return self.n_changed > RENEWAL * n_remembered

    def renew(self, model: TopicModel) -> None:
        """Make a model (in the order kept) the reference."""
        self.reference = model
        self.n_changed = 0

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on."""
        reference = None if self.reference is None else self.reference.to_state()
        return {"reference": reference, "n_changed": self.n_changed}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TopicOrder:
        """Rebuild what `to_state` described."""
        order = cls()
        if state["reference"] is not None:
            order.reference = TopicModel.from_state(state["reference"])
        order.n_changed = state["n_changed"]
        return order


def with_unknown(model: TopicModel, n_new: int) -> TopicModel:
    """Return a model with words added that it rules out, to compare topics over known words."""
    topics = np.zeros((model.n_topics, model.n_words + n_new))
    topics[:, : model.n_words] = model.topics
    return TopicModel.trusted(model.weights, topics)
