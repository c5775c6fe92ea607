"""Levels: the merge tree that topics are read by, which stays as the stream goes on."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import integers, take, whole
from spectralleader.models import TopicModel, TopicTree

FIRST, GROWTH = 2000, 2  # documents when the tree is first looked at, and between two looks
# Likelihood lost that another tree must save to replace the one that is read. On election tweets,
# 32 topics read at 8, the churn is 0.007 with 0.1, 0.025 with 0.03 and 0.041 with 0.
MARGIN = 0.1
# Passes of EM over the remembered documents, for topics that are read at a level: the same churn is
# 0.023 with 5 and 0.029 with 10, for 0.007 nats per document.
N_PASSES = 5
READ = 20  # levels that two trees are compared at, at most: 2 to 20 groups


class Levels:
    """The mergers of a model's topics, kept until others lose less by a margin.

    The topics below move by little at a time, and so do the groups, as long as the tree stays. A
    new one numbers its groups as the old one did where they overlap.
    """

    def __init__(self) -> None:
        self.pairs: Ints | None = None  # mergers, see `TopicTree`; None: not looked at yet
        self.due = FIRST  # documents at the next look

    def tree(self, model: TopicModel) -> TopicTree:
        """Return the tree that a model is read by, at its present prices."""
        if self.pairs is None or len(self.pairs) != model.n_topics - 1:
            return TopicTree.of(model)
        return TopicTree.priced(model, self.pairs)

    def renew(self, model: TopicModel, n_docs: int) -> None:
        """Look whether another tree is better by the margin."""
        self.due = int(np.ceil(GROWTH * n_docs))
        if self.pairs is None:
            self.pairs = TopicTree.of(model).pairs
            return
        old = self.tree(model)
        new = TopicTree.of(model, like=old)
        if _lost(new) < (1.0 - MARGIN) * _lost(old):
            self.pairs = new.pairs

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {"pairs": self.pairs, "due": self.due}

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int) -> Levels:
        """Rebuild what `to_state` described, for a model of so many topics."""
        levels = cls()
        levels.due = whole(state, "due", 1)
        if take(state, "pairs") is not None:
            pairs = integers(state, "pairs", (n_topics - 1, 2), 0, n_topics - 1)
            _check_tree(pairs, n_topics)
            levels.pairs = pairs
        return levels


def _lost(tree: TopicTree) -> float:
    """Return the likelihood lost at the levels that people read, summed."""
    return sum(tree.lost(n) for n in range(2, min(READ, tree.n_topics - 1) + 1))


def _check_tree(pairs: Ints, n_topics: int) -> None:
    """Raise unless each merger is of two groups that are there."""
    there = set(range(n_topics))
    for stays, joins in pairs.tolist():
        if stays == joins or not {stays, joins} <= there:
            raise ValueError(f"pairs must merge groups that are there, got {stays} and {joins}")
        there.remove(joins)
