"""HedgedLeader: stable topics, and prediction by a mixture of experts, with nothing to tune."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import State, check_same, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import with_words
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.hedged.alarm import Alarm, what_is_new
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.experts import ALL, ExpertLikelihoods, Experts
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.refit import Refit
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.learners.learner_base import LearnerBase
from spectralleader.learners.protocol import check_block
from spectralleader.models import Predictive, TopicModel
from spectralleader.models.matching import best_order
from spectralleader.runtime.locks import changing, locked
from spectralleader.samples import Reservoir, Window

BLOCK = 1000  # larger blocks are split
REPLAY_BLOCK = 100  # documents per step when merged windows are learned again


class HedgedInfo(NamedTuple):
    """The topics in use, and the weights of the experts."""

    n_used: int  # topics in use; the others have almost no documents
    shares: dict[str, float]  # mixture weight of each expert
    n_races: int  # number of refits from new starts, including those of the window
    price: float  # bound on the regret against the best expert, in nats, for blocks of one


class Mixture:
    """The current prediction of a learner; it changes as the learner learns."""

    def __init__(self, learner: HedgedLeader) -> None:
        self._learner = learner

    def log_prob(self, documents: Documents) -> Floats:
        """Return the log-probability of each document under the exact mixture, (n_docs,)."""
        return self._learner._log_prob(documents)


class HedgedLeader(LearnerBase):
    """Stable topics, and predictions nearly as good as the best expert; nothing to tune.

    Topics start from the best of several spectral, over-complete and random starts, which are
    compared early in the stream. From then on incremental EM updates them with every document, and
    revisits a reservoir of documents: `model` returns them, and changes slowly. `recent` returns
    the topics of the last documents.

    Prediction is separate. Experts (the topics above with different smoothing and weights that
    track the stream; EM that forgets at several rates, also with more topics than are read; word
    frequencies; the uniform distribution) are mixed by their past likelihoods, and `predictive` is
    exactly this mixture.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered, each about 100 bytes if short, plus 4 bytes per topic.
    seed : int
        Random seed of the reservoir and of the starts.
    settings : Settings
        The constants, for studies. They are not saved: pass the same to `from_state`.

    Notes
    -----
    Memory: a reservoir of m documents and a window of min(m / 4, 2,000); 4 K m for
    responsibilities; 5 arrays of 8 K d: 2 followed, 2 forgetting, 1 shown; a few more during a
    race.

    Merging: the samples are merged, and a race on them chooses the topics, with those of every
    shard among the contenders. The weights of experts are averaged by documents seen; tracked
    priors and forgetting EMs are those of the first shard, updated with the last documents of all.
    `info.price` counts all documents, but is a bound for one stream only.

    Examples
    --------
    >>> leader = HedgedLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(leader.model.weights.round(1).tolist())
    [0.4, 0.6]
    """

    saved = fields(
        LearnerBase.saved,
        reservoir_size=field(whole, least=1),
        _experts=Experts,
        _mixing=field(
            Mixing,
            n_experts=lambda known: len(known["_experts"].names),
            n_competitors=lambda known: len(known["_experts"].names) + 1,
        ),
        _suspicion=field(Drift, pairs=lambda known: known["_experts"].table.suspects),
        _drift=field(Drift, pairs=lambda known: known["_experts"].table.rivals),
        _alarm=field(Alarm, optional=True),
        _refit=field(Refit, experts=lambda known: known["_experts"]),
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 50_000,
        seed: int = 0,
        settings: Settings = SETTINGS,
    ) -> None:
        super().__init__(n_topics, n_words, seed)
        self.reservoir_size = check_whole("reservoir_size", reservoir_size, 1)
        self._settings = settings
        self._experts = Experts(self.n_topics, self.n_words, self.seed, settings)
        self._mixing = Mixing(len(self._experts.names), settings)
        self._refit = Refit(self._experts, self.reservoir_size, self.seed, settings)
        self._suspicion, self._drift = self._bets()
        self._alarm: Alarm | None = None  # until topics are settled
        self._last_likelihoods: ExpertLikelihoods | None = None
        self._recent: TopicModel | None = None  # computed since the last block

    @classmethod
    def from_state(cls, state: State, *, settings: Settings = SETTINGS, **sizes: Any) -> Self:
        """Return the learner that `to_state` described; raise `ValueError` for an invalid state."""
        return super().from_state(state, settings=settings, **sizes)

    @property
    @locked
    def n_docs(self) -> int:
        """Number of documents learned that have words."""
        return self._mixing.n_docs

    def _learn(self, block: Documents) -> None:
        # Empty documents are not counted: `n_docs` is the t of eq. 30 and of the reservoir.
        # Splitting bounds the (n_docs, n_models, K) array of topic likelihoods. A block that needs
        # no splitting remains the same object, whose likelihoods may be cached already.
        for part in with_words(block).blocks(BLOCK):
            self._step(part)

    def _step(self, block: Documents) -> None:
        """Evaluate the experts, update their weights, let them learn, and refit if due."""
        likelihoods, n_docs = self._expert_likelihoods(block), self._mixing.n_docs
        self._forget_results()
        # Prequential: weights, losses and bets are updated by predictions made before learning.
        self._mixing.update(likelihoods.log_probs)
        self._experts.update_losses(likelihoods.log_probs)
        self._suspicion.update(likelihoods.log_probs, n_docs)
        if self._refit.schedule.is_settled:
            self._drift.update(likelihoods.log_probs, n_docs)
            self._refit.changed = max(self._refit.changed, self._outdated_since or 0)
            self._watch(likelihoods.log_probs[:, self._experts.table.column[ALL]], block)
        # Word counts first: topics are smoothed with a background that contains this block.
        self._experts.learn(likelihoods)
        self._refit.learn(block)
        is_outdated = self._experts.is_outdated(self._settings.margin)
        outdated = self._outdated_since if is_outdated else None
        if self._refit.renew(self._suspicion.suspected_since, outdated):
            # Bets were against other topics.
            _, self._drift = self._bets()

    def _bets(self) -> tuple[Drift, Drift]:
        """Return new bets that there is a change: for suspicion, and for a report."""
        table, n_docs = self._experts.table, self.n_docs
        suspicion = Drift(table.suspects, n_docs, self._settings)
        return suspicion, Drift(table.rivals, n_docs, self._settings)

    def _watch(self, log_probs: Floats, block: Documents) -> None:
        """Record when documents become less probable than before, and when that ends.

        It is called before anything but the mixture has learned the block.
        """
        n_before = self.n_docs - block.n_docs
        if self._alarm is None:
            self._alarm = Alarm(n_before, self._settings)
        was_raised = self._alarm.since is not None
        self._alarm.update(log_probs / block.lengths)
        since = self._alarm.since
        if since is not None and not was_raised:
            fresh = Documents.concatenate([self.window.last(max(0, n_before - since)), block])
            fresh = fresh[min(max(0, since - n_before), block.n_docs - 1) :]
            what = what_is_new(fresh, self.model, self._experts.background)
            self._refit.note(Event(since, EventKind.CHANGED, **what))
        elif since is None and was_raised:
            self._refit.note(Event(self.n_docs, EventKind.ENDED))

    @property
    @locked
    def drifts_since(self) -> int | None:
        """Number of documents before the stream changed; None unless it has changed lately."""
        return None if self._alarm is None else self._alarm.since

    @property
    def _outdated_since(self) -> int | None:
        """Documents before a change since which the topics of the window are the better ones."""
        since, changed = self._drift.alarmed_since, self._refit.changed
        if not self._drift.is_alarmed:
            return None
        # If topics were replaced during a drift that continues, keep its original start.
        return changed if since <= self._drift.began and changed > 0 else since

    def _expert_likelihoods(self, block: Documents) -> ExpertLikelihoods:
        """Return the experts' likelihoods of a block, computed at most once per block."""
        # Evaluating a block and then learning it is the usual order.
        if self._last_likelihoods is not None and self._last_likelihoods.documents is block:
            return self._last_likelihoods
        return self._experts.log_probs(block)

    @locked
    def _log_prob(self, documents: Documents) -> Floats:
        block = check_block(documents, self.n_words)
        self._last_likelihoods = self._expert_likelihoods(block)
        log_prob = self._mixing.log_prob(self._last_likelihoods.log_probs)
        # The logarithm of the sum of the weights is 0 only up to rounding.
        log_prob[block.indptr[1:] == block.indptr[:-1]] = 0.0
        return log_prob

    def _forget_results(self) -> None:
        self._last_likelihoods = self._recent = None

    @property
    @locked
    def is_empty(self) -> bool:
        """Whether nothing has been learned yet."""
        return self.n_docs == 0

    @property
    def model(self) -> TopicModel:
        """The topics of all documents, in a stable order."""
        averaged = self._refit.averaged
        return self._refit.overall.model if averaged is None else averaged.model

    @property
    @locked
    def recent(self) -> TopicModel:
        """The topics of the last documents, numbered like those of `model` where they match."""
        if self._recent is None:
            recent = self._refit.recent.model
            # Matched when read: while documents are few, races give both samples new topics in
            # turn.
            order = best_order(recent.topics, self.model.topics)
            self._recent = TopicModel.trusted(recent.weights[order], recent.topics[order])
        return self._recent

    @property
    def predictive(self) -> Predictive:
        """The mixture of all experts; it changes as the learner learns."""
        return Mixture(self)

    @property
    @locked
    def sample(self) -> Reservoir:
        """The remembered documents, which are revisited to improve `model`."""
        return self._refit.reservoir

    @property
    @locked
    def window(self) -> Window:
        """The last documents, from which `recent` is estimated; after a change, those since."""
        return self._refit.window

    @property
    @locked
    def events(self) -> tuple[Event, ...]:
        """Changes of the stream, replacements and restarts of topics; the latest last."""
        return tuple(self._refit.events)

    @property
    @locked
    def settles_at(self) -> int | None:
        """Documents with words at which topics settle: are replaced only by a margin from then on.

        None once they are settled.
        """
        return None if self._refit.schedule.is_settled else self._settings.early

    @property
    @locked
    def info(self) -> HedgedInfo:
        """Topics in use, and the mixture weights of the experts."""
        shares = dict(zip(self._experts.names, self._mixing.shares.tolist(), strict=True))
        return HedgedInfo(self.model.n_used, shares, self._refit.n_races, self._mixing.price)

    @locked
    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Merge the samples, and refit on them from all learners' topics, in this one's order.

        Word counts are added. Mixture weights and recent losses are averaged by documents seen.
        Tracked priors and forgetting EMs cannot be added; they first learn all windows.
        """
        if any(other._settings != self._settings for other in others):
            raise ValueError("learners with other settings cannot be merged")
        with changing(self):
            self._forget_results()
            refits = [other._refit for other in others]
            for block in self._refit.latest(refits, rng).blocks(REPLAY_BLOCK):
                self._experts.track(self._experts.log_probs(block))
            n_of_each = np.array([part.n_docs for part in (self, *others)])
            self._experts.merge([o._experts for o in others], n_of_each / n_of_each.sum())
            self._mixing.merge([other._mixing for other in others])
            self._suspicion, self._drift = self._bets()
            if self.drifts_since is not None:
                self._refit.note(Event(self.n_docs, EventKind.ENDED))
            self._alarm = None  # the shards' scores are by other topics
            self._refit.merge(refits, rng)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self._experts.recode(new_ids, n_words)
        self._refit.recode(new_ids, n_words)
        super()._recode(new_ids, n_words)
        self._forget_results()

    def _loaded(self) -> None:
        check_same("n_seen of the reservoir", self.sample.n_seen, self.n_docs)
        check_same("capacity of the reservoir", self.sample.capacity, self.reservoir_size)
