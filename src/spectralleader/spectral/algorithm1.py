"""Algorithm 1 of the paper on one page: lines 1 to 5, with NumPy and `numpy.linalg` alone.

Written to be read beside the pseudocode, and slow: everything is recomputed from the documents,
with a dense document-word matrix. It is the oracle that the fast learner is tested against, and
shares no code with it. Lines 6 to 13 are the reservoir (document t > m replaces a random one of m
with probability m / (t - 1), as printed), see `learners.algorithm1`.

"Left open" marks decisions that the paper does not specify (docs/method.md, "Left open").
"""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, WordIds
from spectralleader.documents import Documents
from spectralleader.models import TopicModel

N_RESTARTS, N_ITERATIONS = 10, 30  # left open: restarts and iterations of the power method
AT_MOST = 10_000  # further iterations, for the starts that have not converged
# Left open: all starts this close to the best one continue, as a slower one may end higher.
CLOSE = 1e-2
TIE = 1e-9  # values this close are equal: the first one wins, whatever the rounding
STILL = 1e-13  # a unit vector that moves by less has converged
USABLE = 1e-10  # an eigenvalue below this share of the largest is rounding, not signal
NOTHING = 1e-12  # a lambda or a topic's mass below this carries no topic


def parameters(documents: Documents, n_topics: int, *, seed: int = 0) -> tuple[Floats, Floats]:
    """Return the weights omega, (k,), and the topics u, (k, d), exactly as line 5 defines them.

    They are estimates, not distributions: entries can be negative and need not sum to one. There
    are k <= K topics, fewer than K if the documents do not determine more.

    Examples
    --------
    >>> documents = Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2)
    >>> weights, topics = parameters(documents, n_topics=2)
    >>> weights.round(2).tolist(), abs(topics).round(2).tolist()
    ([0.33, 0.67], [[0.0, 1.0], [1.0, 0.0]])
    """
    X, known = count_matrix(documents)
    M2 = pairs(X)  # line 1
    W = whiten(M2, n_topics)  # line 2
    T = triples(X, W)  # line 3
    lambdas, v = power_iterations(T, n_topics, seed)  # line 4
    weights = 1.0 / lambdas**2  # line 5
    topics = np.zeros((len(lambdas), documents.n_words))
    topics[:, known] = lambdas[:, None] * (v @ np.linalg.pinv(W.T).T)
    return weights, topics


def count_matrix(documents: Documents) -> tuple[Floats, WordIds]:
    """Return the counts of the words that occur, (n_docs, n_known), and these words, (n_known,)."""
    known = np.union1d([0], documents.words)  # always word 0, so that there is a column
    X = np.zeros((documents.n_docs, len(known)))
    rows = np.repeat(np.arange(documents.n_docs), np.diff(documents.indptr))
    X[rows, np.searchsorted(known, documents.words)] = documents.counts
    return X, known


def pairs(X: Floats) -> Floats:
    """Return M2, (d, d): the mean over documents and their ordered pairs of distinct positions."""
    L = X.sum(axis=1)  # left open: other lengths than 3; shorter documents have no pairs
    g = (L >= 2) / np.maximum(L * (L - 1), 1.0) / max(1, (L >= 2).sum())
    return np.asarray(X.T @ (g[:, None] * X) - np.diag(g @ X))


def whiten(M2: Floats, n_topics: int) -> Floats:
    """Return W = U A^(-1/2), (d, k), from the K largest eigenvalues of M2 that are positive."""
    A, U = np.linalg.eigh(M2)  # in increasing order
    A, U = A[::-1][:n_topics], U[:, ::-1][:, :n_topics]
    usable = USABLE * A.max(initial=0.0) < A  # left open: fewer than K positive eigenvalues
    A, U = A[usable], U[:, usable]
    # left open: the sign of an eigenvector, which decides what the random starts of line 4 mean
    largest = (np.abs(U) > (1 - TIE) * np.abs(U).max(axis=0)).argmax(axis=0)
    return np.asarray(U * np.sign(U[largest, np.arange(len(A))]) / np.sqrt(A))


def triples(X: Floats, W: Floats) -> Floats:
    """Return T, (k, k, k): the mean over ordered triples of distinct positions, whitened."""
    L = X.sum(axis=1)
    g = (L >= 3) / np.maximum(L * (L - 1) * (L - 2), 1.0) / max(1, (L >= 3).sum())
    P = X @ W
    # all triples of positions, less those that use a position twice, plus those that use it thrice
    twice = np.einsum("wa,wb,wc->abc", W, W, X.T @ (g[:, None] * P))
    thrice = np.einsum("wa,wb,wc->abc", (g @ X)[:, None] * W, W, W)
    twice = twice + twice.transpose(0, 2, 1) + twice.transpose(2, 1, 0)
    return np.asarray(np.einsum("na,nb,nc->abc", g[:, None] * P, P, P) - twice + 2.0 * thrice)


