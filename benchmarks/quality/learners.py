"""Who is in the table of quality: ours with both vocabularies, and others on the counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln, psi
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning

from benchmarks.contenders import gsdmm
from benchmarks.quality.problem import Problem
from spectralleader import BatchEM, Documents, StepwiseEM, TextTopics, TopicModel
from spectralleader.arrays import Floats, Ints

BLOCK = 100  # documents per step of our learners, as in TextTopics
LDA_BLOCK = 1_000  # scikit-learn's LDA is several times slower in smaller blocks
BOUND_ITERATIONS = 30  # of LDA's variational parameters; 100 change nats per word by less than 0.01
ASKED = 1_000  # documents given topics at once; bounds the memory, K numbers per word
BATCH_STARTS, BATCH_ITERATIONS = 1, 50  # instead of 3 and 200, which take minutes with K = 100
NMF_ITERATIONS = 50  # instead of 200, for the same reason


@dataclass(frozen=True)
class Run:
    """What is learned: documents in an order, a number of topics, a seed."""

    problem: Problem
    order: Ints  # rows
    n_topics: int
    seed: int

    @property
    def documents(self) -> Documents:
        """The counted documents to learn, without empty ones."""
        counted = self.problem.documents[self.order]
        return counted[np.flatnonzero(counted.lengths > 0)]

    @property
    def judged(self) -> Documents:
        """The counted documents that every learner gives a topic."""
        return self.problem.documents[self.problem.judged]

    @property
    def held_out(self) -> Documents:
        """The counted documents that nobody learns."""
        return self.problem.documents[self.problem.held_out]


@dataclass(frozen=True)
class Fit:
    """A learner ready to be timed, and what to ask it afterwards."""

    learn: Callable[[], object]
    topics: Callable[[], Ints]  # the most probable topic of each judged document
    nats: Callable[[], float] | None = None  # held-out log-probability per known word


def text_topics(run: Run, *, grows: bool) -> Fit:
    """TextTopics with its defaults; the vocabulary grows, or is the counted one."""
    problem = run.problem
    vocabulary = None if grows else problem.vocabulary
    own = TextTopics(run.n_topics, vocabulary=vocabulary, words=problem.words, seed=run.seed)
    texts = [problem.texts[row] for row in run.order]

    def topics() -> Ints:
        texts = [problem.texts[row] for row in problem.judged]
        blocks = (texts[start : start + ASKED] for start in range(0, len(texts), ASKED))
        return np.concatenate([likeliest(own.posterior(block)) for block in blocks])

    def nats() -> float:
        held_out = [problem.texts[row] for row in problem.held_out]
        return per_word(own.log_prob(held_out), own.count(held_out))

    return Fit(lambda: own.learn(texts), topics, nats)


def stepwise_em(run: Run) -> Fit:
    """Our online EM, with its defaults."""
    documents = run.documents
    learner = StepwiseEM(run.n_topics, n_words=documents.n_words, seed=run.seed)

    def learn() -> TopicModel:
        for block in documents.blocks(BLOCK):
            learner.learn(block)
        return learner.model

    return of_model(run, learn)


def batch_em(run: Run) -> Fit:
    """Our offline EM; it does not depend on the order."""
    documents = run.documents
    learner = BatchEM(
        run.n_topics,
        n_words=documents.n_words,
        seed=run.seed,
        n_restarts=BATCH_STARTS,
        n_iterations=BATCH_ITERATIONS,
    )
    return of_model(run, lambda: learner.fit(documents).model)


def sampled(run: Run) -> Fit:
    """GSDMM; topics are read from its model, for documents that it learned and others alike."""
    documents = run.documents
    return of_model(run, lambda: gsdmm.fit(documents, run.n_topics, seed=run.seed))


def of_model(run: Run, learn: Callable[[], TopicModel]) -> Fit:
    """Return what to ask a learner of single-topic models."""
    found: list[TopicModel] = []

    def topics() -> Ints:
        blocks = run.judged.blocks(ASKED)
        return np.concatenate([likeliest(found[-1].posterior(block)) for block in blocks])

    def nats() -> float:
        return per_word(found[-1].log_prob(run.held_out), run.held_out)

    return Fit(lambda: found.append(learn()), topics, nats)


def lda(run: Run) -> Fit:
    """scikit-learn's online LDA, one pass of `partial_fit` in blocks."""
    learned = as_matrix(run.documents)
    n_docs = learned.shape[0]
    model = LatentDirichletAllocation(run.n_topics, total_samples=n_docs, random_state=run.seed)

    def learn() -> None:
        for start in range(0, n_docs, LDA_BLOCK):
            model.partial_fit(learned[start : start + LDA_BLOCK])

    def topics() -> Ints:
        return likeliest(model.transform(as_matrix(run.judged)))

    def nats() -> float:
        return per_word(lda_bound(model, run.held_out), run.held_out)

    return Fit(learn, topics, nats)


