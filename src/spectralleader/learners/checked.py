"""CheckedLearner: what the plain learners share, which check their input before they change."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from spectralleader.arrays import Ints
from spectralleader.checks.states import take, truth
from spectralleader.documents import Documents
from spectralleader.documents.recoding import check_recoding
from spectralleader.learners.protocol import (
    Predictive,
    check_block,
    check_n_topics,
    check_seed,
    check_vocabulary,
    sizes_of,
)
from spectralleader.models import TopicModel
from spectralleader.runtime.guard import Guarded, changing


class CheckedLearner(Guarded):
    """A learner whose blocks and recodings are checked before anything changes.

    A subclass defines how a valid block (`_learn`) and a valid renumbering of words (`_recode`)
    change it, its `model`, and the names of its constructor's arguments (`parameters`).
    """

    parameters: tuple[str, ...] = ("n_topics", "n_words", "seed")

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        self.n_words, self.grows = check_vocabulary(n_words, n_known)

    def learn(self, documents: Documents) -> None:
        """Learn a block of documents; words that are new are added first."""
        block = check_block(documents, self.n_words, grows=self.grows)
        with changing(self):
            if block.n_words > self.n_words:
                self._recode(None, block.n_words)
            self._learn(block)

    def _learn(self, block: Documents) -> None:
        raise NotImplementedError

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words: word w becomes ``new_ids[w]``; words of -1 are dropped."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self._recode(ids, n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of everything that was learned; subclasses extend this."""
        self.n_words = n_words

    @property
    def model(self) -> TopicModel:
        """The model of everything learned so far."""
        raise NotImplementedError

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that learners must share to be merged."""
        return {n: getattr(self, n) for n in self.parameters if n not in ("n_words", "seed")}

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue."""
        return {**{name: getattr(self, name) for name in self.parameters}, "grows": self.grows}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described."""
        return cls._made(state)

    @classmethod
    def _made(cls, state: dict[str, Any], **more: Any) -> Self:
        """Return a new learner with the stored parameters, and with more of them."""
        sizes_of(state)  # validated before anything of these sizes is allocated
        learner = cls(**{name: take(state, name) for name in cls.parameters}, **more)
        learner.grows = truth(state, "grows")
        return learner
