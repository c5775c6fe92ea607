"""Position: how much of an input has been learned, as plain values that can be saved."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from spectralleader.checks.states import take, text, whole
from spectralleader.sources.files.resume_point import ResumePoint


@dataclass(frozen=True)
class Position:
    """The point in an input at which learning resumes.

    Documents in files are identified by a digest of their texts, so the position does not depend on
    the file format, the compression or the order of columns.

    Examples
    --------
    >>> Position.from_state(Position(3, "ab12", "34cd").to_state())
    Position(offset=3, digest='ab12', digest_before_last='34cd')
    """

    offset: int = 0  # number of the next document or batch, from 0
    digest: str | None = None  # of all documents before it; None if they cannot be read again
    digest_before_last: str | None = None  # the same without the last document
    chain: str = field(default="", repr=False)  # digest of the documents before the mark
    mark: ResumePoint | None = field(default=None, repr=False)  # where to start reading; None: at 0

    def to_state(self) -> dict[str, Any]:
        """Return the position as plain values."""
        return asdict(self) | {"mark": self.mark and self.mark.to_state()}

    @classmethod
    def from_state(cls, state: Any) -> Position:
        """Return the position that `to_state` described, after validation."""
        digests = [take(state, name) for name in ("digest", "digest_before_last")]
        if not all(type(text) in (str, type(None)) for text in digests):
            raise ValueError("a digest must be a string")
        found = cls(whole(state, "offset"), *digests)
        if state.get("mark") is None:  # files of version 0.1.0 have no mark
            return found
        return replace(
            found, chain=text(state, "chain"), mark=ResumePoint.from_state(state["mark"])
        )
