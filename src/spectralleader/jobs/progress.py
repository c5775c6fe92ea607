"""Progress: reports of how a job is getting on."""

from __future__ import annotations

from typing import Any


class Progress:
    """Receives reports and ignores them: a display is a subclass."""

    def say(self, line: str) -> None:
        """Report something once."""

    def compiling(self, n: int, n_kernels: int) -> None:
        """Report that the n-th kernel of up to n_kernels is compiled; 0: none any more."""

    def counted(self, n_docs: int) -> None:
        """Report the number of documents counted so far in the first pass over the texts."""

    def retraced(self, n_docs: int) -> None:
        """Report the number of documents read again so far, up to where an earlier pass ended."""

    def begun(self, result: Any) -> None:
        """Report what there is before the first step: `Learned`."""

    def reading(self, block: Any) -> None:
        """Report a `TextBlock` that is about to be learned."""

    def saved(self, checkpoint: Any) -> None:
        """Report a `Checkpoint` that is on the disk."""

    def not_saved(self, error: Exception) -> None:
        """Report a checkpoint that could not be written; the last one is as it was."""

    def stepped(self, result: Any) -> None:
        """Report a step: the result so far, `Learned` or `Evaluation`."""
