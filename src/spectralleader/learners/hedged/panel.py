"""Panel: the candidates at work, and how much each is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.states import distributions, floats, part, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics, match
from spectralleader.learners.hedged.background import Background, smooth
from spectralleader.learners.hedged.candidates import (
    FORGETTING,
    MEMORIES,
    OWN,
    PRIOR_MEMORIES,
    PRIOR_RUNS,
    SAMPLES,
    STRENGTHS,
    candidates,
)
from spectralleader.learners.hedged.foresight import likelihoods, log_probs
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.tables import Tables
from spectralleader.learners.hedged.tracking import FLOOR, PriorTracking
from spectralleader.models import TopicModel

N_POLISHED = len(SAMPLES)
N_ESTIMATES = N_POLISHED + len(MEMORIES)
LATELY = 2000  # documents that recent losses are of


class Foreseen(NamedTuple):
    """What the candidates say of a block."""

    documents: Documents
    log_probs: Floats  # (n_docs, n_candidates)
    chances: Floats  # P(words | topic) in a unit of each row's own, (n_docs, n_models, K)
    weights: Floats  # of the topics in each estimate, (n_estimates, K)


class Panel:
    """Estimates of topics and the candidates made of them, mixed by how well they predict.

    The first estimates, one a sample, are polished and stay until they are replaced; their weights
    are tracked. The others are EMs that forget, each at its rate. A model is an estimate at a
    strength of smoothing, and a candidate a model with one of its priors.
    """

    def __init__(self, n_topics: int, n_words: int) -> None:
        self.background = Background(n_words)
        self.tables = Tables(N_ESTIMATES, n_topics, n_words)
        n_tracked = N_POLISHED * len(STRENGTHS)
        self.tracking = PriorTracking(n_topics, PRIOR_MEMORIES, PRIOR_RUNS, n_tracked)
        self.mixing = Mixing(len(candidates()))
        self.losses: Floats = np.zeros(len(candidates()))  # of late, decaying
        self.lead = self.since = 0  # the sample whose topics lead, and documents before that

    @property
    def n_words(self) -> int:
        """Vocabulary size, at present."""
        return len(self.background.seen)

    @property
    def strength(self) -> float:
        """Words of background that polished topics have."""
        return STRENGTHS[0] * self.n_words

    def foresee(self, block: Documents) -> Foreseen:
        """Ask every candidate for the block's probability."""
        arrays = (block.indptr, block.words, block.counts)
        seen, tables = (self.background.seen, self.background.n_seen), self.tables
        table = (tables.words, tables.totals, tables.scales)
        chances, units = likelihoods(*arrays, *table, *seen, self.n_words * np.array(STRENGTHS))
        weights = tables.weights
        columns = log_probs(*arrays, *seen, chances, units, weights, self.tracking.priors)
        return Foreseen(block, columns, chances, weights)

    def count(self, block: Documents) -> None:
        """Count the words of a block."""
        self.background.add(block)

    def follow(self, foreseen: Foreseen) -> None:
        """Let the tracked weights and the EMs that forget learn a block."""
        block, _, chances, weights = foreseen
        self.tracking.update(chances)
        gains = self.tables.forget(N_POLISHED, MEMORIES, block.n_docs)
        self.tables.add(block, chances, weights, gains)

    def weigh(self, foreseen: Foreseen) -> None:
        """Weigh the candidates by what they said of a block."""
        columns = foreseen.log_probs
        self.mixing.update(columns)
        kept = self.losses * (1.0 - 1.0 / LATELY) ** len(columns)
        self.losses = kept - columns.sum(axis=0)
        lead = int(self.losses[OWN[1]] < self.losses[OWN[0]])
        if lead != self.lead:
            self.lead, self.since = lead, self.mixing.n_docs

    @property
    def drift(self) -> float:
        """Nats a document that the window's topics predict better of late."""
        n = LATELY * (1.0 - (1.0 - 1.0 / LATELY) ** self.mixing.n_docs)  # that the losses are of
        return float((self.losses[OWN[0]] - self.losses[OWN[1]]) / max(n, 1.0))

    def model(self) -> TopicModel:
        """Return the leading polished topics, smoothed."""
        return smooth(self.tables.view(self.lead), self.background.words, self.strength)

    def replace(self, i: int, statistics: Statistics) -> None:
        """Take other polished topics, in the order that best matches those of the reservoir."""
        self.tables[i] = statistics.reorder(match(statistics, self.tables[0]))

    def restart(self) -> None:
        """Start the EMs that fall behind from the leading polished topics."""
        leading, best = self.tables[self.lead], self.losses[OWN[self.lead]]
        n = max(1.0, float(leading.totals[0].sum()))
        for i, memory in enumerate(MEMORIES.tolist()):
            if self.losses[FORGETTING[i]] >= best:
                share = min(1.0, memory / n)
                started = Statistics(share * leading.totals, share * leading.words)
                self.tables[N_POLISHED + i] = started

    def merge(self, others: Sequence[Self]) -> None:
        """Add others' word counts; take means of weights and late losses, by documents seen.

        Tracked weights and estimates have no sum: they stay, and may `follow` others' documents.
        """
        parts = (self, *others)
        n_of_each = np.array([part.mixing.n_docs for part in parts])
        self.losses = n_of_each / n_of_each.sum() @ np.stack([part.losses for part in parts])
        self.lead = int(self.losses[OWN[1]] < self.losses[OWN[0]])
        n_led = sum(part.mixing.n_docs - part.since for part in parts if part.lead == self.lead)
        self.since = int(n_of_each.sum()) - n_led
        self.background.merge([other.background for other in others])
        self.mixing.merge([other.mixing for other in others])

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words."""
        self.background.recode(new_ids, n_words)
        self.tables.recode(new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return all there is to it."""
        return {
            "background": self.background.to_state(),
            "tables": self.tables.to_state(),
            "priors": self.tracking.priors.copy(),
            "mixing": self.mixing.to_state(),
            "losses": self.losses.copy(),
            "lead": self.lead,
            "since": self.since,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], n_topics: int, n_words: int) -> Panel:
        """Rebuild what `to_state` described, of that size."""
        background = Background.from_state(part(state, "background"), n_words)
        tables = Tables.from_state(part(state, "tables"), N_ESTIMATES, n_topics, n_words)
        panel, n_candidates = cls(n_topics, 1), len(candidates())
        panel.background, panel.tables = background, tables
        shape, least = panel.tracking.priors.shape, 0.5 * FLOOR / n_topics
        panel.tracking.priors = distributions(state, "priors", shape, least)
        panel.mixing = Mixing.from_state(part(state, "mixing"), n_candidates)
        panel.losses = floats(state, "losses", (n_candidates,))
        panel.lead = whole(state, "lead", 0, 1)
        panel.since = whole(state, "since", 0, panel.mixing.n_docs)
        return panel
