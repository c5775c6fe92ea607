"""Before: what a hedged leader was before a step, in case the step fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        self._polished = [one.statistics.alias() for one in polished]
        self._forgetting = [one.alias() for one in learner._forgetting]
        self._contenders = [one.alias() for one in learner._contenders]
        self._changes: list[tuple[Sample, Change, int]] = []

    def note(self, sample: Sample, change: Change, n_docs: int) -> None:
        """Take note of what a sample was shown."""
        self._changes.append((sample, change, n_docs))

    @property
    def n_entered(self) -> int:
        """Documents that entered the first sample."""
        return self._changes[0][1].entered.n_docs

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
        for polished, statistics, priors in zip(
            learner._polished, self._polished, self._priors, strict=True
        ):
            polished.statistics = statistics
            for tracking, one in zip(polished.trackings, priors, strict=True):
                tracking.priors = one
        learner._forgetting, learner._contenders = self._forgetting, self._contenders
        for sample in learner._samples:
            sample.recode(None, learner.n_words)
