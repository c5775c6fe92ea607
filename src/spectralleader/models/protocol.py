"""Model: what every family has learned; and what of a model people read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from spectralleader.arrays import Floats, Ints
from spectralleader.documents import SomeBlock


@runtime_checkable
class Predictive(Protocol[SomeBlock]):
    """Anything that gives documents a probability: what a prediction is judged by."""

    def log_prob(self, documents: SomeBlock, /) -> Floats:
        """Return the log-probability of each document, shape (n_docs,).

        That of a document does not depend on the others in its block.
        """


class Model(Predictive[SomeBlock], Protocol[SomeBlock]):
    """What was learned; it never changes."""

    @property
    def n_words(self) -> int:
        """Number of different symbols."""

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> Self:
        """Return the model with symbol w renumbered to ``new_ids[w]``; -1 drops the symbol."""

    def to_state(self) -> dict[str, Any]:
        """Return the model as arrays and plain values."""


class Readable(Model[SomeBlock], Protocol[SomeBlock]):
    """A model of topics, states or classes, which have words that people read."""

    @property
    def n_topics(self) -> int:
        """Number of topics, K."""

    @property
    def weights(self) -> Floats:
        """How frequent each topic is, (K,); sums to 1."""

    @property
    def topics(self) -> Floats:
        """The probability of each word in each topic, (K, d)."""

    @property
    def n_used(self) -> int:
        """Number of topics in use."""

    @property
    def used(self) -> NDArray[Any]:
        """Whether each topic is in use, (K,)."""

    def posterior(self, documents: SomeBlock, /) -> Floats:
        """Return P(topic | document), (n_docs, K)."""

    def classify(self, documents: SomeBlock, /) -> tuple[Ints, Floats, Floats, Floats]:
        """Return the likeliest topic of each document, its posterior, log P and length."""

    def shares(self, documents: SomeBlock, /) -> Floats:
        """Return the proportions of topics within each document, (n_docs, K)."""

    def top_words(self, vocabulary: Sequence[str], n: int) -> list[list[str]]:
        """Return the n most characteristic words of each topic."""


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # see `documents.protocol`

    from spectralleader.models.model import TopicModel

    ModelT = TypeVar("ModelT", bound=Model[Any], covariant=True, default=TopicModel)
    ReadableT = TypeVar("ReadableT", bound=Readable[Any], default=TopicModel)
else:
    from typing import TypeVar

    ModelT, ReadableT = TypeVar("ModelT", covariant=True), TypeVar("ReadableT")
