"""Before: what a hedged leader was before a step, in case the step fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spectralleader.learners.statistics import Statistics
from spectralleader.learners.undoing import fields_of, put_back
from spectralleader.samples import Change, Sample

if TYPE_CHECKING:
    from spectralleader.learners.hedged.leader import HedgedLeader


class Before:
    """Small things are copied, large ones are kept as they are held.

    Tables of words are added to in place, the last thing that an ordinary step does. A step that
    goes on after it, to polish topics anew, copies them first: next to polishing that is nothing.
    """

    def __init__(self, learner: HedgedLeader) -> None:
        mixing, polished = learner._mixing, learner._polished
        self._learner = learner
        self._fields = fields_of(learner, learner._background, mixing, *polished)
        self._weights = mixing.pool.copy(), mixing.weights.copy()
        self._priors = [[one.priors.copy() for one in both.trackings] for both in polished]
        self._forgetting = [one.alias() for one in learner._forgetting]
        self._replaced: list[tuple[Statistics, Statistics]] = []  # by themselves, recoded
        self._changes: list[tuple[Sample, Change, int]] = []

    def note(self, sample: Sample, change: Change, n_docs: int) -> None:
        """Take note of what a sample was shown."""
        self._changes.append((sample, change, n_docs))

    @property
    def n_entered(self) -> int:
        """Documents that entered the first sample."""
        return self._changes[0][1].entered.n_docs

    def recodes(self) -> None:
        """Keep what it means that words are as they are, too."""
        self.copy_tables()
        learner = self._learner
        polished = [one.statistics for one in learner._polished]
        self._replaced = [(one, one.alias()) for one in (*polished, *learner._contenders)]

    def copy_tables(self) -> None:
        """Keep copies of what is added to in place."""
        learner = self._learner
        learner._background.counts = learner._background.counts.copy()
        for one in learner._forgetting:
            one.unshare()

    def put_back(self) -> None:
        """Make the learner what it was."""
        learner = self._learner
        for sample, change, n_docs in reversed(self._changes):
            sample.undo(change, n_docs)
        put_back(self._fields)
        mixing = learner._mixing
        mixing.pool, mixing.weights = self._weights
        for statistics, alias in self._replaced:
            statistics.become(alias)
        for polished, priors in zip(learner._polished, self._priors, strict=True):
            for tracking, one in zip(polished.trackings, priors, strict=True):
                tracking.priors = one
        learner._forgetting = self._forgetting
        for sample in learner._samples:
            sample.recode(None, learner.n_words)
