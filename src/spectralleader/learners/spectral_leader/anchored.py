"""Anchored: the moments of a changing sample, in a basis renewed as the sample changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import check_same, part, text, whole
from spectralleader.documents import Documents
from spectralleader.learners.spectral_leader.changes import changes_from_state, changes_to_state
from spectralleader.moments import ProjectedSums
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.samples import Change, Sample
from spectralleader.spectral import Anchoring, Decomposition, Estimate, estimate, warm_estimate
from spectralleader.spectral.basis import find_basis, is_all_words
from spectralleader.spectral.power import power_method, random_starts

N_RESTARTS = 10
# Re-anchor once this share of the sample has changed. L1 is flat from 1/8 to 1
# (python -m benchmarks.constants); smaller shares only cost time.
STALE = 1 / 3


@dataclass
class Followed:
    """The sums of the anchor and of the changes since, up to the last estimate that was read."""

    sums: ProjectedSums
    latest: Estimate  # of these sums
    starts: Floats  # random, (K, n_restarts, K)
    warm: Floats | None  # directions at the anchor, where later estimates start; None: random ones
    n_added: int = 0  # changes in the sums


class Anchored:
    """Follows a sample and estimates its model in the top eigenspace of its pairs, nearly.

    The basis belongs to the anchor: the sample as it was when last a third of it had changed. Since
    then documents are added and subtracted in that basis, in microseconds each, whatever the size
    of the sample and of the vocabulary. At the next anchor the basis and the sums are rebuilt,
    which also removes the rounding error of subtraction.

    The state is the anchor's documents and the changes since. Basis and sums are a cache, computed
    when an estimate is read, change by change: they depend on the stream alone, not on when the
    model was read.

    Words that came after the anchor are outside the basis until the next one. The anchor and every
    change stay over the words there were, so that a rebuilt cache is the same bit for bit.
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
        self._followed: Followed | None = None

    @property
    def anchoring(self) -> Anchoring:
        """How the basis came about."""
        return Anchoring(self.n_anchors, self.reason, self.n_changed)

    def note(self, change: Change, sample: Sample) -> None:
        """Note what has just entered and left the sample."""
        self.changes.append(change)
        self.n_changed += change.n_entered
        n_anchored = self.anchor.n_docs
        if self.n_changed > STALE * n_anchored:
            changed = f"{self.n_changed} of {n_anchored} remembered documents changed"
            self.anchor_at(sample, changed if self.n_anchors else "the first documents came")

    def anchor_at(self, sample: Sample, reason: str) -> None:
        """Make the sample as it is the anchor."""
        self.anchor, self.reason = sample.documents, reason
        self.changes, self.n_changed = [], 0
        self.n_anchors += 1
        self._followed = None

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of all that is remembered."""
        self.n_words = n_words
        if new_ids is None and not is_all_words(self.anchor.n_words, self.n_topics):
            return  # new words are outside the basis
        self.anchor = self.anchor.renumber(new_ids, n_words)
        self.changes = [change.renumber(new_ids, n_words) for change in self.changes]
        self._followed = None

    def estimate(self) -> Estimate:
        """Estimate the model of the sample as it is now, in the anchor's basis."""
        # Sums with half of a change would be wrong: they are kept only if all goes well.
        followed, self._followed = self._followed or self._start(), None
        news = self.changes[followed.n_added :]
        if news or followed.latest.model.n_words < self.n_words:
            for change in news:
                followed.sums.widen(change.moved.n_words)
                followed.sums.exchange(change.moved, change.n_entered)
            followed.sums.widen(self.n_words)
            followed.n_added = len(self.changes)
            followed.latest = self._solve(followed.sums, followed.starts, followed.warm)
        self._followed = followed
        return followed.latest

    def estimate_without(self, parts: Sequence[Documents]) -> list[Estimate]:
        """Estimate the model of all parts of the sample but one, for each, in the same basis."""
        self.estimate()  # brings the sums up to date
        followed = self._followed or self._start()
        others = [followed.sums.without(part) for part in parts]
        return [self._solve(sums, followed.starts, followed.warm) for sums in others]

    def _start(self) -> Followed:
        """Find the anchor's basis, its sums, and their estimate from random starts."""
        starts = random_starts(self.n_topics, N_RESTARTS, self.seed)
        with ONE_BLAS_THREAD:
            sums = ProjectedSums(find_basis(self.anchor, self.n_topics, self.seed, self.scaling))
            sums.update(self.anchor)
            cold = self._solve(sums, starts, None)  # random starts have the global guarantee
        # no warm start where a topic is missing, or where the basis is exact and results are to be
        # those of Algorithm 1; joint diagonalisation has no starts
        is_complete = len(cold.tensor_eigenvalues) == self.n_topics
        is_exact = is_all_words(self.anchor.n_words, self.n_topics)
        is_warm = is_complete and not is_exact and self.decompose is power_method
        return Followed(sums, cold, starts, cold.directions if is_warm else None)

    def _solve(self, sums: ProjectedSums, starts: Floats, warm: Floats | None) -> Estimate:
        found = None if warm is None else warm_estimate(sums.sums, warm)
        if found is None:
            found = estimate(sums.sums, self.n_topics, self.decompose, starts)
        return found

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
        """Restore what `to_state` described, which led to this sample."""
        check_same("n_words of the anchor's learner", whole(state, "n_words", 1), self.n_words)
        self.anchor = Documents.from_state(part(state, "anchor"))
        self.changes = changes_from_state(part(state, "changes"), self.anchor, sample)
        self.n_changed, self.n_anchors = whole(state, "n_changed"), whole(state, "n_anchors")
        self.reason = text(state, "reason")
        self._followed = None
