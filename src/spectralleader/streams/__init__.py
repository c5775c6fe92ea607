"""Edge in: where blocks of documents come from."""

from spectralleader.streams.block import Block
from spectralleader.streams.synthetic import PROBLEMS, Problem

__all__ = ["PROBLEMS", "Block", "Problem"]
