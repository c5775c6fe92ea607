"""Rehearsals: the learner's kernels used on nothing that counts, in parts.

On first use two processes compile a part after the other (see `runtime.first_use`). A kernel that
no part uses is compiled afterwards, alone: that costs time, nothing else.
"""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.columns import Smoothing
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.experts import ALL, N_ESTIMATES, STRENGTHS, Asked, Experts
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.race import fit, judge, random, set_out, spectral
from spectralleader.learners.hedged.sample_em import Followed
from spectralleader.models.matching import assign
from spectralleader.models.merging import merge_topics
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.samples import Reservoir, Window

N_DOCS, N_WORDS = 60, 400


def rehearse_em() -> None:
    """Use the kernels of EM, which have much in common, and of the experts, which have it too."""
    documents, rng = sample_documents(), np.random.default_rng(0)
    smoothing, start = Smoothing(np.ones(N_WORDS), float(N_WORDS), 1.0), random(documents, 2, rng)
    course = set_out(documents, smoothing, rng)
    judge(course, fit(course, random(course.fitted, 2, rng)))
    experts, sample = Experts(2, N_WORDS), Window(N_DOCS, n_words=N_WORDS)
    followed, columns = Followed(sample, 2), experts.columns(ALL)
    followed.learn(documents, columns, smoothing, 1.0)
    followed.restart(start.columns, columns, smoothing, 1)
    experts.log_probs(documents)


def rehearse_starts() -> None:
    """Use the kernels that only new starts have: the spectral one, merged and matched topics."""
    documents = sample_documents()
    start = spectral(documents.take(np.arange(N_DOCS)), 2, 0.0, 0)
    few_words = Documents.from_tokens(np.zeros((N_DOCS, 8), np.int64), 1)
    pair_operator(few_words)  # whose pairs are summed
    merge_topics(start.words, 1)
    assign(np.eye(2), np.arange(2))


def rehearse_steps() -> None:
    """Use the kernels of a step but for those of EM and the experts."""
    documents, experts = sample_documents(), Experts(2, N_WORDS)
    log_probs = np.zeros((N_DOCS, len(experts.losses)))
    chances = np.ones((N_DOCS, N_ESTIMATES * len(STRENGTHS), 2))
    experts.judge(log_probs)
    experts.learn(Asked(documents, log_probs, chances, np.ones((N_ESTIMATES, 2))))
    smooth(experts.columns(ALL), experts.background.prior, 1.0)
    Reservoir(N_DOCS // 2, n_words=N_WORDS).add(documents)
    mixing = Mixing(len(experts.losses))
    mixing.update(log_probs)
    mixing.log_prob(log_probs)
    Drift(((1, 0),)).update(log_probs, 0)


def sample_documents() -> Documents:
    """Return documents of a few words each."""
    tokens = np.random.default_rng(0).integers(N_WORDS, size=(N_DOCS, 8))
    return Documents.from_tokens(tokens, N_WORDS)
