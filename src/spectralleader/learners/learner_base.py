"""LearnerBase: what our learners share, which check their input before they change."""

from __future__ import annotations

import inspect
from typing import Any

from numpy.typing import ArrayLike

from spectralleader.arrays import Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import take, truth, whole
from spectralleader.documents import MAX_WORDS, Documents
from spectralleader.documents.recoding import check_recoding
from spectralleader.learners.protocol import (
    MAX_TOPICS,
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.locks import ThreadSafe, changing, locked

OWN = ("n_words", "seed", "start")  # arguments that learners need not share to be merged


def read_seed(state: Any, name: str) -> int:
    """Return a stored seed."""
    return check_seed(take(state, name))


class LearnerBase(ThreadSafe, Saved):
    """A learner whose blocks and recodings are checked before anything changes.

    A subclass defines how a valid block (`_learn`) and a valid renumbering of words (`_recode`)
    change it, its `model`, and what else is `saved`.
    """

    saved = fields(
        n_topics=field(whole, least=1, most=MAX_TOPICS),
        n_words=field(whole, least=1, most=MAX_WORDS),
        seed=read_seed,
        grows=truth,
    )

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        self.n_words, self.grows = check_vocabulary(n_words, n_known)

    @locked
    def learn(self, documents: Documents) -> None:
        """Learn a block of documents; words that are new are added first."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            if block.n_words > self.n_words:
                self._recode(None, block.n_words)
            self._learn(block)

    def _learn(self, block: Documents) -> None:
        raise NotImplementedError

    @locked
    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words: word w becomes ``new_ids[w]``; words of -1 are dropped."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self._recode(ids, n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of everything that was learned; subclasses extend this."""
        self.n_words = n_words

    @property
    @locked
    def model(self) -> TopicModel:
        """The model of everything learned so far."""
        raise NotImplementedError

    @property
    @locked
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    @property
    @locked
    def settings(self) -> dict[str, Any]:
        """The settings that learners must share to be merged: arguments of the constructor."""
        names = [n for n in inspect.signature(type(self)).parameters if n in self.saved]
        return {name: getattr(self, name) for name in names if name not in OWN}

    @locked
    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue, as arrays and plain values."""
        return super().to_state()
