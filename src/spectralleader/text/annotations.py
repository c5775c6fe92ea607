"""TopicAnnotations: what `TextTopics` keeps beside the model: merge tree, names, past scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole
from spectralleader.checks.states import part, truth
from spectralleader.documents import Documents
from spectralleader.learners import Learner
from spectralleader.learners.offline import Offline
from spectralleader.models import TopicModel, TopicTree
from spectralleader.text.levelled_snapshot import LevelledSnapshot
from spectralleader.text.levels import Levels, choose_level
from spectralleader.text.names import Names
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.surprise import Surprise
from spectralleader.text.timeline import Timeline
from spectralleader.text.vectoriser import Vectoriser


class TopicAnnotations:
    """The merge tree, names and past scores of the topics, kept over the whole stream."""

    def __init__(self) -> None:
        self.levels, self.names, self.surprise = Levels(), Names(), Surprise()
        self.is_auto = False  # whether the default level is the suggested one
        self.cached: LevelledSnapshot | None = None  # taken since the last step
        self._tree: TopicTree | None = None  # computed since the last step

    def view(self, model: TopicModel, known: Vectoriser, n_docs: int, n_empty: int) -> Snapshot:
        """Return all topics; the vocabulary in it may grow."""
        names = self._names(np.arange(model.n_topics), model)
        counted = known.vocabulary, known.words, n_docs, n_empty
        return Snapshot(model, *counted, names, past=self.surprise.past)

    def tree(self, model: TopicModel) -> TopicTree:
        """Return the merge tree of the topics, priced once per step."""
        if self._tree is None:
            self._tree = self.levels.tree(model)
        return self._tree

    def hold(
        self, full: Snapshot, documents: Documents | None, timeline: Timeline
    ) -> LevelledSnapshot:
        """Return an immutable copy of everything that levels and trends are computed from."""
        names, tree = Names(self.names.given), self.tree(full.model)
        return LevelledSnapshot(full, tree, documents, names, timeline.copy(), self.is_auto)

    def _names(self, groups: Ints, model: TopicModel) -> tuple[str, ...]:
        return self.names.of(groups, model.weights) if self.names.given else ()

    def level(self, level: int | str | None, model: TopicModel) -> int:
        """Return how many topics are read, see `TextTopics.at`."""
        if level is None and not self.is_auto:
            return model.n_topics
        return choose_level(level, self.tree(model), is_auto=self.is_auto)

    def members(self, topic: int, level: int | str | None, model: TopicModel) -> list[int]:
        """Return the topics of the model that a topic of a level consists of."""
        K, n = model.n_topics, self.level(level, model)
        topic = check_whole("topic", topic, 0, n - 1)
        groups = np.arange(K) if n == K else self.tree(model).groups(n)
        return [int(k) for k in np.flatnonzero(groups == topic)]

    def give(self, name: str, topics: Sequence[int], n_docs: int) -> None:
        """Name a topic or a group of them, see `Names.give`."""
        self.names.give(name, topics, n_docs)
        self.cached = None

    def before_step(self, learner: Learner, documents: Documents, n_learned: int) -> None:
        """Score documents before they are learned, for p-values."""
        if n_learned >= max(1, self.surprise.due) and not isinstance(learner, Offline):
            self.surprise.add(learner.model, documents, n_learned)

    def after_step(self, learner: Learner, n_docs: int) -> None:
        """Clear the caches of the previous model, and renew the tree if that is due."""
        self.cached = self._tree = None
        if n_docs >= self.levels.due and not isinstance(learner, Offline):
            self.levels.renew(learner.model, n_docs)

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {
            "levels": self.levels.to_state(),
            "is_auto": self.is_auto,
            "names": self.names.to_state(),
            "surprise": self.surprise.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int) -> TopicAnnotations:
        """Return what `to_state` described, for a model with n_topics topics."""
        annotations = cls()
        if "levels" in state:  # files of version 0.1.0 lack these
            annotations.levels = Levels.from_state(part(state, "levels"), n_topics)
            annotations.names = Names.from_state(state, n_topics)
        if "is_auto" in state:
            annotations.is_auto = truth(state, "is_auto")
        if "surprise" in state:
            annotations.surprise = Surprise.from_state(part(state, "surprise"))
        return annotations
