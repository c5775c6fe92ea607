"""Experts: the models that are mixed for prediction, as a table of data.

An estimate is a set of K topics, as sufficient statistics. An estimate with a smoothing strength is
a model, and a model with a prior over topics is an expert. Two further experts have no topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import distributions, floats, part
from spectralleader.documents import Documents
from spectralleader.em.columns import Columns, Smoothing
from spectralleader.em.statistics import Statistics
from spectralleader.learners.hedged.background import Background
from spectralleader.learners.hedged.estimates import Estimates
from spectralleader.learners.hedged.expert_kernels import add_losses, expert_log_probs, track_priors
from spectralleader.learners.hedged.settings import SETTINGS

ALL, RECENT = 0, 1  # the estimates of reservoir and window, whose topics are read
SAMPLE_NAMES = ("reservoir", "window")
N_ESTIMATES = len(SAMPLE_NAMES) + len(SETTINGS.memories)
N_PRIORS = len(SETTINGS.prior_memories) + len(SETTINGS.prior_runs)
STRENGTHS = np.array(SETTINGS.strengths)
KEEP = 1.0 - 1.0 / np.array(SETTINGS.memories)
RATES = 1.0 / np.array([*SETTINGS.prior_memories, *SETTINGS.prior_runs])
FLOOR = 1e-3  # share of each tracked prior that is distributed equally: no topic falls to 0


class Expert(NamedTuple):
    """A row of the table of experts."""

    name: str
    estimate: int  # -1 for the two experts without topics: uniform, and word frequencies
    strength: int = 0  # index in SETTINGS.strengths
    prior: int = -1  # tracked prior of the model; -1: the estimate's own weights


@cache
def expert_table() -> tuple[Expert, ...]:
    """Return all experts, in the order of their columns."""
    smoothings = ("", ", smoother")[: len(SETTINGS.strengths)]
    memories = [f", weights of the last {memory:g}" for memory in SETTINGS.prior_memories]
    priors = ["", *memories, *(f", runs of {run:g}" for run in SETTINGS.prior_runs)]
    followed = [
        Expert(f"{sample}{prior}{smoothing}", e, s, p - 1)
        for e, sample in enumerate(SAMPLE_NAMES)
        for s, smoothing in enumerate(smoothings)
        for p, prior in enumerate(priors)
    ]
    forgetting = [
        Expert(f"EM of the last {memory:g}{smoothing}", len(SAMPLE_NAMES) + e, s)
        for e, memory in enumerate(SETTINGS.memories)
        for s, smoothing in enumerate(smoothings)
    ]
    return Expert("any word", -1), Expert("word frequencies", -1), *followed, *forgetting


@cache
def expert_rows() -> Ints:
    """Return the model and the prior of each expert with topics, for kernels, (n, 2).

    Priors are numbered: the estimates' own weights, then the tracked ones of each model.
    """
    out = []
    for one in expert_table()[2:]:
        model = one.estimate * len(SETTINGS.strengths) + one.strength
        prior = one.estimate if one.prior < 0 else N_ESTIMATES + model * N_PRIORS + one.prior
        out.append((model, prior))
    return np.array(out)


@cache
def own_column(estimate: int) -> int:
    """Return the column of the expert that is an estimate with its own weights."""
    return [(e.estimate, e.strength, e.prior) for e in expert_table()].index((estimate, 0, -1))


class ExpertLikelihoods(NamedTuple):
    """The experts' likelihoods of a block."""

    documents: Documents
    log_probs: Floats  # (n_docs, n_experts)
    topic_likelihoods: Floats  # P(words | topic) in a unit of each row's own, (n_docs, n_models, K)
    weights: Floats  # of the topics in each estimate, (n_estimates, K); then all tracked priors


