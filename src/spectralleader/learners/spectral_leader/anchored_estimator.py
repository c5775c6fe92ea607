"""AnchoredEstimator: the model of a changing sample, in a basis renewed as the sample changes."""

from __future__ import annotations

from dataclasses import dataclass

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, fields
from spectralleader.checks.states import text, whole
from spectralleader.documents import Documents, DocumentView
from spectralleader.learners.spectral_leader.changes import History
from spectralleader.models import TopicModel
from spectralleader.moments import ProjectedSums, Sums
from spectralleader.moments.projected import update_sums
from spectralleader.runtime.blas import ONE_BLAS_THREAD
from spectralleader.samples import Change, Sample
from spectralleader.spectral import Anchoring, Details, Estimate, estimate, warm_model
from spectralleader.spectral.basis import find_basis, is_all_words
from spectralleader.spectral.cold import unigram_model
from spectralleader.spectral.power import N_RESTARTS, power_method, random_starts

# Re-anchor once this share of the sample has changed. L1 is flat from 1/8 to 1
# (python -m benchmarks.constants); smaller shares only cost time.
STALE = 1 / 3
NO_CHANGE = DocumentView.of(Documents.empty(1))


@dataclass
class MomentCache:
    """The sums of the anchor and of the changes since, up to the last model that was read."""

    sums: ProjectedSums
    cold: Estimate | None  # of these sums, from random starts; None: `details` are of these sums
    model: TopicModel  # of these sums
    starts: Floats  # random, (K, n_restarts, K)
    warm: Floats | None  # directions at the anchor, where later models start; None: random ones
    details: Details
    n_added: int = 0  # changes in the sums

    @property
    def estimate(self) -> Estimate:
        """The estimate that the model is of."""
        return self.cold or self.details.with_model(self.model, self.sums.sums)


class AnchoredEstimator(Saved):
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

    saved = fields(anchor=Documents, history=History, n_changed=whole, n_anchors=whole, reason=text)

    def __init__(self, n_topics: int, n_words: int, seed: int, *, noise_rank: bool = True) -> None:
        self.n_topics, self.n_words, self.seed = n_topics, n_words, seed
        self.noise_rank = noise_rank
        self.anchor = Documents.empty(n_words)  # the sample as it was
        self.changes: list[Change] = []  # since then
        self.n_changed = 0  # documents that entered since then
        self.n_anchors = 0
        self.reason = "nothing was learned"  # for the last anchor
        self._cache: MomentCache | None = None

    @property
    def anchoring(self) -> Anchoring:
        """How the basis came about."""
        return Anchoring(self.n_anchors, self.reason, self.n_changed)

    def note(self, change: Change, sample: Sample) -> None:
        """Note what has just entered and left the sample."""
        self.changes.append(change)
        self.n_changed += change.n_entered
        n_anchored = self.anchor.n_docs
        # Documents that entered are counted, so that a replacement is one change, not two.
        if self.n_changed > STALE * n_anchored:
            changed = f"{self.n_changed} of {n_anchored} remembered documents changed"
            self.anchor_at(sample, changed if self.n_anchors else "the first documents came")

    def anchor_at(self, sample: Sample, reason: str) -> None:
        """Make the current sample the anchor."""
        self.anchor, self.reason = sample.documents, reason
        self.changes, self.n_changed = [], 0
        self.n_anchors += 1
        # Lazy: the basis of an anchor is found only if a model is read before the next anchor.
        self._cache = None

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of all that is remembered."""
        self.n_words = n_words
        if new_ids is None and not is_all_words(self.anchor.n_words, self.n_topics):
            return  # new words are outside the basis
        # The basis depends on the ids of its words, and spans new words where it spans all.
        self.anchor = self.anchor.renumber(new_ids, n_words)
        self.changes = [change.renumber(new_ids, n_words) for change in self.changes]
        self._cache = None

    def updated(self) -> MomentCache:
        """Return sums and model of the current sample, in the anchor's basis."""
        # Partly updated sums would be wrong, so the cache is restored only after success.
        cache, self._cache = self._cache or self._start(), None
        news = self.changes[cache.n_added :]
        if news or cache.model.n_words < self.n_words:
            # Change by change: rounding then does not depend on when models were read.
            for change in news[:-1]:
                cache.sums.widen(change.moved.n_words)
                cache.sums.exchange(change.moved, change.n_entered)
            cache.sums.widen(self.n_words)
            # The last change is left to `_solve`, which adds it and estimates in one kernel.
            last = (news[-1].moved, news[-1].n_entered) if news else (NO_CHANGE, 0)
            cache.n_added = len(self.changes)
            self._solve(cache, *last)
        self._cache = cache
        return cache

    def _start(self) -> MomentCache:
        """Find the anchor's basis, its sums, and their estimate from random starts."""
        starts = random_starts(self.n_topics, N_RESTARTS, self.seed)
        with ONE_BLAS_THREAD:
            sums = ProjectedSums(find_basis(self.anchor, self.n_topics, self.seed))
            sums.update(self.anchor)
            # random starts have the global guarantee
            cold = self._estimate(sums.sums, starts)
        # No warm start where the basis is exact and results are to be those of Algorithm 1, or
        # where that would use more directions than there are. Otherwise the noise rank is that of
        # the anchor: it changes little before a third of the documents have.
        k = len(cold.tensor_eigenvalues)
        is_exact = is_all_words(self.anchor.n_words, self.n_topics)
        is_complete = k == self.n_topics or (self.noise_rank and k > 0)
        warm = cold.directions if is_complete and not is_exact else None
        details = Details.empty(k, sums.sums.basis.shape[1])
        return MomentCache(sums, cold, cold.model, starts, warm, details)

    def _estimate(self, sums: Sums, starts: Floats) -> Estimate:
        """Return the estimate from random starts."""
        return estimate(sums, self.n_topics, power_method, starts, noise_rank=self.noise_rank)

    def _solve(self, cache: MomentCache, moved: DocumentView, n_added: int) -> None:
        """Add what moved to the sums, and estimate their model."""
        sums = cache.sums.sums
        found = None
        if cache.warm is not None:
            found = warm_model(sums, moved, n_added, self.n_topics, cache.warm, cache.details)
            if found is not None and self.noise_rank and len(cache.warm) == 1:
                found = unigram_model(sums, self.n_topics)  # as `estimate` does
        elif len(moved.bounds):
            update_sums(sums, moved, n_added)
        cache.cold = None
        # There is no warm start, or fewer topics were found from it.
        if found is None:
            cold = self._estimate(sums, cache.starts)
            cache.cold, found = cold, cold.model
        cache.model = found

    @property
    def history(self) -> History:
        """The changes end to end."""
        return History.of(self.changes)

    @history.setter
    def history(self, history: History) -> None:
        self.changes = history.changes()

    def check_leads_to(self, sample: Sample) -> None:
        """Raise unless the changes lead from the anchor to the sample: sums would be wrong."""
        if self.anchor.n_words > self.n_words:
            raise ValueError(f"the anchor must be over at most {self.n_words} words")
        self.history.check(self.anchor, sample)
