"""Rehearsals: the learner's kernels used on nothing that counts, in two parts.

On first use two processes compile a part each, which take about equally long (see
`runtime.first_use`). A kernel that neither part uses is compiled afterwards, alone: that costs
time, nothing else.
"""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.visits import Smoothing
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.experts import ALL
from spectralleader.learners.hedged.leader import HedgedLeader
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.race import fit, judge, random, set_out, spectral
from spectralleader.models.matching import assign
from spectralleader.models.merging import merge_topics

N_DOCS, N_WORDS, NEVER = 60, 400, 10**9


def rehearse_starts() -> None:
    """Use the kernels that only new starts have: the spectral one, merged and matched topics.

    And those of mixing and drift, which the other process then finds compiled.
    """
    documents, chances = sample_documents(), np.zeros((2, 2))
    Mixing(2).update(chances)
    Drift(((1, 0),)).update(chances, 0)
    start = spectral(documents.take(np.arange(N_DOCS)), 2, 0.0, 0)
    merge_topics(start.words, 1)
    assign(np.eye(2), np.arange(2))


def rehearse_steps() -> None:
    """Use the kernels of EM, which have much in common, and of all else in a step."""
    documents, rng = sample_documents(), np.random.default_rng(0)
    course = set_out(documents, Smoothing(np.ones(N_WORDS), float(N_WORDS), 1.0), rng)
    start = fit(course, random(course.fitted, 2, rng))
    judge(course, start)
    leader = HedgedLeader(2, n_words=N_WORDS)
    leader._refit._next_race = NEVER
    for block in documents.blocks(N_DOCS // 2):
        leader.predictive.log_prob(block)
        leader.learn(block)
    leader._refit._restart(ALL, leader._experts.estimates[ALL], leader._experts)
    _ = leader.model


def sample_documents() -> Documents:
    """Return documents of a few words each."""
    tokens = np.random.default_rng(0).integers(N_WORDS, size=(N_DOCS, 8))
    return Documents.from_tokens(tokens, N_WORDS)
