"""Experts: the models that are mixed for prediction, as a table of data.

An estimate is a set of K topics, as sufficient statistics. An estimate with a smoothing strength is
a model, and a model with a prior over topics is an expert. Two further experts have no topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import distributions, floats, take
from spectralleader.documents import Documents
from spectralleader.em.background import Background
from spectralleader.em.stacked import Stacked
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.finer import FinerLikelihoods, FinerTopics, finer_names
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.runtime.compiled import in_place
from spectralleader.samples import Reservoir, Window

# Estimates whose topics are read, named like the samples that they are of; the others forget.
ALL, RECENT = Reservoir.saved_as, Window.saved_as
FLOOR = 1e-3  # share of each tracked prior that is distributed equally: no topic falls to 0


class Table:
    """The experts, in the order of their columns, and what kernels know of them.

    An expert is stored by its name. The one that has the name of an estimate has the estimate's own
    weights as its prior, and the first strength of smoothing.
    """

    def __init__(self, settings: Settings) -> None:
        self.memories = {f"EM of the last {memory:g}": memory for memory in settings.memories}
        self.estimates = (ALL, RECENT, *self.memories)
        self.keep: Floats = 1.0 - 1.0 / np.array(settings.memories)
        self.strengths: Floats = np.array(settings.strengths)
        self.n_remembered = len(settings.prior_memories)  # tracked priors that are averages
        self.rates: Floats = 1.0 / np.array([*settings.prior_memories, *settings.prior_runs])
        priors = ["", *(f", weights of the last {m:g}" for m in settings.prior_memories)]
        priors += [f", runs of {run:g}" for run in settings.prior_runs]
        smoothings = ("", ", smoother")[: len(settings.strengths)]
        names, models = ["any word", "word frequencies"], []
        for e, estimate in enumerate(self.estimates):
            # Only the models of topics that are read have tracked priors.
            n_priors = 1 if estimate in self.memories else len(priors)
            for s, smoothing in enumerate(smoothings):
                model = e * len(smoothings) + s
                first = len(self.estimates) + model * len(self.rates)  # of its tracked priors
                for p, prior in enumerate(priors[:n_priors]):
                    names.append(f"{estimate}{prior}{smoothing}")
                    models.append((model, first + p - 1 if p else e))
        names += [name + smoothing for name in finer_names(settings) for smoothing in smoothings]
        self.column = {name: i for i, name in enumerate(names)}
        # The model and the prior of each expert with topics, (n, 2), as `Stacked` numbers them.
        self.models: Ints = np.array(models)
        self.n_tracked = len((ALL, RECENT)) * len(smoothings) * len(self.rates)
        # A change is suspected if the topics of the window, or of a forgetting EM, predict better
        # than those of all documents, or the latter EM better than the window. Drift is only
        # reported by the topics of the window, which start from those of all documents.
        self.shortest = min(self.memories, key=lambda estimate: self.memories[estimate])
        self.rivals = self._pairs((RECENT, ALL))
        self.suspects = self._pairs((RECENT, ALL), (self.shortest, ALL), (self.shortest, RECENT))

    def _pairs(self, *pairs: tuple[str, str]) -> tuple[tuple[int, int], ...]:
        return tuple((self.column[rival], self.column[opponent]) for rival, opponent in pairs)


def table_of(known: Mapping[str, Any]) -> Table:
    """Return the table of a learner whose state is read."""
    return Table(known.get("settings", SETTINGS))


def same_names(state: Any, key: str, table: Table) -> list[str]:
    """Return the stored names of experts; raise `ValueError` unless they are those of the table.

    Weights, losses and priors are stored in the order of the experts: with other experts, or in
    another order, they would mean something else.
    """
    stored, names = take(state, key), list(table.column)
    if not isinstance(stored, list) or stored != names:
        listed = "; ".join(names)
        raise ValueError(f"{key} must be those of the experts of this version, in order: {listed}")
    return names


class ExpertLikelihoods(NamedTuple):
    """The experts' likelihoods of a block."""

    documents: Documents
    log_probs: Floats  # (n_docs, n_experts)
    topic_likelihoods: Floats  # P(words | topic) in a unit of each row's own, (n_docs, n_models, K)
    priors: Floats  # weights of the topics in each estimate, (n_estimates, K); then the tracked
    finer: FinerLikelihoods