class Experts:
    """The state of the experts: word counts, estimates, tracked priors, recent losses."""

    def __init__(self, n_topics: int, n_words: int) -> None:
        self.background = Background(n_words)
        self.estimates = Estimates(N_ESTIMATES, n_topics, n_words)
        n_models = len(SAMPLE_NAMES) * len(STRENGTHS)  # whose priors are tracked
        self.priors: Floats = np.full((n_models * N_PRIORS, n_topics), 1.0 / n_topics)
        self.losses: Floats = np.zeros(len(expert_table()))  # exponentially decaying sums

    @property
    def n_words(self) -> int:
        """Current vocabulary size."""
        return len(self.background.seen)

    def smoothing(self, strength: float) -> Smoothing:
        """Return a smoothing by `strength` pseudo-words, distributed like the background."""
        return Smoothing(self.background.roots, self.background.n_roots, strength)

    def columns(self, estimate: int) -> Columns:
        """Return a view of the statistics of an estimate."""
        stacked, n_topics = self.estimates.stacked, self.estimates.n_topics
        return Columns(stacked.words, stacked.totals, estimate * n_topics, n_topics)

    def has_topics(self, estimate: int) -> bool:
        """Whether an estimate has any documents."""
        return bool(self.estimates.view(estimate).totals[0].any())

    def log_probs(self, block: Documents) -> ExpertLikelihoods:
        """Return the log-probability of each document by every expert."""
        arrays, estimates = (block.indptr, block.words, block.counts), self.estimates
        # The order of `expert_rows`: the estimates' own weights, which the kernel sets, then the
        # tracked priors.
        weights = np.empty((N_ESTIMATES + len(self.priors), estimates.n_topics))
        weights[N_ESTIMATES:] = self.priors
        statistics = (estimates.stacked.words, estimates.stacked.totals, estimates.scales)
        seen = (self.background.seen, self.background.n_seen)
        prior = (self.background.roots, self.background.n_roots)
        n, n_topics, n_models = block.n_docs, estimates.n_topics, N_ESTIMATES * len(STRENGTHS)
        out = (np.empty((n, len(self.losses))), np.empty((n, n_models, n_topics)))
        work = np.empty((5, len(STRENGTHS), N_ESTIMATES * n_topics))
        table = (weights, expert_rows())
        expert_log_probs(*arrays, *statistics, *seen, *prior, STRENGTHS, *table, work, *out)
        return ExpertLikelihoods(block, *out, weights)

    def update_losses(self, log_probs: Floats) -> None:
        """Add the experts' losses on a block."""
        add_losses(self.losses, log_probs, 1.0 - 1.0 / SETTINGS.lately)

    def learn(self, likelihoods: ExpertLikelihoods) -> None:
        """Update the word counts, the tracked priors and the forgetting EMs with a block."""
        self.track(likelihoods)
        self.background.add(likelihoods.documents)

    def track(self, likelihoods: ExpertLikelihoods) -> None:
        """Update the tracked priors and the forgetting EMs with a block."""
        track_priors(
            self.priors, RATES, len(SETTINGS.prior_memories), FLOOR, likelihoods.topic_likelihoods
        )
        self.estimates.learn(
            likelihoods.documents, likelihoods.topic_likelihoods, likelihoods.weights, KEEP
        )

    def restart(self) -> None:
        """Restart the forgetting EMs that predict worse from the topics that predict best."""
        leader = min(range(len(SAMPLE_NAMES)), key=lambda e: self.losses[own_column(e)])
        leading, best = self.estimates.view(leader), self.losses[own_column(leader)]
        # An EM with memory m holds statistics of m documents (eq. 32); with more, it would keep its
        # start for longer than its memory.
        n = max(1.0, float(leading.totals[0].sum()))
        for i, memory in enumerate(SETTINGS.memories):
            # An EM that predicts better than the leading topics keeps what it has learned.
            if self.losses[own_column(len(SAMPLE_NAMES) + i)] >= best:
                totals, words = leading.totals, leading.words
                started = Statistics(totals, words, min(1.0, memory / n) * leading.scale)
                self.estimates[len(SAMPLE_NAMES) + i] = started

    def merge(self, others: Sequence[Self], shares: Floats) -> None:
        """Add word counts of others, and average recent losses by documents seen."""
        self.background.merge([other.background for other in others])
        self.losses = shares @ np.stack([one.losses for one in (self, *others)])

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words."""
        self.background.recode(new_ids, n_words)
        self.estimates.stacked.recode(new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {
            "background": self.background.to_state(),
            "estimates": self.estimates.to_state(),
            "priors": self.priors.copy(),
            "losses": self.losses.copy(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int, n_words: int) -> Experts:
        """Return what `to_state` described, of that size."""
        background = Background.from_state(part(state, "background"), n_words)
        states = part(state, "estimates")
        estimates = Estimates.from_state(states, N_ESTIMATES, n_topics, n_words)
        experts = cls(n_topics, 1)
        experts.background, experts.estimates = background, estimates
        # `track_priors` leaves at least FLOOR / K in every entry; half of that allows for rounding.
        least = 0.5 * FLOOR / n_topics
        experts.priors = distributions(state, "priors", experts.priors.shape, least)
        experts.losses = floats(state, "losses", experts.losses.shape)
        return experts
