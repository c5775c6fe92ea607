"""What every sample can do, and what it says of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

from spectralleader.documents import Documents, Ints


@dataclass(frozen=True, slots=True)
class Change:
    """What one `add` did to a sample: documents that entered and documents that left it.

    A document that entered and was replaced within the same `add` is in neither.
    """

    entered: Documents
    left: Documents
    places: Ints  # of the documents that entered; those that left had the taken ones among them

    @property
    def n_docs(self) -> int:
        """How many documents moved, in or out."""
        return self.entered.n_docs + self.left.n_docs


class Sample(Protocol):
    """A bounded or unbounded memory of the documents seen, chosen online."""

    @property
    def n_seen(self) -> int:
        """Documents shown to the sample so far, remembered or not."""

    @property
    def documents(self) -> Documents:
        """The remembered documents, as one block in the order of their places."""

    def __len__(self) -> int:
        """Return how many documents are remembered."""

    def add(self, documents: Documents) -> Change:
        """Show the sample a block; return what entered and what left."""

    def to_state(self) -> dict[str, Any]:
        """Return all that the sample needs to go on, as arrays and plain values."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Rebuild the sample that `to_state` described."""
