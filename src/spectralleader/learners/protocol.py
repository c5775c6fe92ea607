"""What every learner can do: learn a block of documents, and have a valid model at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.checks import check_whole
from spectralleader.documents import BlockT, Documents, SomeBlock
from spectralleader.learners.events import Event
from spectralleader.models import ModelT, Predictive, TopicModel

MAX_TOPICS = 10_000  # their triples alone would fill 8 TB
MAX_RESTARTS, MAX_ITERATIONS = 10_000, 1_000_000  # a learner comes to an end


@runtime_checkable
class Learner(Protocol[SomeBlock, ModelT]):
    """Stream in, model out: of topics, unless blocks and models of another family are named.

    One call of `learn` is one step t of the online setting. The model is a function of what was
    learned alone: it is valid from before the first document, and reading it changes nothing.

    A learner that was told its `n_words` refuses blocks over more or fewer. One that was not grows:
    it begins with one word, a block over more words than before extends it (an empty one too), and
    the words of a block over fewer are its first.
    """

    n_topics: int
    n_words: int  # at present
    grows: bool  # whether blocks over more words extend it

    def learn(self, documents: SomeBlock, /) -> None:
        """Learn from a block of one or more documents; an empty block teaches nothing."""

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Give word w the number ``new_ids[w]``; -1 is forgotten, as if it had never been a word.

        None: every word keeps its number, and those from there to n_words are new.
        """

    @property
    def model(self) -> ModelT:
        """The model of everything learned so far."""

    @property
    def predictive(self) -> Predictive[SomeBlock]:
        """What predicts the next block: the model, unless the learner has better."""

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the learner that `to_state` described; it continues bit for bit."""


# What more a learner can do is an ability: it has the members, whatever its class. Commands, pages
# and the service ask for abilities only, so that they show every learner alike.


class Remembered(Protocol):
    """Documents that a learner remembers, such as one of `spectralleader.samples`."""

    @property
    def documents(self) -> Documents:
        """The remembered documents, as one block."""


@runtime_checkable
class Remembers(Protocol):
    """The ability to show documents: for diagnosis, typical documents and levels."""

    @property
    def sample(self) -> Remembered:
        """Documents of the whole stream."""


@runtime_checkable
class HasRecent(Protocol):
    """The ability to tell the topics of the last documents from those of all."""

    @property
    def recent(self) -> TopicModel:
        """The model of the last documents, numbered like `model` where topics match."""

    @property
    def window(self) -> Remembered:
        """The documents that `recent` is estimated from, or some of them."""


@runtime_checkable
class Reports(Protocol):
    """The ability to report changes of the stream and of the topics."""

    @property
    def events(self) -> Sequence[Event]:
        """What happened to the stream and to the topics; the latest last."""

    @property
    def drifts_since(self) -> int | None:
        """Number of documents before the stream changed; None unless it has changed lately."""

    @property
    def settles_at(self) -> int | None:
        """Number of documents with words at which topics are settled; None if they are."""


@runtime_checkable
class Refits(Protocol):
    """A learner that fits a model to everything when it is read: reading takes long."""

    def fit(self, documents: Documents) -> Self:
        """Learn these documents, in place of all learned before."""


def remembered(learner: object, *, recent: bool = False) -> Documents | None:
    """Return the documents that a learner remembers, or the last of them, if it does."""
    if recent:
        return learner.window.documents if isinstance(learner, HasRecent) else None
    return learner.sample.documents if isinstance(learner, Remembers) else None


@runtime_checkable
class Merges(Learner[Any, Any], Protocol):
    """A learner that can take in what others of its kind learned, each from a stream of its own."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was learned yet."""

    @property
    def settings(self) -> dict[str, Any]:
        """What learners must have in common to be merged; words and seeds may differ."""

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Take in what others learned, all of them and this one being over the same words.

        None of them is empty, and all have the settings of this one. They stay as they are.
        """


def check_n_topics(n_topics: int) -> int:
    """Return a valid number of topics; raise `ValueError` otherwise."""
    return check_whole("n_topics", n_topics, 1, MAX_TOPICS)


def check_seed(seed: int) -> int:
    """Return a legal seed: an integer, so that a saved learner continues bit for bit."""
    return check_whole("seed", seed, 0)


def check_block(
    block: BlockT, n_words: int, *, grows: bool = False, kind: type[object] = Documents
) -> BlockT:
    """Return a block of a kind that a learner of n_words words can learn from, or raise.

    It is over n_words words, or over more if the learner grows.
    """
    if not isinstance(block, kind):
        how = "; convert with Documents.from_matrix or Documents.from_tokens"
        raise TypeError(
            f"learn takes {kind.__name__}, got {type(block).__name__}"
            f"{how if issubclass(kind, Documents) else ''}"
        )
    if grows:
        return block.widen(max(n_words, block.n_words))
    if block.n_words != n_words:
        raise ValueError(
            f"the learner knows {n_words} words, the block is over {block.n_words}; "
            "make all blocks with one vocabulary, or leave n_words out to let the learner grow"
        )
    return block
