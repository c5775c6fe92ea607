"""Anchored: the moments of a changing sample, in a basis renewed as the sample changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spectralleader.documents import Documents, Floats
from spectralleader.learners.near import estimate_near
from spectralleader.moments import ProjectedMoments, ProjectedSums
from spectralleader.moments.product import pairs_product
from spectralleader.samples import Change, Sample
from spectralleader.spectral import Anchoring, Decomposition, Estimate, estimate
from spectralleader.spectral.joint import joint_diagonalisation
from spectralleader.spectral.power import random_starts
from spectralleader.spectral.subspace import top_subspace

N_RESTARTS = 10
EXTRA = 5  # directions kept beside the K that a model needs, so that the basis stays good longer
STALE = 1 / 3  # share of the sample that may change before it is anchored anew


@dataclass
class Worked:
    """What was worked out of an anchor and the changes since, because somebody asked."""

    sums: ProjectedSums  # of the anchor and the first n_added changes
    cold: Estimate  # of the anchor itself
    directions: Floats  # of that estimate, (k, r)
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
    """

    def __init__(self, n_topics: int, n_words: int, seed: int, decompose: Decomposition) -> None:
        self.n_topics, self.seed, self.decompose = n_topics, seed, decompose
        self.anchor = Documents.empty(n_words)  # the sample as it was
        self.changes: list[Change] = []  # since then
        self.n_changed = 0  # documents that entered since then
        self.n_anchors = 0
        self.reason = "nothing was learned"  # for the last anchor
        self._starts = random_starts(n_topics, N_RESTARTS, seed)
        self._worked: Worked | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the basis is all of the words: then nothing is lost by it."""
        return self.anchor.n_words < 2 * (self.n_topics + EXTRA)

    def follow(self, change: Change, sample: Sample) -> None:
        """Take note of what has just entered and left the sample."""
        self.changes.append(change)
        self.n_changed += change.entered.n_docs
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

    def estimate(self) -> Estimate:
        """Estimate the model of the sample as it is now, in the anchor's basis."""
        if self._worked is None:
            sums = ProjectedSums(self._basis())
            sums.update(self.anchor)
            cold = self._solve(sums)
            self._worked = Worked(sums, cold, cold.directions)
        worked = self._worked
        if not self.changes:
            return worked.cold
        for change in self.changes[worked.n_added :]:
            worked.sums.exchange(change.entered, change.left)
        worked.n_added = len(self.changes)
        # where the basis is exact so is the decomposition; else the anchor's directions are near
        if self.is_exact or len(worked.directions) < self.n_topics:
            return self._solve(worked.sums)
        joint = self.decompose is joint_diagonalisation
        found = estimate_near(
            worked.sums, self.n_topics, worked.directions, joint=joint, anchoring=self.anchoring
        )
        if len(found.triples) < self.n_topics:  # a direction was lost: nothing is near
            return self._solve(worked.sums)
        return found

    def _solve(self, sums: ProjectedSums) -> Estimate:
        """Estimate from random starts: the global guarantee."""
        moments = ProjectedMoments(sums)
        found = estimate(moments, self.n_topics, self.decompose, self._starts)
        return found._replace(anchoring=self.anchoring)

    @property
    def anchoring(self) -> Anchoring:
        """How the basis came about."""
        return Anchoring(self.n_anchors, self.reason, self.n_changed)

    def _basis(self) -> Floats:
        """Return the top eigenspace of the anchor's pairs, K + EXTRA directions, (d, r).

        Words that the anchor does not have are outside of it: only the others are searched.
        """
        documents = self.anchor
        if self.is_exact:
            return np.eye(documents.n_words)
        known = np.zeros(documents.n_words, np.bool_)
        known[documents.words] = True
        n_known, r = int(known.sum()), self.n_topics + EXTRA
        basis = np.zeros((documents.n_words, n_known if n_known < 2 * r else r))
        basis[known] = np.eye(n_known) if n_known < 2 * r else self._search(known)
        return basis

    def _search(self, known: NDArray[np.bool_]) -> Floats:
        """Find the eigenspace over the known words, (n_known, r)."""
        documents = self.anchor
        words = (np.cumsum(known) - 1).astype(np.int32)[documents.words]  # numbered anew
        arrays = (documents.indptr, words, documents.counts, documents.lengths)
        # blocks of about K columns: smaller ones need more passes over the documents, larger ones
        # more time between the passes; fours fill a vector register
        shape = (int(known.sum()), 4 * -(-self.n_topics // 4))
        start = np.random.default_rng(self.seed).standard_normal(shape)
        basis = top_subspace(
            pairs_product(*arrays, len(start)),
            start,
            n_wanted=self.n_topics,
            n_kept=self.n_topics + EXTRA,
        ).basis
        # signed as `whiten` signs over words, so that the random starts are the literal one's
        largest = np.abs(basis).argmax(axis=0)
        return np.asarray(basis * np.sign(basis[largest, range(basis.shape[1])]))

    def to_state(self) -> dict[str, Any]:
        """Return the anchor's documents and the changes since."""
        return {
            "anchor": self.anchor.to_state(),
            "changes": [
                {
                    "entered": change.entered.to_state(),
                    "left": change.left.to_state(),
                    "places": change.places,
                }
                for change in self.changes
            ],
            "n_changed": self.n_changed,
            "n_anchors": self.n_anchors,
            "reason": self.reason,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go back to what `to_state` described."""
        self.anchor = Documents.from_state(state["anchor"])
        self.changes = [
            Change(
                Documents.from_state(change["entered"]),
                Documents.from_state(change["left"]),
                change["places"],
            )
            for change in state["changes"]
        ]
        self.n_changed, self.n_anchors = state["n_changed"], state["n_anchors"]
        self.reason = state["reason"]
        self._worked = None
