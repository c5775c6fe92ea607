"""LevelledSnapshot: an immutable copy of the topics at every level and over time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spectralleader.documents import Documents
from spectralleader.em.statistics import refine
from spectralleader.models import TopicTree
from spectralleader.text.levels import N_PASSES, choose_level
from spectralleader.text.names import Names
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.timeline import Timeline
from spectralleader.text.trends import Trends, find_trends, sample_under


@dataclass(frozen=True, repr=False)
class LevelledSnapshot:
    """A snapshot from which levels and trends are computed; see `TextTopics.hold`.

    Taking it takes milliseconds; reading a level takes longer, but does not block learning.
    """

    full: Snapshot
    tree: TopicTree
    documents: Documents | None  # with which the topics of a level are refined
    names: Names
    timeline: Timeline
    is_auto: bool = False  # whether the default level is the suggested one
    _views: dict[int, Snapshot] = field(default_factory=dict, compare=False)  # levels read so far

    def at(self, level: int | str | None = None) -> Snapshot:
        """Return the topics merged to a level, see `TextTopics.at`."""
        n = choose_level(level, self.tree, is_auto=self.is_auto)
        if n == self.tree.n_topics:
            return self.full
        if n not in self._views:
            self._views[n] = self._cut(n)
        return self._views[n]

    def _cut(self, level: int) -> Snapshot:
        cut = self.tree.cut(level)
        model = cut.model
        if self.documents is not None:
            model = refine(model, self.documents, N_PASSES)
        names = self.names.of(cut.groups, self.full.model.weights) if self.names.given else ()
        fine = self.full.model
        return replace(self.full, model=model, names=names, groups=cut.groups, fine=fine)

    def trends(self, level: int | str | None = None) -> Trends:
        """Return the share of each topic over time, at a level; see `TextTopics.trends`."""
        return find_trends(self.timeline, sample_under(self.at(level), self.timeline))