class Experts(Saved):
    """The state of the experts: word counts, estimates, tracked priors, recent losses."""

    saved = fields(
        names=field(same_names, table=table_of),
        background=Background,
        estimates=field(Stacked, names=lambda known: table_of(known).estimates),
        priors=field(
            distributions,
            shape=lambda known: (table_of(known).n_tracked, known["n_topics"]),
            # `track_priors` leaves FLOOR / K in every entry; half of that allows for rounding.
            least=lambda known: 0.5 * FLOOR / known["n_topics"],
        ),
        losses=field(floats, shape=lambda known: (len(known["names"]),)),
        finer=FinerTopics,
    )

    def __init__(
        self, n_topics: int, n_words: int, seed: int = 0, settings: Settings = SETTINGS
    ) -> None:
        self.table, self._memory = Table(settings), settings.lately
        self.names = list(self.table.column)
        self.background = Background(n_words)
        self.estimates = Stacked(self.table.estimates, n_topics, n_words)
        self.priors: Floats = np.full((self.table.n_tracked, n_topics), 1.0 / n_topics)
        self.losses: Floats = np.zeros(len(self.names))  # exponentially decaying sums
        self.finer = FinerTopics(n_words, seed, settings)

    def loss(self, name: str) -> float:
        """Return the recent loss of an expert, or of an estimate with its own weights."""
        return float(self.losses[self.table.column[name]])

    def is_outdated(self, by: float) -> bool:
        """Whether the topics of all documents have a recent loss above the window's by a share."""
        return self.loss(ALL) > (1.0 + by) * self.loss(RECENT)

    def log_probs(self, block: Documents) -> ExpertLikelihoods:
        """Return the log-probability of each document by every expert."""
        # The order of `Table.models`: the estimates' own weights, which the kernel sets, then the
        # tracked priors.
        priors = np.empty((len(self.table.estimates) + len(self.priors), self.priors.shape[1]))
        priors[len(self.table.estimates) :] = self.priors
        rows = self.table.strengths, self.table.models, priors
        log_probs, topic_likelihoods = self.estimates.evaluate(block, self.background, rows)
        finer = self.finer.evaluate(block, self.background)
        log_probs = np.hstack([log_probs, finer.log_probs])
        return ExpertLikelihoods(block, log_probs, topic_likelihoods, priors, finer)

    def update_losses(self, log_probs: Floats) -> None:
        """Add the experts' losses on a block."""
        add_losses(self.losses, log_probs, 1.0 - 1.0 / self._memory)

    def learn(self, likelihoods: ExpertLikelihoods) -> None:
        """Update the word counts, the tracked priors and the forgetting EMs with a block."""
        self.track(likelihoods)
        self.background.add(likelihoods.documents)

    def track(self, likelihoods: ExpertLikelihoods) -> None:
        """Update the tracked priors and the forgetting EMs with a block."""
        table, (block, _, topic_likelihoods, priors, finer) = self.table, likelihoods
        track_priors(self.priors, table.rates, table.n_remembered, FLOOR, topic_likelihoods)
        self.estimates.learn(block, topic_likelihoods, priors, table.keep)
        self.finer.learn(block, self.background, finer)

    def restart(self) -> None:
        """Restart the forgetting EMs that predict worse from the topics that predict best."""
        leader = min((ALL, RECENT), key=self.loss)
        leading = self.estimates.view(leader)
        # An EM with memory m holds statistics of m documents (eq. 32); with more, it would keep its
        # start for longer than its memory.
        n = max(1.0, float(leading.totals[0].sum()))
        for name, memory in self.table.memories.items():
            # An EM that predicts better than the leading topics keeps what it has learned.
            if self.loss(name) >= self.loss(leader):
                scale = min(1.0, memory / n) * leading.scale
                self.estimates.replace(name, Statistics(leading.totals, leading.words, scale))

    def merge(self, others: Sequence[Self], shares: Floats) -> None:
        """Add word counts of others, and average recent losses by documents seen."""
        self.background.merge([other.background for other in others])
        self.losses = shares @ np.stack([one.losses for one in (self, *others)])

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words."""
        self.background.recode(new_ids, n_words)
        self.estimates.statistics.recode(new_ids, n_words)
        self.finer.stacked.statistics.recode(new_ids, n_words)


@in_place
def track_priors(
    priors: Floats, rates: Floats, n_forgetting: int, floor: float, topic_likelihoods: Floats
) -> None:
    """Update each prior, (n_models n_rates, K), with the posteriors r of the documents under it.

    The first n_forgetting are exponential averages: ``prior <- (1 - rate) prior + rate r``. The
    others assume that a topic stays for 1 / rate documents, as in a hidden Markov model: ``prior <-
    (1 - rate) r + rate / K``. A share `floor` of each is distributed equally.
    """
    n_topics = priors.shape[1]
    for i in range(len(topic_likelihoods)):
        for p in range(len(priors)):
            model, m, total = p // len(rates), p % len(rates), 0.0
            for k in range(n_topics):
                total += priors[p, k] * topic_likelihoods[i, model, k]
            # Both updates of eq. 28, with the floor, are prior * (keep + gain * chance) + equal.
            stays = m < n_forgetting
            keep = (1.0 - floor) * (1.0 - rates[m]) if stays else 0.0
            gain = (1.0 - floor) * (rates[m] if stays else 1.0 - rates[m]) / total
            equal = (floor + (0.0 if stays else (1.0 - floor) * rates[m])) / n_topics
            for k in range(n_topics):
                priors[p, k] = priors[p, k] * (keep + gain * topic_likelihoods[i, model, k]) + equal


@in_place
def add_losses(losses: Floats, log_probs: Floats, keep: float) -> None:
    """``losses[:] = losses * keep ** n_docs - log_probs.sum(axis=0)``."""
    # One decay per block: all its documents weigh the same, in any order.
    factor = keep ** len(log_probs)
    for e in range(len(losses)):
        losses[e] *= factor
    for i in range(len(log_probs)):
        for e in range(len(losses)):
            losses[e] -= log_probs[i, e]
