"""Warm-up: calls of all kernels of the learner on made-up documents, in parts.

On first use two processes compile one part after the other (see `runtime.first_use`). A kernel that
no part calls is compiled afterwards by a single process, which only costs time.
"""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.columns import Smoothing
from spectralleader.learners.hedged.background import smooth
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.experts import (
    ALL,
    N_ESTIMATES,
    STRENGTHS,
    ExpertLikelihoods,
    Experts,
)
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.race import (
    fit,
    random_start,
    score,
    spectral_start,
    split_documents,
)
from spectralleader.learners.hedged.sample_em import SampleEM
from spectralleader.models.matching import assign
from spectralleader.models.merging import merge_topics
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.samples import Reservoir, Window

N_DOCS, N_WORDS = 60, 400


def warm_up_em() -> None:
    """Call the kernels of EM and of the experts, which share many functions."""
    documents, rng = sample_documents(), np.random.default_rng(0)
    smoothing = Smoothing(np.ones(N_WORDS), float(N_WORDS), 1.0)
    start = random_start(documents, 2, rng)
    experts = Experts(2, N_WORDS)
    split = split_documents(documents, experts.background, rng)
    score(split, fit(split, random_start(split.train, 2, rng)), smoothing)
    sample = Window(N_DOCS, n_words=N_WORDS)
    sample_em, columns = SampleEM(sample, 2, keeps=False), experts.columns(ALL)
    sample_em.learn(documents, columns, smoothing, 1.0)
    sample_em.restart(start.columns, columns, smoothing, 1)
    experts.log_probs(documents)


def warm_up_starts() -> None:
    """Call the kernels of new starts only: the spectral start, merged and matched topics."""
    documents = sample_documents()
    start = spectral_start(documents.take(np.arange(N_DOCS)), 2, 0)
    few_words = Documents.from_tokens(np.zeros((N_DOCS, 8), np.int64), 1)
    pair_operator(few_words)  # whose pairs are summed
    merge_topics(start.words, 1)
    assign(np.eye(2), np.arange(2))


def warm_up_steps() -> None:
    """Call the kernels of a step except those of EM and the experts."""
    documents, experts = sample_documents(), Experts(2, N_WORDS)
    log_probs = np.zeros((N_DOCS, len(experts.losses)))
    topic_likelihoods = np.ones((N_DOCS, N_ESTIMATES * len(STRENGTHS), 2))
    experts.update_losses(log_probs)
    experts.learn(
        ExpertLikelihoods(documents, log_probs, topic_likelihoods, np.ones((N_ESTIMATES, 2)))
    )
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
