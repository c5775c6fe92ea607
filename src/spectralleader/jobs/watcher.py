"""Watcher: whoever wants to know how a job is getting on."""

from __future__ import annotations

from typing import Any


class Watcher:
    """Is told, and does nothing about it: a display is a subclass."""

    def say(self, line: str) -> None:
        """Take note of something said once."""

    def compiling(self, n: int, n_kernels: int) -> None:
        """Take note that the n-th kernel of up to n_kernels is compiled; 0: none any more."""

    def counted(self, n_docs: int) -> None:
        """Take note of the first pass over the texts: as many have been counted."""

    def retraced(self, n_docs: int) -> None:
        """Take note of the way back to where an earlier pass was: as many have been read again."""

    def stepped(self, result: Any) -> None:
        """Take note of a step: the result so far, `Learned` or `Evaluation`."""