def power_iterations(T: Floats, n_topics: int, seed: int) -> tuple[Floats, Floats]:
    """Return eigenvalues lambda, (k,), and eigenvectors v, (k, k), of ``T ~ sum lambda v^(x)3``.

    The robust tensor power method (Anandkumar et al. 2014): from every start iterate
    ``theta <- T(I, theta, theta)``, normalised; the start with the largest ``T(theta, theta,
    theta)`` gives v, and that value lambda; deflate T by ``lambda v^(x)3`` and repeat. Instead of a
    fixed number of further iterations from the best start, `climb` iterates to convergence.
    """
    rng = np.random.default_rng(seed)  # left open: the starts, here the same at every step t
    k, found = len(T), []
    for _ in range(k):
        theta = rng.standard_normal((N_RESTARTS, n_topics))[:, :k]
        theta = unit(theta)
        for _ in range(N_ITERATIONS):
            theta = unit(image(T, theta))
        values = (theta * image(T, theta)).sum(axis=1)
        theta = climb(T, theta[values >= values.max() - CLOSE * abs(values.max())])
        values = (theta * image(T, theta)).sum(axis=1)
        best = (values >= values.max() - TIE * abs(values.max())).argmax()
        value, v = values[best], theta[best]
        T = T - value * np.einsum("a,b,c->abc", v, v, v)
        if abs(value) > NOTHING:  # left open: lambda = 0; if negative, v flips and u is the same
            found.append((value, v))
    lambdas, vectors = [value for value, _ in found], [v for _, v in found]
    return np.array(lambdas), np.array(vectors).reshape(len(found), k)


def climb(T: Floats, theta: Floats) -> Floats:
    """Iterate theta to convergence. Left open: 30 further iterations are often not enough.

    With few documents T is not a sum of orthogonal components, and iterations can cycle around a
    maximum. Once the value decreases, ``theta <- T(I, theta, theta) + ||T|| theta`` is used: damped
    steps with the same fixed points.
    """
    shift, last = np.zeros((len(theta), 1)), np.full((len(theta), 1), -np.inf)
    for _ in range(AT_MOST):
        step = image(T, theta)
        value = (theta * step).sum(axis=1, keepdims=True)
        shift[value < last - 1e-12 * np.abs(last)] = np.linalg.norm(T)
        last, before, theta = value, theta, unit(step + shift * theta)
        if np.abs(theta - before).max(initial=0.0) < STILL:
            break
    return theta


def image(T: Floats, theta: Floats) -> Floats:
    """Return T(I, theta, theta) for each row of theta."""
    return np.asarray(np.einsum("abc,nb,nc->na", T, theta, theta))


def unit(theta: Floats) -> Floats:
    """Return the normalised rows of theta; zero rows are unchanged."""
    norms = np.linalg.norm(theta, axis=1, keepdims=True)
    return np.asarray(theta / np.where(norms > 0, norms, 1.0))


def valid_model(documents: Documents, n_topics: int, *, seed: int = 0) -> TopicModel:
    """Return `parameters` converted to a valid model, which the paper leaves open after line 5."""
    weights, topics = parameters(documents, n_topics, seed=seed)
    d, n_tokens = documents.n_words, float(documents.lengths.sum())
    # The unigram distribution: mean word frequencies, smoothed with one uniform token.
    shares = documents.counts / np.repeat(documents.lengths, np.diff(documents.indptr))
    n_docs = max(1, int((documents.lengths > 0).sum()))
    frequencies = np.bincount(documents.words, shares, minlength=d) / n_docs
    unigram = (n_tokens * frequencies + 1.0 / d) / (n_tokens + 1)
    # left open: u sums to a negative number: flip it; u has negative entries: clip, renormalise,
    # and mix with the unigram distribution by free parameters against tokens
    topics = np.maximum(topics * np.where(topics.sum(axis=1) < 0, -1.0, 1.0)[:, None], 0.0)
    mass = topics.sum(axis=1)
    topics = topics[mass > NOTHING] / mass[mass > NOTHING, None]
    n_free = max(n_topics * (d - 1), 1)
    topics = (n_tokens * topics + n_free * unigram) / (n_tokens + n_free)
    # left open: omega need not sum to 1: clip to [0, 1], renormalise
    weights = np.minimum(weights[mass > NOTHING], 1.0)
    weights = weights / weights.sum()
    # left open: missing topics have weight 0 and the unigram distribution; if all are, equal ones
    n_missing = n_topics - len(weights)
    rest = np.full(n_missing, 0.0 if len(weights) else 1.0 / n_topics)
    return TopicModel(
        np.concatenate([weights, rest]), np.concatenate([topics, np.tile(unigram, (n_missing, 1))])
    )
