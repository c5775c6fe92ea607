"""Experts: the models that are mixed for prediction, as a table of data.

An estimate is a set of K topics, as sufficient statistics. An estimate with a smoothing strength is
a model, and a model with a prior over topics is an expert. Two further experts have no topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import LARGEST, distributions, floats
from spectralleader.documents import Documents
from spectralleader.em.columns import Columns, Smoothing, add_document
from spectralleader.em.statistics import SMALLEST_SCALE, Statistics
from spectralleader.learners.hedged.background import Background
from spectralleader.learners.hedged.expert_kernels import add_losses, expert_log_probs, track_priors
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.runtime.compiled import in_place


class Estimates(Saved):
    """Sufficient statistics of several estimates of K topics, with one row per word.

    Estimate i is `scales[i]` times the columns i K to (i + 1) K. All estimates can thus be
    evaluated in one pass over a document, and each can decay at its own rate.
    """

    saved = fields(
        scales=field(floats, shape=("n_tables",), least=SMALLEST_SCALE, most=1.0),
        stacked=field(
            Statistics,
            n_topics=lambda known: known["n_tables"] * known["n_topics"],
            most=LARGEST / SMALLEST_SCALE,  # as they are: each is smaller by its scale
        ),
    )

    def __init__(self, n_tables: int, n_topics: int, n_words: int) -> None:
        self.n_topics = n_topics
        self.scales: Floats = np.ones(n_tables)
        self.stacked = Statistics.zero(n_tables * n_topics, n_words)

    def view(self, i: int) -> Statistics:
        """Return a view of the statistics of estimate i."""
        at = slice(i * self.n_topics, (i + 1) * self.n_topics)
        return Statistics(
            self.stacked.totals[:, at], self.stacked.words[:, at], float(self.scales[i])
        )

    def __getitem__(self, i: int) -> Statistics:
        """Return a copy of the statistics of estimate i, with scale 1."""
        shared = self.view(i)
        return Statistics(shared.scale * shared.totals, shared.scale * shared.words)

    def __setitem__(self, i: int, statistics: Statistics) -> None:
        """Replace estimate i."""
        shared = self.view(i)
        shared.totals[:], shared.words[:] = statistics.totals, statistics.words
        self.scales[i] = statistics.scale

    def learn(
        self, documents: Documents, topic_likelihoods: Floats, weights: Floats, keep: Floats
    ) -> None:
        """Let the last ``len(keep)`` estimates decay and learn documents.

        Each is multiplied by ``keep ** n_docs``. The topic likelihoods are P(words | topic) of each
        model, up to a factor per row, (n_docs, n_models, K); the first model of an estimate is its
        own.
        """
        smallest = learn_posteriors(
            documents.indptr,
            documents.words,
            documents.counts,
            self.stacked.words,
            self.stacked.totals,
            self.scales,
            topic_likelihoods,
            weights,
            keep,
            np.empty((2, len(keep) * self.n_topics)),  # room to work in
        )
        if smallest < SMALLEST_SCALE:
            # A pass over the vocabulary, but a rare one: before any lazy scale underflows.
            factors = np.repeat(self.scales, self.n_topics)
            self.stacked.totals[:] *= factors
            self.stacked.words[:] *= factors
            self.scales[:] = 1.0

    def _loaded(self) -> None:
        factors = np.repeat(self.scales, self.n_topics)
        if (factors * self.stacked.totals > LARGEST).any():
            raise ValueError(f"estimates must have at most {LARGEST:g} documents and words")


@in_place
def learn_posteriors(
    indptr: Ints,
    words: WordIds,
    counts: Floats,
    table: Floats,
    totals: Floats,
    scales: Floats,
    topic_likelihoods: Floats,
    weights: Floats,
    keep: Floats,
    room: Floats,
) -> float:
    """``table += gain * X.T @ r`` and ``totals += gain * [1, lengths] @ r`` of the last estimates.

    ``r = weights * topic_likelihoods``, divided by its sum. `room` is to work in, two numbers per
    topic of these estimates. Returns the smallest scale.
    """
    n, n_topics = len(indptr) - 1, weights.shape[1]
    n_tables, n_strengths = len(scales), topic_likelihoods.shape[1] // len(scales)
    first = n_tables - len(keep)
    row, gains = room[0], room[1]
    columns = Columns(table, totals, first * n_topics, len(row))
    for g in range(len(keep)):
        # kappa of eq. 32, with b = n documents.
        kept = keep[g] ** n
        scales[first + g] *= kept
        # (1 - kappa) m / b for each document, with m = 1 / (1 - keep), relative to the lazy scale.
        gains[g] = (1.0 - kept) / (1.0 - keep[g]) / n / scales[first + g]
    for i in range(n):
        for g in range(len(keep)):
            # The models of an estimate are side by side; responsibilities are those of the first.
            model, total = (first + g) * n_strengths, 0.0
            for k in range(n_topics):
                row[g * n_topics + k] = weights[first + g, k] * topic_likelihoods[i, model, k]
            for k in range(n_topics):  # a loop of its own, see `compiled.kernel`
                total += row[g * n_topics + k]
            for k in range(n_topics):
                row[g * n_topics + k] *= gains[g] / total
        # The columns of these estimates are adjacent: one pass over a document updates all.
        add_document(indptr[i], indptr[i + 1], words, counts, row, 1.0, 0.0, columns)
    smallest = scales[0]
    for t in range(n_tables):  # compared, not `min`, as in `safe_length`
        if scales[t] < smallest:
            smallest = scales[t]
    return float(smallest)


ALL, RECENT = 0, 1  # the estimates of reservoir and window, whose topics are read
SAMPLE_NAMES = ("reservoir", "window")
N_ESTIMATES = len(SAMPLE_NAMES) + len(SETTINGS.memories)
N_PRIORS = len(SETTINGS.prior_memories) + len(SETTINGS.prior_runs)
STRENGTHS = np.array(SETTINGS.strengths)
N_TRACKED = len(SAMPLE_NAMES) * len(STRENGTHS) * N_PRIORS  # priors
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


class Experts(Saved):
    """The state of the experts: word counts, estimates, tracked priors, recent losses."""

    saved = fields(
        background=Background,
        estimates=field(Estimates, n_tables=N_ESTIMATES),
        priors=field(
            distributions,
            shape=(N_TRACKED, "n_topics"),
            # `track_priors` leaves FLOOR / K in every entry; half of that allows for rounding.
            least=lambda known: 0.5 * FLOOR / known["n_topics"],
        ),
        losses=field(floats, shape=(len(expert_table()),)),
    )

    def __init__(self, n_topics: int, n_words: int) -> None:
        self.background = Background(n_words)
        self.estimates = Estimates(N_ESTIMATES, n_topics, n_words)
        self.priors: Floats = np.full((N_TRACKED, n_topics), 1.0 / n_topics)
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
        estimates, background = self.estimates, self.background
        # The order of `expert_rows`: the estimates' own weights, which the kernel sets, then the
        # tracked priors.
        weights = np.empty((N_ESTIMATES + len(self.priors), estimates.n_topics))
        weights[N_ESTIMATES:] = self.priors
        n, n_topics, n_models = block.n_docs, estimates.n_topics, N_ESTIMATES * len(STRENGTHS)
        out = (np.empty((n, len(self.losses))), np.empty((n, n_models, n_topics)))
        expert_log_probs(
            block.indptr,
            block.words,
            block.counts,
            estimates.stacked.words,
            estimates.stacked.totals,
            estimates.scales,
            background.seen,
            background.n_seen,
            background.roots,
            background.n_roots,
            STRENGTHS,
            weights,
            expert_rows(),
            np.empty((5, len(STRENGTHS), N_ESTIMATES * n_topics)),  # room to work in
            *out,
        )
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
