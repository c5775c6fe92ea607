"""Diagnosis: whether a single-topic model fits documents, and with how many topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.learners.spectral_method import SpectralMethod
from spectralleader.models import TopicModel
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.spectral import Estimate
from spectralleader.spectral.block_krylov import top_subspace

CONFIDENT = 0.9  # probability of the likeliest topic
GAP = 2.0  # an eigenvalue this many times the next one ends a spectrum
N_SHUFFLES = 3
MOST_TOKENS = 2_000_000  # looked at, in documents at random: time and memory grow with them
DIRECTIONS = 30, 110  # looked at: 10 more than twice the topics, within these
MANY = 50  # topics from which on the tensor, whose work grows as K^4, is not decomposed


@dataclass(frozen=True)
class Spectrum:
    """The largest eigenvalues of the pairs, and what they would be without topics.

    The noise is the second eigenvalue of the same documents with all words dealt out anew: there
    the first one is the word frequencies', and all others are chance.
    """

    eigenvalues: Floats  # largest first
    noise: float

    @property
    def n_above(self) -> int:
        """Directions that stand above noise; as many topics can be told apart, at most."""
        return int(np.count_nonzero(self.eigenvalues > self.noise))

    @property
    def is_cut(self) -> bool:
        """Whether there may be more directions above noise than were looked at."""
        return self.n_above == len(self.eigenvalues)

    @property
    def n_suggested(self) -> int | None:
        """The number of topics after which the spectrum drops, if it does clearly: to a half."""
        n = self.n_above
        if n < 2:
            return n or None
        values = np.maximum(self.eigenvalues, self.noise / GAP)
        ratios = (values[1:-1] / values[2:])[: n - 1]  # after the 2nd, 3rd, ..., nth
        if not len(ratios) or ratios.max() < GAP:
            return None
        return 2 + int(ratios.argmax())


@dataclass(frozen=True)
class Diagnosis:
    """What remembered documents say of a model. Expected: what documents drawn from it would."""

    n_docs: int  # looked at, of 2 or more words
    n_usable: int  # topics that the spectral method can tell apart in them; with many: directions
    confident: float  # share of documents whose topic is at least 90 % certain
    expected_confident: float
    agreement: float  # of the topics of a document's halves, see `agreement`
    expected_agreement: float
    residual: float | None  # of their tensor, see `Estimate.residual`; None with many topics
    expected_residual: float | None
    spectrum: Spectrum

    @property
    def fit(self) -> float:
        """How far halves agree, from 0 (by chance) to 1 (as documents of the model do)."""
        return self.agreement / self.expected_agreement if self.expected_agreement > 0 else 0.0


def diagnose(model: TopicModel, documents: Documents, *, seed: int = 0) -> Diagnosis | None:
    """Compare documents with as many drawn from the model, of the same lengths.

    Of very many words, some documents at random. None if no document has 2 or more words.
    """
    documents = choose(documents[documents.lengths >= 2], seed)
    if documents.n_docs == 0:
        return None
    drawn, _ = model.sample(documents.n_docs, documents.lengths.astype(np.int64), seed=seed)
    spectrum = measure_spectrum(documents, model.n_topics, seed=seed)
    n_usable = model.n_topics if spectrum.is_cut else min(model.n_topics, spectrum.n_above)
    residuals: tuple[float | None, float | None] = (None, None)
    if model.n_topics < MANY:
        found, expected = (_estimate(block, model.n_topics) for block in (documents, drawn))
        n_usable, residuals = found.n_usable, (found.residual, expected.residual)
    return Diagnosis(
        documents.n_docs,
        n_usable,
        share_confident(model, documents),
        share_confident(model, drawn),
        agreement(model, documents, seed),
        agreement(model, drawn, seed),
        *residuals,
        spectrum,
    )


def choose(documents: Documents, seed: int) -> Documents:
    """Return documents at random that have at most `MOST_TOKENS` words together, in their order."""
    if documents.lengths.sum() <= MOST_TOKENS:
        return documents
    order = np.random.default_rng(seed).permutation(documents.n_docs)
    order = order[np.cumsum(documents.lengths[order]) <= MOST_TOKENS]
    return documents.take(np.sort(order))


def _estimate(documents: Documents, n_topics: int) -> Estimate:
    return SpectralMethod(n_topics, n_words=documents.n_words).fit(documents).info


def share_confident(model: TopicModel, documents: Documents) -> float:
    """Return the share of documents whose topic is at least 90 % certain."""
    return float((model.posterior(documents).max(axis=1) >= CONFIDENT).mean())


def agreement(model: TopicModel, documents: Documents, seed: int) -> float:
    """Return how often both halves of a document have the same likeliest topic, above chance.

    0 if no more often than the halves of different documents (Cohen's kappa), 1 if always.
    """
    halves = [model.posterior(half).argmax(axis=1) for half in split(documents, seed)]
    observed = float((halves[0] == halves[1]).mean())
    shares = [np.bincount(half, minlength=model.n_topics) / len(half) for half in halves]
    chance = float(shares[0] @ shares[1])
    return (observed - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def split(documents: Documents, seed: int) -> tuple[Documents, Documents]:
    """Deal out each document's words at random into two halves."""
    rng = np.random.default_rng(seed)
    words, lengths = _tokens(documents)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((rng.random(len(words)), rows))
    starts = np.cumsum(lengths) - lengths
    is_second = (np.arange(len(words)) - starts[rows]) % 2 == 1
    words = words[order]
    first = Documents.from_words(words[~is_second], lengths - lengths // 2, documents.n_words)
    return first, Documents.from_words(words[is_second], lengths // 2, documents.n_words)


def shuffle(documents: Documents, rng: np.random.Generator) -> Documents:
    """Deal out all words anew among the documents, which keep their lengths."""
    words, lengths = _tokens(documents)
    return Documents.from_words(rng.permutation(words), lengths, documents.n_words)


def _tokens(documents: Documents) -> tuple[Ints, Ints]:
    words = np.repeat(documents.words.astype(np.int64), documents.counts.astype(np.int64))
    return words, documents.lengths.astype(np.int64)


def measure_spectrum(documents: Documents, n_topics: int, *, seed: int = 0) -> Spectrum:
    """Return the spectrum of the pairs of documents, and its noise."""
    rng = np.random.default_rng(seed)
    seconds = [_top_eigenvalues(shuffle(documents, rng), 2)[1:] for _ in range(N_SHUFFLES)]
    noise = float(np.concatenate(seconds).max(initial=0.0))
    n = int(np.clip(2 * n_topics + 10, *DIRECTIONS))
    return Spectrum(_top_eigenvalues(documents, n), noise)


def _top_eigenvalues(documents: Documents, n: int) -> Floats:
    """Return the n largest eigenvalues of the mean pairs, or all, largest first."""
    n, n_pairs = min(n, documents.n_words), int((documents.lengths >= 2).sum())
    start = np.random.default_rng(0).random((documents.n_words, max(4, n))) - 0.5
    found = top_subspace(pair_operator(documents), start, n_wanted=n, n_kept=n)
    return found.values / max(1, n_pairs)