def lda_bound(model: LatentDirichletAllocation, documents: Documents) -> Floats:
    """Return the variational lower bound of each document's log-probability, topics at their mean.

    `score` of scikit-learn also charges for the uncertainty of the topics, which no other learner
    here is charged for. The variational parameters are our own: with 100 topics those of
    `transform` miss 2 to 19 % of the words, whose sums over topics are below the epsilon that
    scikit-learn adds, and the bound of sessions would be -10.9 nats per word instead of -8.3.
    """
    alpha, n_topics = model.doc_topic_prior_, model.n_components
    topics = (model.components_ / model.components_.sum(axis=1, keepdims=True)).T  # (d, K)
    rows = np.repeat(np.arange(documents.n_docs), np.diff(documents.indptr))
    total = n_topics * alpha + documents.lengths
    ratios = as_matrix(documents)
    gamma = np.repeat((total / n_topics)[:, None], n_topics, axis=1)
    for _ in range(BOUND_ITERATIONS):
        shares = np.exp(psi(gamma) - psi(total)[:, None])
        by_entry = np.einsum("ek,ek->e", shares[rows], topics[documents.words])
        ratios.data = documents.counts / by_entry
        gamma = alpha + shares * (ratios @ topics)
    logs = psi(gamma) - psi(total)[:, None]
    by_entry = np.einsum("ek,ek->e", np.exp(logs)[rows], topics[documents.words])
    fit = np.bincount(rows, documents.counts * np.log(by_entry), minlength=documents.n_docs)
    prior = gammaln(n_topics * alpha) - n_topics * gammaln(alpha) - gammaln(total)
    bound: Floats = fit + prior + (gammaln(gamma) + (alpha - gamma) * logs).sum(axis=1)
    return bound


def nmf(run: Run) -> Fit:
    """scikit-learn's NMF; a document's topic accounts for most of its words."""
    learned = as_matrix(run.documents)
    model = NMF(run.n_topics, max_iter=NMF_ITERATIONS, random_state=run.seed)

    def learn() -> None:
        with capped():
            model.fit(learned)

    def topics() -> Ints:
        with capped():
            shares = model.transform(as_matrix(run.judged))
        return likeliest(shares * model.components_.sum(axis=1))

    return Fit(learn, topics)


@contextmanager
def capped() -> Iterator[None]:
    """Ignore the warnings of too few iterations: the page states the cap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def k_means(run: Run) -> Fit:
    """scikit-learn's MiniBatchKMeans on the counts."""
    learned = as_matrix(run.documents)
    model = MiniBatchKMeans(run.n_topics, random_state=run.seed)

    def topics() -> Ints:
        return np.array(model.predict(as_matrix(run.judged)), np.int64)

    return Fit(lambda: model.fit(learned), topics)


def as_matrix(documents: Documents) -> sp.csr_matrix:
    """Return the counts as scikit-learn takes them: own memory, floats, 32-bit indices."""
    entries = (documents.counts.copy(), documents.words.copy(), documents.indptr.astype(np.int32))
    return sp.csr_matrix(entries, shape=(documents.n_docs, documents.n_words))


def likeliest(shares: Floats) -> Ints:
    """Return the topic with the largest share of each document."""
    return np.array(shares.argmax(axis=1), np.int64)


def per_word(logs: Floats, documents: Documents) -> float:
    """Return the log-probability of documents, divided by all their words."""
    return float(logs.sum() / documents.lengths.sum())


@dataclass(frozen=True)
class Contender:
    """A learner, and in how many of the orders and from how many of the seeds it is run."""

    name: str
    start: Callable[[Run], Fit]
    most_orders: int = 2  # the given one and one shuffle
    most_seeds: int = 2
    is_ours: bool = False


GROWING, COUNTED = "TextTopics, growing", "TextTopics, counted"  # their vocabularies
STEPWISE, BATCH = "StepwiseEM", "BatchEM (offline)"
LDA, K_MEANS, NMF_NAME, GSDMM = "scikit-learn LDA", "MiniBatchKMeans", "NMF", "GSDMM (offline)"
EVERY = 10**6  # as many as there are
CONTENDERS = (
    Contender(GROWING, partial(text_topics, grows=True), EVERY, EVERY, is_ours=True),
    Contender(COUNTED, partial(text_topics, grows=False), EVERY, EVERY, is_ours=True),
    Contender(STEPWISE, stepwise_em, is_ours=True),
    Contender(BATCH, batch_em, most_orders=1, is_ours=True),
    Contender(GSDMM, sampled, most_orders=1),
    Contender(LDA, lda, most_orders=1),
    Contender(NMF_NAME, nmf, most_orders=1, most_seeds=1),
    Contender(K_MEANS, k_means),
)
