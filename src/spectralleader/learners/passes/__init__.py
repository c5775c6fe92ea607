"""PASSES over documents in parts: each part a summary, summaries added up, a finish at the end.

What one machine does with its memory an engine does with its partitions: `solve` is all that is
asked for, `Partitions` all that it asks.
"""

from spectralleader.learners.passes.partitions import InMemory, Partitions, Summary, Task, add
from spectralleader.learners.passes.solve import Solution, solve

__all__ = ["InMemory", "Partitions", "Solution", "Summary", "Task", "add", "solve"]
