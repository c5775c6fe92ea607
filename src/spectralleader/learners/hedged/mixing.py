"""Mixing: experts weighted by their past likelihoods, with fixed share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import distributions, whole
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.runtime.compiled import in_place


def least_weight(known: Mapping[str, Any]) -> float:
    """Return half of what fixed share leaves to each competitor: the other half is rounding."""
    return float(0.5 / ((known["n_docs"] + 1) * known["n_competitors"]))


class Mixing(Saved):
    """A mixture of experts that predicts nearly as well as the best expert in hindsight.

    There are two levels. The pool has mixture weights that maximise the likelihood of the mixture
    itself (online EM): several models may predict better together than each of them alone. Above
    it, the experts and the pool are weighted by their likelihoods (Bayes' rule), and after document
    t a share 1 / (t + 1) of all weight is distributed equally, so that a late winner can recover
    (fixed share; Herbster & Warmuth 1998). Because log-loss is mixable, the total loss over
    documents learned one at a time exceeds that of any expert by at most `price`.

    Examples
    --------
    >>> mixing = Mixing(2)
    >>> for _ in range(20):
    ...     mixing.update(np.log([[0.9, 0.3]]))  # P(document) by each expert
    >>> np.exp(mixing.log_prob(np.log([[0.9, 0.3]]))).round(2).tolist()
    [0.87]
    """

    saved = fields(
        n_docs=whole,
        pool=field(distributions, shape=("n_experts",), least=least_weight),
        weights=field(distributions, shape=("n_competitors",), least=least_weight),
    )

    def __init__(self, n_experts: int, settings: Settings = SETTINGS) -> None:
        self.pool: Floats = np.full(n_experts, 1.0 / n_experts)
        self.weights: Floats = np.full(n_experts + 1, 1.0 / (n_experts + 1))  # pool last
        self.n_docs = 0
        self._memory = settings.pool_memory

    @property
    def price(self) -> float:
        """Bound on the regret against the best expert so far, in nats.

        ``log(N) + sum_t -log(1 - 1/(t + 1)) = log(N) + log(t + 1)`` for N competitors.
        """
        return float(np.log(len(self.weights)) + np.log(self.n_docs + 1.0))

    def log_prob(self, log_probs: Floats) -> Floats:
        """Return the log-probability of each document, given those of the experts, (n_docs, n)."""
        out = np.empty(len(log_probs))
        mix(self.pool, self.weights, log_probs, out)
        return out

    def update(self, log_probs: Floats) -> None:
        """Update the weights with documents in order, given log-probabilities, (n_docs, n)."""
        weights, relative = (self.pool, self.weights), np.empty(len(self.weights))
        weigh(*weights, log_probs, float(self.n_docs), self._memory, relative)
        self.n_docs += len(log_probs)

    def merge(self, others: Sequence[Self]) -> None:
        """Average the weights of mixtures of the same experts, by documents seen.

        The prediction of the average is the average of the predictions.
        """
        parts = (self, *others)
        shares = np.array([part.n_docs for part in parts]) / sum(part.n_docs for part in parts)
        self.pool = shares @ np.stack([part.pool for part in parts])
        self.weights = shares @ np.stack([part.weights for part in parts])
        self.n_docs = sum(part.n_docs for part in parts)

    @property
    def shares(self) -> Floats:
        """Total weight of each expert, alone and in the pool, (n,)."""
        return np.asarray(self.weights[:-1] + self.weights[-1] * self.pool)


@in_place
def mix(pool: Floats, weights: Floats, log_probs: Floats, out: Floats) -> None:
    """``out[:] = log(exp(log_probs) @ (weights[:-1] + weights[-1] * pool))``, no underflow."""
    n = len(pool)
    for i in range(len(log_probs)):
        # Log-sum-exp: relative to the best expert, at least one term is 1, whatever the length.
        largest = log_probs[i, 0]
        for c in range(log_probs.shape[1]):
            largest = log_probs[i, c] if log_probs[i, c] > largest else largest
        total = 0.0
        for c in range(n):
            # Eq. 29: the pool is a mixture of the experts, so that both levels are one mixture.
            share = weights[c] + weights[n] * pool[c]
            total += share * np.exp(log_probs[i, c] - largest)
        out[i] = largest + np.log(total)


@in_place
def weigh(
    pool: Floats, weights: Floats, log_probs: Floats, n_docs: float, memory: float, relative: Floats
) -> None:
    """Update both levels by one document after the other; `relative` is room for n + 1 numbers."""
    n = len(pool)
    for i in range(len(log_probs)):
        largest = log_probs[i, 0]
        for c in range(log_probs.shape[1]):
            largest = log_probs[i, c] if log_probs[i, c] > largest else largest
        mixed = 0.0
        for c in range(n):
            relative[c] = np.exp(log_probs[i, c] - largest)
        for c in range(n):  # sums have loops of their own, see `compiled.kernel`
            mixed += pool[c] * relative[c]
        # P_0 of eq. 29, before the pool is updated: the pool competes with what it predicted.
        relative[n] = mixed
        t = n_docs + i + 1.0
        # alpha_t of eq. 30; the step size eta_t does not fall below 1 / memory.
        share = 1.0 / (t + 1.0)
        step = share if t + 1.0 < memory else 1.0 / memory
        for c in range(n):
            # Online EM: pi_c P_c / P_0 is the responsibility of expert c.
            pool[c] *= 1.0 - step + step * relative[c] / mixed
        # The weights already sum to 1, but their rounding errors would accumulate over the stream.
        total = 0.0
        for c in range(n):
            total += pool[c]
        for c in range(n):
            pool[c] = pool[c] * ((1.0 - share) / total) + share / n
        # Eq. 30: Bayes' rule, then fixed share, which keeps every weight positive.
        total = 0.0
        for c in range(n + 1):
            weights[c] *= relative[c]
        for c in range(n + 1):
            total += weights[c]
        for c in range(n + 1):
            weights[c] = (1.0 - share) * weights[c] / total + share / (n + 1)
