"""Diagnosis: whether a single-topic model fits the documents, and how many topics they support."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import Documents
from spectralleader.learners.unigram import measure_gain
from spectralleader.models import TopicModel
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.spectral.block_krylov import top_subspace

CONFIDENT = 0.9  # a document is confident if its likeliest topic has at least this probability
GAP = 2.0  # the spectrum ends at an eigenvalue that is this many times the next one
# The same, if the next one is above noise. In text the second or third eigenvalue is often twice
# the next, although more follow; in single-topic documents the last one is 4 to 100 times the next.
CLEAR = 4.0
# Median words above which agreement of halves no longer shows that documents have several topics.
# Of synthetic documents with a third of their words from another topic, halves agree 0.4 to 0.55 as
# often as those of the model's own at 12 words, 0.7 to 0.8 at 50, and 0.94 to 0.98 at 200.
LONG = 50
# Verdicts by `Diagnosis.fit`: "fits" from the first value on, "roughly" from the second.
PLAUSIBLE, DOUBTFUL = 0.8, 0.5
CLOSER = 1.25  # above this fit, topics overfit single documents
N_SHUFFLES = 3  # shuffled copies that the noise level is the maximum of
MOST_TOKENS = 2_000_000  # size of the random subset examined: bounds time and memory
DIRECTIONS = 30, 110  # fewest and most eigenvalues computed; between them 2 K + 10


@dataclass(frozen=True)
class Spectrum:
    """The largest eigenvalues of the pairs, and the noise level to compare them with.

    The noise level is the second eigenvalue after all words were shuffled between documents: there
    the first eigenvalue comes from the word frequencies and all others from chance.
    """

    eigenvalues: Floats  # largest first
    noise: float

    @property
    def n_above(self) -> int:
        """Number of eigenvalues above noise.

        It grows with the number and length of the documents. EM finds more topics than that in
        most text: of 2,000 election tweets 4 are above noise, and 32 topics predict best.
        """
        return int(np.count_nonzero(self.eigenvalues > self.noise))

    @property
    def n_suggested(self) -> int | None:
        """Number of eigenvalues before the largest drop; None if no drop is large enough.

        A drop to the noise must be by a factor `GAP`, an earlier one by a factor `CLEAR`.
        """
        n = self.n_above
        if n < 2:
            return n or None
        values = np.maximum(self.eigenvalues, self.noise / GAP)
        # Ratios after the 2nd, 3rd, ..., nth: the first eigenvalue is always far above the rest.
        ratios = (values[1:-1] / values[2:])[: n - 1]
        if not len(ratios):
            return None
        best = 2 + int(ratios.argmax())
        return best if ratios.max() >= (GAP if best == n else CLEAR) else None


class Verdict(Enum):
    """Whether documents have a single topic, in the words of the terminal."""

    UNKNOWN = "cannot be judged"
    OVERFIT = "cannot be judged, because topics overfit single documents"
    TOO_LONG = "cannot be judged by documents of this length"
    FITS = "fits"
    ROUGHLY = "fits roughly"
    DOUBTFUL = "is doubtful"


@dataclass(frozen=True)
class Diagnosis:
    """Statistics of real documents under a model, beside those of documents drawn from the model.

    The latter have the prefix ``expected_``.
    """

    n_docs: int  # documents examined, each of 2 or more words
    confident: float  # share of documents with a topic of probability >= CONFIDENT
    expected_confident: float
    agreement: float  # between the topics of a document's halves, see `agreement`
    expected_agreement: float
    spectrum: Spectrum
    median_length: float = 0.0  # words of a document
    gain: float = 0.0  # over word frequencies, in nats per document, see `measure_gain`

    @property
    def is_long(self) -> bool:
        """Whether documents are too long for agreement to show that they have one topic."""
        return self.median_length > LONG

    @property
    def fit(self) -> float:
        """Agreement of halves relative to the model's own: 0 is chance, 1 a perfect fit."""
        return self.agreement / self.expected_agreement if self.expected_agreement > 0 else 0.0

    @property
    def verdict(self) -> Verdict:
        """The judgement on the single-topic assumption, for the terminal and pages alike."""
        if self.expected_agreement <= 0:
            return Verdict.UNKNOWN
        if self.fit > CLOSER:
            return Verdict.OVERFIT
        if self.fit >= PLAUSIBLE:
            return Verdict.TOO_LONG if self.is_long else Verdict.FITS
        # In long documents the halves have the same main topic, unless two are about as large.
        return Verdict.DOUBTFUL if self.is_long or self.fit < DOUBTFUL else Verdict.ROUGHLY


def diagnose(model: TopicModel, documents: Documents, *, seed: int = 0) -> Diagnosis | None:
    """Compare documents with as many documents of the same lengths drawn from the model.

    Return None if no document has 2 or more words. At most `MOST_TOKENS` words are examined, in
    randomly chosen documents.
    """
    documents = choose(documents[documents.lengths >= 2], seed)
    if documents.n_docs == 0:
        return None
    drawn, _ = model.sample(documents.n_docs, documents.lengths.astype(np.int64), seed=seed)
    return Diagnosis(
        documents.n_docs,
        share_confident(model, documents),
        share_confident(model, drawn),
        agreement(model, documents, seed),
        agreement(model, drawn, seed),
        measure_spectrum(documents, model.n_topics, seed=seed),
        float(np.median(documents.lengths)),
        measure_gain(model, documents),
    )


def choose(documents: Documents, seed: int) -> Documents:
    """Return a random subset of documents with at most `MOST_TOKENS` words, in stream order."""
    if documents.lengths.sum() <= MOST_TOKENS:
        return documents
    order = np.random.default_rng(seed).permutation(documents.n_docs)
    order = order[np.cumsum(documents.lengths[order]) <= MOST_TOKENS]
    return documents.take(np.sort(order))


def share_confident(model: TopicModel, documents: Documents) -> float:
    """Return the share of documents whose likeliest topic has probability >= `CONFIDENT`."""
    return float((model.posterior(documents).max(axis=1) >= CONFIDENT).mean())


def agreement(model: TopicModel, documents: Documents, seed: int) -> float:
    """Return Cohen's kappa between the likeliest topics of two random halves of each document.

    0 if halves agree no more often than those of different documents, 1 if they always agree.
    """
    halves = [model.posterior(half).argmax(axis=1) for half in split(documents, seed)]
    observed = float((halves[0] == halves[1]).mean())
    shares = [np.bincount(half, minlength=model.n_topics) / len(half) for half in halves]
    chance = float(shares[0] @ shares[1])
    return (observed - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def split(documents: Documents, seed: int) -> tuple[Documents, Documents]:
    """Return two blocks with a random half of each document's words."""
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
    """Return documents of the same lengths with all words permuted between them."""
    words, lengths = _tokens(documents)
    return Documents.from_words(rng.permutation(words), lengths, documents.n_words)


def _tokens(documents: Documents) -> tuple[Ints, Ints]:
    words = np.repeat(documents.words.astype(np.int64), documents.counts.astype(np.int64))
    return words, documents.lengths.astype(np.int64)


def measure_spectrum(documents: Documents, n_topics: int, *, seed: int = 0) -> Spectrum:
    """Return the largest eigenvalues of the documents' pairs, with their noise level."""
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
