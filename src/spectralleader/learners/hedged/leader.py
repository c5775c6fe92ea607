"""HedgedLeader: prediction by a mixture of experts, with nothing to tune.

The constants of this package were chosen before corpora were divided into development and test
(`role` in sources/corpora.py), partly on headlines and newsgroups. On these two test corpora its
figures are therefore optimistic until the constants are chosen again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.states import check_same, part, take, truth
from spectralleader.documents import Documents, check_n_words
from spectralleader.documents.recoding import check_recoding
from spectralleader.em.statistics import with_words
from spectralleader.learners.hedged.candidates import SAMPLES, candidates
from spectralleader.learners.hedged.panel import Foreseen, Panel
from spectralleader.learners.hedged.polishing import Polishing, recent
from spectralleader.learners.hedged.race import Pause, no_pause
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.guard import Guarded, changing, guard_of
from spectralleader.runtime.interrupts import PutOff, put_off_if_asked
from spectralleader.samples import Reservoir, Window

FOLLOWED = 100  # documents of merged windows that are followed at a step


class HedgedInfo(NamedTuple):
    """Who leads, and why."""

    leader: str  # "reservoir": topics of all documents; "window": of the last ones, after a change
    since: int  # documents learned when it took the lead
    drift: float  # nats a document that the window's topics predict better of late; below 0: worse
    shares: dict[str, float]  # of each candidate in the mixture that predicts
    n_races: int  # times that new starts were tried
    price: float  # nats that it may lose to the best candidate in all, documents one at a time


class Mixture:
    """What the learner predicts at present: it follows the learner."""

    def __init__(self, learner: HedgedLeader) -> None:
        self._learner = learner

    def log_prob(self, documents: Documents) -> Floats:
        """Return the log-probability of each document under the exact mixture, (n_docs,)."""
        with guard_of(self._learner):
            return self._learner._log_prob(documents)


class HedgedLeader(Guarded):
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
        Documents remembered, about 100 bytes each if they are short.
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
        self._panel = Panel(self.n_topics, self.n_words)
        self._polishing = Polishing(self.n_topics, self.n_words, self.reservoir_size, self.seed)
        self._foreseen: Foreseen | None = None
        self._model: TopicModel | None = None  # None: to be worked out

    @property
    def n_docs(self) -> int:
        """Documents learned, but for those without words."""
        return self._panel.mixing.n_docs

    def learn(self, documents: Documents) -> None:
        """Weigh the candidates by the block, then let each learn it."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            self._learn(block)

    def _learn(self, block: Documents) -> None:
        if block.n_words > self.n_words:
            self._catch_up()  # by the words that it was to be done with
            self._recode(None, block.n_words)
        block = with_words(block)
        if block.n_docs == 0:
            with suppress(PutOff):
                self._catch_up(put_off_if_asked)
            return
        self._catch_up()
        foreseen = self._foresee(block)
        self._foreseen = self._model = None
        self._polishing.remember(block)
        self._panel.weigh(foreseen)
        self._polishing.note_due(self._panel)
        self._panel.count(block)
        self._panel.follow(foreseen)
        with suppress(PutOff):
            self._polishing.renew(self._panel, put_off_if_asked)

    def _catch_up(self, pause: Pause = no_pause) -> None:
        """Renew what was put off when the program was asked to end, also by an empty block."""
        if self._polishing.is_due:
            self._foreseen = self._model = None
            self._polishing.renew(self._panel, pause)

    def _foresee(self, block: Documents) -> Foreseen:
        """Ask every candidate for the block's probability; at most once for a block."""
        if self._foreseen is not None and self._foreseen.documents is block:
            return self._foreseen
        return self._panel.foresee(block)

    def _log_prob(self, documents: Documents) -> Floats:
        block = check_block(documents, self.n_words)
        self._foreseen = self._foresee(block)
        log_prob = self._panel.mixing.log_prob(self._foreseen.log_probs)
        log_prob[np.diff(block.indptr) == 0] = 0.0
        return log_prob

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
        seen. Tracked priors and forgetting EMs, which have no sum, first go on over all windows.
        """
        with changing(self):
            self._merge(others, rng)

    def _merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        self._catch_up()
        self._foreseen = self._model = None
        panel, polishings = self._panel, [other._polishing for other in others]
        for block in recent([self._polishing, *polishings], rng).blocks(FOLLOWED):
            panel.follow(panel.foresee(block))
        panel.merge([other._panel for other in others])
        self._polishing.merge(polishings, panel, rng)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of all that is remembered; -1 is dropped."""
        n_words = check_n_words(n_words)
        ids = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self._catch_up()  # by the words that it was to be done with
            self._recode(ids, n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        self._panel.recode(new_ids, n_words)
        self._polishing.recode(new_ids, n_words)
        self.n_words = n_words
        self._foreseen = self._model = None

    @property
    def sample(self) -> Reservoir | Window:
        """The remembered documents that the leading topics are polished on."""
        return self._polishing.window if self._panel.lead else self._polishing.reservoir

    @property
    def model(self) -> TopicModel:
        """The leading polished model, of K topics that keep their places."""
        if self._model is None:
            self._model = self._panel.model()
        return self._model

    @property
    def predictive(self) -> Predictive:
        """The mixture of all candidates, as it is at present: it follows the learner."""
        return Mixture(self)

    @property
    def info(self) -> HedgedInfo:
        """Who leads, the weights, and since when."""
        panel = self._panel
        shares = dict(zip(candidates(), panel.mixing.shares.tolist(), strict=True))
        found = (SAMPLES[panel.lead], panel.since, panel.drift, shares)
        return HedgedInfo(*found, self._polishing.n_races, panel.mixing.price)

    def to_state(self) -> dict[str, Any]:
        """Return all that the learner needs to go on."""
        return {
            **{name: getattr(self, name) for name in PLAIN},
            "panel": self._panel.to_state(),
            "polishing": self._polishing.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HedgedLeader:
        """Rebuild the learner that `to_state` described."""
        sizes = n_topics, n_words = sizes_of(state)
        panel = Panel.from_state(part(state, "panel"), *sizes)
        size, seed = take(state, "reservoir_size"), take(state, "seed")
        learner = cls(n_topics, n_words=n_words, reservoir_size=size, seed=seed)
        learner.grows = truth(state, "grows")
        remembered = part(state, "polishing")
        parameters = (learner.reservoir_size, learner.seed)
        learner._panel = panel
        learner._polishing = Polishing.from_state(remembered, *sizes, *parameters)
        check_same("n_seen of a sample", learner._polishing.window.n_seen, learner.n_docs)
        return learner


PLAIN = ("n_topics", "n_words", "grows", "reservoir_size", "seed")
