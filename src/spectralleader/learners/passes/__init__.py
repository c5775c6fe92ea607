"""Passes over documents in parts: a summary per part, summed up; the spectral method at the end.

`solve` needs only `Partitions`: the blocks of one machine, or the partitions of an engine. Engines
themselves are in `engines`; learners of streams are in the folders beside this one.
"""

from spectralleader.learners.passes.partitions import InMemory, Partitions, Summary, Task, add
from spectralleader.learners.passes.solve import Solution, solve

__all__ = ["InMemory", "Partitions", "Solution", "Summary", "Task", "add", "solve"]
