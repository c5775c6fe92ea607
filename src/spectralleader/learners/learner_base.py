"""LearnerBase, what our learners share: they check their input before they change. And Fixed."""

from __future__ import annotations

import inspect
from typing import Any, Generic

from numpy.typing import ArrayLike

from spectralleader.arrays import Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import take, truth, whole
from spectralleader.documents import MAX_WORDS, BlockT, Documents, check_n_words
from spectralleader.documents.recoding import check_recoding, move_rows
from spectralleader.learners.protocol import (
    MAX_TOPICS,
    check_block,
    check_n_topics,
    check_seed,
)
from spectralleader.models import ModelT, Predictive, TopicModel
from spectralleader.runtime.locks import ThreadSafe, changing, locked

OWN = ("n_words", "seed", "start")  # arguments that learners need not share to be merged


class LearnerBase(ThreadSafe, Saved, Generic[BlockT, ModelT]):
    """A learner whose blocks and recodings are checked before anything changes.

    A subclass defines how a valid block (`_learn`) changes it, its `model`, and what else is
    `saved`. Saved arrays of one row per word are renumbered here; a subclass that has other things
    over words extends `_recode`. A learner of another family than topics names what it takes.
    """

    takes: type[Any] = Documents  # the class of its blocks

    saved = fields(
        n_topics=field(whole, least=1, most=MAX_TOPICS),
        n_words=field(whole, least=1, most=MAX_WORDS),
        seed=lambda state, name: check_seed(take(state, name)),
        grows=truth,
    )

    def __init__(self, n_topics: int, n_words: int | None, seed: int, n_known: int = 1) -> None:
        self.n_topics, self.seed = check_n_topics(n_topics), check_seed(seed)
        self.grows = n_words is None
        self.n_words = n_known if n_words is None else check_n_words(n_words)

    @locked
    def learn(self, documents: BlockT) -> None:
        """Learn a block of documents; words that are new are added first."""
        block = check_block(documents, self.n_words, grows=self.grows, kind=self.takes)
        with changing(self):
            if block.n_words > self.n_words:
                self._recode(None, block.n_words)
            self._learn(block)

    def _learn(self, block: BlockT) -> None:
        raise NotImplementedError

    @locked
    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words: word w becomes ``new_ids[w]``; words of -1 are dropped."""
        ids, n_words = check_recoding(new_ids, self.n_words, n_words)
        with changing(self):
            self._recode(ids, n_words)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of what was learned; words that are new get rows of zeros."""
        for name, stored in self.saved.items():
            shape = stored.limits.get("shape", ())
            # a shape that a function returns depends on more than the words
            if not callable(shape) and shape[:1] == ("n_words",):
                setattr(self, name, move_rows(getattr(self, name), new_ids, n_words))
        self.n_words = n_words

    @property
    @locked
    def model(self) -> ModelT:
        """The model of everything learned so far."""
        raise NotImplementedError

    @property
    @locked
    def predictive(self) -> Predictive[BlockT]:
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


class Fixed(Saved):
    """A learner that never changes its model: the truth, or the best static model in hindsight.

    Examples
    --------
    >>> learner = Fixed(TopicModel.uniform(2, 3))
    >>> learner.learn(Documents.from_tokens([[0, 0, 0]], n_words=3))
    >>> learner.model.topics[0].round(2).tolist()
    [0.33, 0.33, 0.33]
    """

    saved = fields(model=TopicModel)
    grows = False
    learns = False  # topics say so, rather than count documents that change nothing

    def __init__(self, model: TopicModel) -> None:
        self.model = model
        self.n_topics, self.n_words = model.n_topics, model.n_words

    def learn(self, documents: Documents) -> None:
        """Check the block, and ignore it."""
        check_block(documents, self.n_words)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the model, see `TopicModel.recode`."""
        self.model = self.model.recode(new_ids, n_words)
        self.n_words = self.model.n_words

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model
