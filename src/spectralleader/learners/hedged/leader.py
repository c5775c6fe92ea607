"""HedgedLeader: prediction that beats the best-tuned EM, with nothing to tune."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.documents import Documents, Floats, Ints, check_n_words
from spectralleader.learners.hedged.background import Background, smooth, smooth_weights
from spectralleader.learners.hedged.before import Before
from spectralleader.learners.hedged.candidates import (
    FORGETTING,
    MEMORIES,
    OWN,
    SAMPLES,
    STRENGTHS,
    candidates,
)
from spectralleader.learners.hedged.foresight import log_background, posteriors, with_priors
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.polish import polish
from spectralleader.learners.hedged.polished import Polished, foresee
from spectralleader.learners.hedged.race import race
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    check_whole,
    sizes_of,
)
from spectralleader.learners.statistics import Statistics, with_words
from spectralleader.model import TopicModel
from spectralleader.recoding import check_recoding
from spectralleader.samples import Reservoir, Sample, Window, sample_to_state
from spectralleader.samples.interleaving import interleave, take_turns
from spectralleader.states import check_same, floats, part, parts, take, truth, whole

WINDOW = 2000  # last documents, that a second estimate is polished on
FRESH = 50  # documents after a change that the window's topics are first polished on
MOVED = 1 / 3  # share of the remembered documents that changes before they are polished anew
FOLLOWED = 100  # documents of merged windows that are followed at a step
RACED = 4000  # documents of the reservoir that new starts are tried on, at most
N_PASSES = 10  # of EM for the winner over the whole reservoir, at most
TOLERANCE = 1e-3  # nats a document that a pass must gain


class HedgedInfo(NamedTuple):
    """Who leads, and why."""

    leader: str  # "reservoir": topics of all documents; "window": of the last ones, after a change
    since: int  # documents learned when it took the lead
    drift: float  # nats a document that the window's topics predict better of late; below 0: worse
    shares: dict[str, float]  # of each candidate in the mixture that predicts
    n_races: int  # times that new starts were tried
    price: float  # nats that it may lose to the best candidate in all, documents one at a time


class Foreseen(NamedTuple):
    """What the candidates say of a block."""

    documents: Documents
    log_probs: Floats  # (n_docs, n_candidates)
    polished: list[Floats]  # log P(words | topic) of the two, (n_strengths, n_docs, K)
    posteriors: list[Floats]  # of the forgetting EMs, (n_docs, K)


class Mixture:
    """What the learner predicts at present: it follows the learner."""

    def __init__(self, learner: HedgedLeader) -> None:
        self._learner = learner

    def log_prob(self, documents: Documents) -> Floats:
        """Return the log-probability of each document under the exact mixture, (n_docs,)."""
        return self._learner._log_prob(documents)


class HedgedLeader:
    """Candidates compete and are mixed: predicts as well as the best, whichever that is.

    Topics are estimated by the spectral method and from random starts, polished by EM on a
    reservoir of documents, and raced on likelihood: `model` is the winner. For prediction it is one
    of several candidates (smoothed more and less, with weights that follow the stream, polished on
    the last documents only, EM that forgets at several rates, word frequencies alone, any word at
    all), mixed by how well they predicted: `predictive` is that mixture, exactly.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. Left out, it grows with the stream.
    reservoir_size : int
        Documents remembered, about 100 bytes each.
    seed : int
        Of the reservoir and of the random starts.

    Examples
    --------
    >>> leader = HedgedLeader(n_topics=2, n_words=2)
    >>> leader.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(leader.model.weights.round(1).tolist())
    [0.4, 0.6]
    """

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 50_000,
        seed: int = 0,
    ) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        self.n_words, self.grows = check_vocabulary(n_words)
        self.reservoir_size = check_whole("reservoir_size", reservoir_size, 1)
        self.n_docs = 0
        self._background = Background(self.n_words)
        reservoir = Reservoir(self.reservoir_size, n_words=self.n_words, seed=self.seed)
        window = Window(min(WINDOW, self.reservoir_size), n_words=self.n_words)
        self._samples = (reservoir, window)
        nothing = Statistics.zero(self.n_topics, self.n_words)
        self._polished = [Polished(nothing.copy(), len(STRENGTHS)) for _ in SAMPLES]
        self._forgetting = [nothing.copy() for _ in MEMORIES]
        self._contenders: list[Statistics] = []  # survivors of the races, best first
        self._mixing = Mixing(len(candidates()))
        self._losses: Floats = np.zeros(len(candidates()))  # of late, decaying
        self._n_races = self._n_raced = self._n_changed = self._n_window = 0
        self._lead, self._since = 0, 0
        self._foreseen: Foreseen | None = None
        self._model: TopicModel | None = None  # None: to be worked out

    def learn(self, documents: Documents) -> None:
        """Weigh the candidates by the block, then let each learn it.

        If it fails, nothing has changed: whatever can fail comes before tables are added to, or
        else they are copied.
        """
        block = check_block(documents, self.n_words, grows=self.grows)
        before = Before(self)
        try:
            self._learn(block, before)
        except BaseException:
            before.put_back()
            raise

    def _learn(self, block: Documents, before: Before) -> None:
        if block.n_words > self.n_words:
            before.recodes()
            self._recode(None, block.n_words)
        block = with_words(block)
        if block.n_docs == 0:
            return
        foreseen = self._foresee(block)
        self._foreseen = self._model = None
        self._remember(block, before)
        self._weigh(foreseen)
        self.n_docs += block.n_docs
        turns = self._is_due()
        if any(turns):
            before.copy_tables()
        self._follow(foreseen)
        self._background.add(block)
        for is_due, renew in zip(turns, (self._race, self._renew_window), strict=True):
            if is_due:
                renew()

    def _follow(self, foreseen: Foreseen) -> None:
        """Let the tracked priors and the forgetting EMs learn a block."""
        for polished, likelihoods in zip(self._polished, foreseen.polished, strict=True):
            polished.follow(likelihoods)
        block = foreseen.documents
        for statistics, memory, posterior in zip(
            self._forgetting, MEMORIES, foreseen.posteriors, strict=True
        ):
            keep = (1.0 - 1.0 / memory) ** block.n_docs
            statistics.decay(keep)
            statistics.add(block, posterior, (1.0 - keep) * memory / block.n_docs)

    def _foresee(self, block: Documents) -> Foreseen:
        """Ask every candidate for the block's probability; at most once for a block."""
        if self._foreseen is not None and self._foreseen.documents is block:
            return self._foreseen
        background = self._background
        strengths = self.n_words * np.array(STRENGTHS)
        arrays = (block.indptr, block.words, block.counts)
        columns = [
            -np.log(self.n_words) * block.lengths[:, None],  # the odd one out costs no more
            log_background(*arrays, background.counts, background.total)[:, None],
        ]
        tables, shares = [], []
        for polished in self._polished:
            tables.append(foresee(block, polished.statistics, background, strengths))
            columns.append(polished.log_probs(tables[-1]))
        for statistics in self._forgetting:
            likelihoods = foresee(block, statistics, background, strengths)
            prior = smooth_weights(statistics)
            columns += [with_priors(at, prior[None]) for at in likelihoods]
            shares.append(posteriors(likelihoods[0], prior))
        return Foreseen(block, np.hstack(columns), tables, shares)

    def _log_prob(self, documents: Documents) -> Floats:
        block = check_block(documents, self.n_words)
        self._foreseen = self._foresee(block)
        log_prob = self._mixing.log_prob(self._foreseen.log_probs)
        log_prob[np.diff(block.indptr) == 0] = 0.0
        return log_prob

    def _weigh(self, foreseen: Foreseen) -> None:
        self._mixing.update(foreseen.log_probs)
        kept = self._losses * (1.0 - 1.0 / WINDOW) ** len(foreseen.log_probs)
        self._losses = kept - foreseen.log_probs.sum(axis=0)
        lead = int(self._losses[OWN[1]] < self._losses[OWN[0]])
        if lead != self._lead:
            self._lead, self._since = lead, self.n_docs + foreseen.documents.n_docs

    def _remember(self, block: Documents, before: Before) -> None:
        """Show the block to the samples."""
        for sample in self._samples:
            before.note(sample, sample.add(block), block.n_docs)
        self._n_changed += before.n_entered
        self._n_window += block.n_docs

    def _is_due(self) -> tuple[bool, bool]:
        """Say whether the reservoir and the window have moved enough to be polished anew."""
        window = self._samples[1]
        is_fresh = self._n_fresh >= min(FRESH, len(window))
        has_moved = self._n_window >= self._turn and self.n_docs > len(window)
        return self._n_changed > MOVED * self._n_raced, has_moved and is_fresh

    @property
    def _n_fresh(self) -> int:
        """Documents of the window that the leading topics are about: after a change, the new."""
        n = len(self._samples[1])
        return min(n, self.n_docs - self._since) if self._lead else n

    @property
    def _turn(self) -> int:
        """Documents after which the window's topics are polished anew: soon after a change."""
        return min(self._samples[1].capacity // 2, max(FRESH, int(MOVED * self._n_fresh)))

    def _race(self) -> None:
        """Try new starts on part of the reservoir, polish the winner on all of it."""
        documents = self._samples[0].documents
        order = np.random.default_rng([self.seed, self._n_races]).permutation(documents.n_docs)
        background, strength = self._background.words, STRENGTHS[0] * self.n_words
        some = documents.take(order[:RACED])
        seed = [self.seed, self._n_races, 1]
        kept = race(some, self.n_topics, self._contenders, background, strength, seed)
        kept[0], _ = polish(documents, kept[0], background, strength, N_PASSES, TOLERANCE)
        self._contenders = kept
        self._n_races += 1
        self._n_raced, self._n_changed = documents.n_docs, 0
        self._polished[0].replace(kept[0], self._polished[0].statistics)
        if self.n_docs <= len(self._samples[1]):  # the window has all documents too
            self._polished[1].replace(kept[0], self._polished[0].statistics)
        self._renew_forgetting()

    def _renew_window(self) -> None:
        """Polish on the last documents; after a change, try new starts on those since."""
        window = self._samples[1]
        documents = window.last(self._n_fresh)
        background, strength = self._background.words, STRENGTHS[0] * self.n_words
        known = [self._polished[1].statistics, self._polished[0].statistics, self._forgetting[0]]
        incumbents = [Statistics(s.scale * s.totals, s.scale * s.words) for s in known]
        if self._lead and documents.n_docs < len(window):
            seed = [self.seed, self._n_races, self.n_docs]
            best = race(documents, self.n_topics, incumbents, background, strength, seed)[0]
        else:
            polished = [polish(documents, s, background, strength, 1) for s in incumbents]
            best = max(polished, key=lambda found: found[1])[0]
        best, _ = polish(documents, best, background, strength, N_PASSES // 2, TOLERANCE)
        self._polished[1].replace(best, self._polished[0].statistics)
        self._n_window = 0
        self._renew_forgetting()

    def _renew_forgetting(self) -> None:
        """Start the EMs that fall behind from the leading polished estimate."""
        leading, best = self._polished[self._lead].statistics, self._losses[OWN[self._lead]]
        n = max(1.0, float(leading.totals[0].sum()))
        for i, memory in enumerate(MEMORIES):
            if self._losses[FORGETTING[i]] >= best:
                share = min(1.0, memory / n)
                self._forgetting[i] = Statistics(share * leading.totals, share * leading.words)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""
        return self.n_docs == 0

    @property
    def settings(self) -> dict[str, Any]:
        """What learners must have in common to be merged."""
        return {"n_topics": self.n_topics, "reservoir_size": self.reservoir_size}

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Merge the samples and race on them, the others' topics too; this one's order is kept.

        Word counts add up. The candidates' weights and late losses are means, weighted by documents
        seen. Tracked priors and forgetting EMs, which have no sum, go on over all windows.
        """
        parts = (self, *others)
        windows = [part._samples[1].last(WINDOW) for part in parts]
        shares = np.array([part.n_docs for part in parts]) / sum(part.n_docs for part in parts)
        self._losses = shares @ np.stack([part._losses for part in parts])
        self._lead = int(self._losses[OWN[1]] < self._losses[OWN[0]])
        n_since = sum(part.n_docs - part._since for part in parts if part._lead == self._lead)
        self.n_docs = sum(part.n_docs for part in parts)
        self._since = self.n_docs - n_since
        self._background.merge([other._background for other in others])
        self._mixing.merge([other._mixing for other in others])
        reservoir, window = self._samples
        reservoir.merge([other._samples[0] for other in others], rng)
        window.merge([other._samples[1] for other in others], rng)
        self._contenders = [one.copy() for part in parts for one in part._contenders[:2]]
        self._race()
        if self.n_docs > len(window):
            self._renew_window()
        n_recent = [recent.n_docs for recent in windows]
        turns = interleave(n_recent, sum(n_recent), rng)
        for block in take_turns(windows, turns).blocks(FOLLOWED):
            self._follow(self._foresee(block))
        self._foreseen = self._model = None

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of all that is remembered; -1 is dropped."""
        n_words = check_n_words(n_words)
        self._recode(check_recoding(new_ids, self.n_words, n_words), n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self._background.recode(new_ids, n_words)
        for sample in self._samples:
            sample.recode(new_ids, n_words)
        polished = [polished.statistics for polished in self._polished]
        for statistics in (*polished, *self._forgetting, *self._contenders):
            statistics.recode(new_ids, n_words)
        self.n_words = n_words
        self._foreseen = self._model = None

    @property
    def sample(self) -> Reservoir | Window:
        """The remembered documents that the leading topics are polished on."""
        return self._samples[self._lead]

    @property
    def model(self) -> TopicModel:
        """The leading polished model, of K topics that keep their places."""
        if self._model is None:
            statistics = self._polished[self._lead].statistics
            strength = STRENGTHS[0] * self.n_words
            self._model = smooth(statistics, self._background.words, strength)
        return self._model

    @property
    def predictive(self) -> Predictive:
        """The mixture of all candidates, as it is at present: it follows the learner."""
        return Mixture(self)

    @property
    def info(self) -> HedgedInfo:
        """Who leads, the weights, and since when."""
        n = WINDOW * (1.0 - (1.0 - 1.0 / WINDOW) ** self.n_docs)  # documents that losses are of
        drift = (self._losses[OWN[0]] - self._losses[OWN[1]]) / max(n, 1.0)
        shares = dict(zip(candidates(), self._mixing.shares.tolist(), strict=True))
        price = self._mixing.price
        return HedgedInfo(
            SAMPLES[self._lead], self._since, float(drift), shares, self._n_races, price
        )

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return {
            **{name: getattr(self, name) for name in PLAIN},
            "background": self._background.to_state(),
            "samples": [sample_to_state(sample) for sample in self._samples],
            "polished": [polished.to_state() for polished in self._polished],
            "forgetting": [statistics.to_state() for statistics in self._forgetting],
            "contenders": [statistics.to_state() for statistics in self._contenders],
            "mixing": self._mixing.to_state(),
            "losses": self._losses.copy(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HedgedLeader:
        """Rebuild the learner that `to_state` described."""
        sizes = n_topics, n_words = sizes_of(state)
        background = Background.from_state(part(state, "background"), n_words)
        polished = parts(state, "polished", len(SAMPLES))
        learned = [Polished.from_state(one, len(STRENGTHS), *sizes) for one in polished]
        learner = cls(
            n_topics,
            n_words=n_words,
            reservoir_size=take(state, "reservoir_size"),
            seed=take(state, "seed"),
        )
        learner.grows = truth(state, "grows")
        for name in COUNTERS:
            setattr(learner, name, whole(state, name))
        learner._lead = whole(state, "_lead", 0, 1)
        learner._since = whole(state, "_since", 0, learner.n_docs)
        learner._samples = learner._samples_from(parts(state, "samples", 2))
        learner._background, learner._polished = background, learned
        old, new = parts(state, "forgetting", len(MEMORIES)), parts(state, "contenders")
        learner._forgetting = [Statistics.from_state(one, *sizes, 0.0) for one in old]
        learner._contenders = [Statistics.from_state(one, *sizes, 0.0) for one in new]
        n_candidates = len(candidates())
        learner._mixing = Mixing.from_state(part(state, "mixing"), n_candidates)
        learner._losses = floats(state, "losses", (n_candidates,))
        return learner

    def _samples_from(self, states: list[dict[str, Any]]) -> tuple[Reservoir, Window]:
        """Rebuild the samples of a learner of this size that has seen as many documents."""
        reservoir, window = Reservoir.from_state(states[0]), Window.from_state(states[1])
        check_same("capacity of the reservoir", reservoir.capacity, self._samples[0].capacity)
        check_same("capacity of the window", window.capacity, self._samples[1].capacity)
        samples: list[Sample] = [reservoir, window]
        for sample in samples:
            check_same("n_words of a sample", sample.n_words, self.n_words)
            check_same("n_seen of a sample", sample.n_seen, self.n_docs)
        return reservoir, window


COUNTERS = ("n_docs", "_n_races", "_n_raced", "_n_changed", "_n_window")
PLAIN = ("n_topics", "n_words", "grows", "reservoir_size", "seed", *COUNTERS, "_lead", "_since")
