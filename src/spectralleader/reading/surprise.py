"""Surprise: p-values of documents, relative to earlier ones of similar length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.saved import Saved, fields
from spectralleader.checks.saved import field as saved_field
from spectralleader.checks.states import floats, whole
from spectralleader.documents import BlockT
from spectralleader.models import Model

N_PAST = 4000  # scores kept: 64 kB in a file
N_NEAREST = 1000  # of these, the ones of the nearest lengths that a document is compared with
N_LENGTHS = 200  # for which the nearest are kept, 1.6 MB: 7 us for a document instead of 96
LOWEST = -1e6  # score of a document that a model rules out: stored scores are finite
# Once the past is full, one document in so many is scored, and one block whenever the stream has
# grown by this share: a growing vocabulary needs a new model each time, 7 ms for 100 topics.
THIN, GROWTH = 4, 1 / 25


def score(model: Model[BlockT], documents: BlockT) -> tuple[Floats, Floats]:
    """Return the log-probability per word of each document, NaN without words, and the lengths."""
    return per_word(model.log_prob(documents), documents.lengths), documents.lengths


def per_word(log_prob: Floats, lengths: Floats) -> Floats:
    """Return log-probabilities per word, NaN without words."""
    return np.maximum(log_prob / np.where(lengths > 0, lengths, np.nan), LOWEST)


@dataclass(frozen=True)
class Past(Saved):
    """The scores of documents, each by the model before it was learned; it never changes.

    Examples
    --------
    >>> past = Past(np.array([-5.0, -4.0, -3.0]), np.ones(3))
    >>> past.p_values(np.array([-9.0, -4.5, -1.0]), np.ones(3)).tolist()
    [0.25, 0.5, 1.0]
    """

    saved = fields(
        scores=saved_field(floats, shape=(None,)),
        lengths=saved_field(floats, shape=lambda known: known["scores"].shape, least=1.0),
    )

    scores: Floats = field(default_factory=lambda: np.empty(0))  # log-probability per word
    lengths: Floats = field(default_factory=lambda: np.empty(0))  # words
    _found: dict[float, Floats] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.scores)

    def _loaded(self) -> None:
        if len(self) > N_PAST:
            raise ValueError(f"scores must be at most {N_PAST}, got {len(self)}")

    def p_values(self, scores: Floats, lengths: Floats) -> Floats:
        """Return the share of documents like the past that score as low; small is surprising.

        A score is compared with those of the past documents of the nearest lengths: the mean over
        few words varies more than that over many. Each p-value is (1 + m) / (1 + n), where m of
        the n score as low or lower, so that among documents like the past at most a share p has
        a p-value of p or less; exactly that share where no two scores are equal. NaN for a
        document without words, and if there is no past.
        """
        found = np.full(len(scores), np.nan)
        if not len(self):
            return found
        for length in set(lengths.tolist()) - {0.0}:
            which, near = lengths == length, self._nearest(length)
            n_lower = np.searchsorted(near, scores[which], side="right")
            found[which] = (1 + n_lower) / (1 + len(near))
        return found

    def _nearest(self, length: float) -> Floats:
        """Return the scores of the nearest lengths, sorted; found once for each length."""
        near = self._found.get(length)
        if near is None:
            near = self.scores
            if len(self) > N_NEAREST:
                distance = np.abs(np.log(self.lengths) - np.log(length))
                # all that are as near as the last one: most documents are of few lengths
                near = near[distance <= np.partition(distance, N_NEAREST - 1)[N_NEAREST - 1]]
            near = np.sort(near)
            if len(self._found) < N_LENGTHS:
                self._found[length] = near
        return near


class Surprise(Saved):
    """Collects the scores of a stream's last documents, before they are learned.

    The first 4,000 documents are all scored; then every fourth block is.
    """

    saved = fields(due=whole, past=Past)

    def __init__(self) -> None:
        self.past = Past()
        self.due = 0  # documents of the stream from which on the next block is scored

    def add(self, model: Model[BlockT], documents: BlockT, n_docs: int) -> None:
        """Score documents by a model that has not learned them, but the n before.

        Words that the model lacks do not count.
        """
        scores, lengths = score(model, known_to(model, documents[-N_PAST:]))
        has_words = lengths > 0
        if len(self.past) == N_PAST:
            self.due = n_docs + max(THIN * documents.n_docs, int(GROWTH * n_docs))
        self.past = Past(
            np.concatenate((self.past.scores, scores[has_words]))[-N_PAST:],
            np.concatenate((self.past.lengths, lengths[has_words]))[-N_PAST:],
        )

    @staticmethod
    def merged(parts: Sequence[Surprise]) -> Surprise:
        """Return the surprise of several streams: the last scores of each, as many of each."""
        some = [one for one in parts if len(one.past)]
        if len(some) < 2:
            return some[0] if some else Surprise()
        share, found = N_PAST // len(some), Surprise()
        found.past = Past(
            np.concatenate([one.past.scores[-share:] for one in some]),
            np.concatenate([one.past.lengths[-share:] for one in some]),
        )
        return found


def known_to(model: Model[BlockT], documents: BlockT) -> BlockT:
    """Return the documents over a model's words alone: newer ones have larger ids."""
    if documents.n_words <= model.n_words:
        return documents.widen(model.n_words)
    ids = np.arange(documents.n_words)
    return documents.recode(np.where(ids < model.n_words, ids, -1), model.n_words)
