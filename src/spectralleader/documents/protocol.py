"""Block, what every family of models learns from: documents, sequences, vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, Self

from numpy.typing import ArrayLike

from spectralleader.arrays import Floats, Ints


class Block(Protocol):
    """Items that are learned in one step; a block never changes.

    An item is called a document and its symbols words, whatever they are. Learners, samples,
    evaluation and storage need no more of a block than this.
    """

    @classmethod
    def empty(cls, n_words: int) -> Self:
        """Return the block of no items."""

    @property
    def n_docs(self) -> int:
        """Number of items."""

    @property
    def n_words(self) -> int:
        """Number of different symbols that items may have."""

    @property
    def lengths(self) -> Floats:
        """Symbols of each item, (n_docs,): losses are also given per symbol."""

    def __getitem__(self, which: slice, /) -> Self:
        """Return a run of the items."""

    def take(self, rows: Ints) -> Self:
        """Return the items at these row numbers, which are not checked."""

    def widen(self, n_words: int) -> Self:
        """Return the items over more symbols; raise `ValueError` if there are more already."""

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> Self:
        """Return the items with symbol w renumbered to ``new_ids[w]``; -1 drops the symbol."""

    @classmethod
    def concatenate(cls, blocks: Iterable[Self]) -> Self:
        """Return the items of all blocks, which are over the same symbols."""

    def to_state(self) -> dict[str, Any]:
        """Return the items as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the items that `to_state` described; raise `ValueError` for an invalid state."""


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # whose defaults Python has from 3.13 on

    from spectralleader.documents.documents import Documents

    # Where no family is named, it is that of topics. The second is of protocols that take blocks.
    BlockT = TypeVar("BlockT", bound=Block, default=Documents)
    SomeBlock = TypeVar("SomeBlock", bound=Block, contravariant=True, default=Documents)
else:
    from typing import TypeVar

    BlockT, SomeBlock = TypeVar("BlockT"), TypeVar("SomeBlock", contravariant=True)
