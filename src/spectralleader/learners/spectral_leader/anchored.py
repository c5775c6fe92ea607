"""Anchored: the moments of a changing sample, in a basis renewed as the sample changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import check_same, part, text, whole
from spectralleader.documents import Documents
from spectralleader.learners.spectral_leader.basis import find_basis, is_all_words
from spectralleader.learners.spectral_leader.changes import changes_from_state, changes_to_state
from spectralleader.learners.spectral_leader.near import Near
from spectralleader.learners.spectral_leader.order import arrange
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedMoments, ProjectedSums
from spectralleader.samples import Change, Sample
from spectralleader.spectral import Anchoring, Decomposition, Estimate, estimate
from spectralleader.spectral.joint import joint_diagonalisation
from spectralleader.spectral.power import random_starts

N_RESTARTS = 10
# Re-anchor once this share of the sample has changed. L1 is flat from 1/8 to 1
# (python -m benchmarks.constants); smaller shares only cost time.
STALE = 1 / 3


@dataclass
class Worked:
    """What was worked out of an anchor and the changes since, because somebody asked."""

    near: Near  # sums of the anchor and the first n_added changes, and directions near to them
    is_near: bool  # not where the basis is exact: all is made anew there, nor if a topic is missing
    cold: Estimate  # of the anchor itself
    n_added: int = 0


class Anchored:
    """Follows a sample; gives its moments in the top eigenspace of its pairs, nearly.

    The basis belongs to the anchor: the sample as it was when last a third of it had changed. Since
    then documents are added and taken away in that basis, a few microseconds each, whatever the
    size of the sample and of the vocabulary. At the next anchor the basis and the sums are made
    from scratch, which also wipes the rounding error of subtraction.

    What is remembered is the anchor's documents and the changes since; basis and sums are worked
    out when they are asked for, and not at all for an anchor that nobody asks about. So they depend
    on the stream alone, never on who looked when.

    Words that came since the anchor are outside the basis until the next one. The anchor and every
    change stay over the words there were, so that what is worked out later is the same to the bit.
    """

    def __init__(
        self,
        n_topics: int,
        n_words: int,
        seed: int,
        decompose: Decomposition,
        scaling: float = 0.0,
    ) -> None:
        self.n_topics, self.seed, self.decompose = n_topics, seed, decompose
        self.scaling = scaling
        self.n_words = n_words
        self.anchor = Documents.empty(n_words)  # the sample as it was
        self.changes: list[Change] = []  # since then
        self.n_changed = 0  # documents that entered since then
        self.n_anchors = 0
        self.reason = "nothing was learned"  # for the last anchor
        self._worked: Worked | None = None

    @cached_property
    def _starts(self) -> Floats:
        return random_starts(self.n_topics, N_RESTARTS, self.seed)

    @property
    def is_exact(self) -> bool:
        """Whether the basis is all of the words: then nothing is lost by it."""
        return is_all_words(self.anchor.n_words, self.n_topics)

    def follow(self, change: Change, sample: Sample) -> None:
        """Take note of what has just entered and left the sample."""
        self.changes.append(change)
        self.n_changed += change.n_entered
        n_anchored = self.anchor.n_docs
        if self.n_changed > STALE * n_anchored:
            changed = f"{self.n_changed} of {n_anchored} remembered documents changed"
            self.anchor_at(sample, changed if self.n_anchors else "the first documents came")

    def anchor_at(self, sample: Sample, reason: str) -> None:
        """Make the sample as it is the anchor."""
        self.anchor, self.reason = sample.documents, reason
        self.changes = []
        self.n_changed = 0
        self.n_anchors += 1
        self._worked = None

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of all that is remembered; new ones alone leave it as it is."""
        self.n_words = n_words
        if new_ids is None and not self.is_exact:
            return
        self.anchor = self.anchor.renumber(new_ids, n_words)
        self.changes = [change.renumber(new_ids, n_words) for change in self.changes]
        self._worked = None

    def estimate(self) -> Estimate:
        """Estimate the model of the sample as it is now, in the anchor's basis."""
        worked = self._work_out()
        if self.changes:
            self._add_all_but(0, worked)
            return self._solve_near(worked.near)
        if worked.cold.model.n_words < self.n_words:
            worked.near.sums.widen(self.n_words)
            worked.cold = self._solve(worked.near.sums)
        return worked.cold

    def model(self, reference: TopicModel | None, level: float) -> TopicModel:
        """Return ``arrange(self.estimate().model, reference, level)``.

        The last change, the estimate and its arrangement are one kernel.
        """
        worked, found = self._worked or self._work_out(), None
        n_new = len(self.changes) - worked.n_added
        if n_new > 0 and worked.is_near and self.changes[-1].moved.n_words == self.n_words:
            if n_new > 1 or len(worked.near.sums.basis) < self.n_words:
                self._add_all_but(1, worked)
            self._worked = None  # unless all goes well
            found = worked.near.model(self.changes[-1], reference, level)
            worked.n_added += 1
            self._worked = worked
        return arrange(self.estimate().model, reference, level) if found is None else found

    def estimate_without(self, parts: Sequence[Documents]) -> list[Estimate]:
        """Estimate the model of all parts of the sample but one, for each, in the same basis."""
        self.estimate()  # so that the basis is there, over all words
        near = self._work_out().near
        sums = [ProjectedSums(near.sums.basis) for _ in parts]
        for mine, documents in zip(sums, parts, strict=True):
            mine.update(documents)
        found = []
        for i in range(len(parts)):
            others = ProjectedSums.total(sums[:i] + sums[i + 1 :])
            found.append(self._solve_near(Near(others, near.directions, joint=near.joint)))
        return found

    def _work_out(self) -> Worked:
        """Find the anchor's basis, its sums and their estimate, if nobody asked before."""
        if self._worked is None:
            sums = ProjectedSums(find_basis(self.anchor, self.n_topics, self.seed, self.scaling))
            sums.update(self.anchor)
            cold = self._solve(sums)
            near = Near(sums, cold.directions, joint=self.decompose is joint_diagonalisation)
            is_near = len(near.directions) == self.n_topics and not self.is_exact
            self._worked = Worked(near, is_near, cold)
        return self._worked

    def _add_all_but(self, n_last: int, worked: Worked) -> None:
        """Add the changes to what was worked out, but for some of the last."""
        sums, n_added = worked.near.sums, len(self.changes) - n_last
        if worked.n_added < n_added:
            self._worked = None  # unless all goes well: sums that have half of the changes are none
            for change in self.changes[worked.n_added : n_added]:
                sums.widen(change.moved.n_words)
                worked.near.follow(change)
            worked.n_added = n_added
            self._worked = worked
        sums.widen(self.n_words)

    def _solve_near(self, near: Near) -> Estimate:
        """Estimate near the anchor's directions, unless they are of no use or one is lost."""
        found = near.estimate(self.anchoring) if self._work_out().is_near else None
        return self._solve(near.sums) if found is None else found

    def _solve(self, sums: ProjectedSums) -> Estimate:
        """Estimate from random starts: the global guarantee."""
        moments = ProjectedMoments(sums)
        found = estimate(moments, self.n_topics, self.decompose, self._starts)
        return found._replace(anchoring=self.anchoring)

    @property
    def anchoring(self) -> Anchoring:
        """How the basis came about."""
        return Anchoring(self.n_anchors, self.reason, self.n_changed)

    def to_state(self) -> dict[str, Any]:
        """Return the anchor's documents and the changes since."""
        return {
            "anchor": self.anchor.to_state(),
            "changes": changes_to_state(self.changes),
            "n_words": self.n_words,
            "n_changed": self.n_changed,
            "n_anchors": self.n_anchors,
            "reason": self.reason,
        }

    def load_state(self, state: dict[str, Any], sample: Sample) -> None:
        """Go back to what `to_state` described, which led to this sample."""
        check_same("n_words of the anchor's learner", whole(state, "n_words", 1), self.n_words)
        self.anchor = Documents.from_state(part(state, "anchor"))
        self.changes = changes_from_state(part(state, "changes"), self.anchor, sample)
        self.n_changed, self.n_anchors = whole(state, "n_changed"), whole(state, "n_anchors")
        self.reason = text(state, "reason")
        self._worked = None
