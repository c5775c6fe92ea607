"""Progress: callbacks that report the state of a job."""

from __future__ import annotations

from typing import Any


class Progress:
    """Receives reports and ignores them; displays are subclasses."""

    def say(self, line: str) -> None:
        """Report a message."""

    def compiling(self, is_compiling: bool) -> None:  # noqa: FBT001  # a callback
        """Report that kernels are being compiled, or no longer."""

    def counted(self, n_docs: int, how: str = "counted") -> None:
        """Report the number of documents so far in a first pass; `how` says what was done."""

    def begun(self, result: Any) -> None:
        """Report the `LearnResult` result before the first step."""

    def reading(self, block: Any) -> None:
        """Report a `TextBlock` that is about to be learned."""

    def saved(self, checkpoint: Any) -> None:
        """Report a `Checkpoint` that was written to disk."""

    def not_saved(self, error: Exception) -> None:
        """Report a checkpoint that could not be written; the previous one is unchanged."""

    def stepped(self, result: Any) -> None:
        """Report the result after a step, `LearnResult` or `Evaluation`."""
