"""The spectral method by passes over partitioned documents: map to summaries, then add them.

`solve` needs only `Partitions`: blocks in memory, or the partitions of a distributed engine. The
engines are in `engines`; streaming learners are in the sibling folders.
"""

from spectralleader.learners.passes.partitions import InMemory, Partitions, Summary, Task, add
from spectralleader.learners.passes.solve import Solution, solve

__all__ = ["InMemory", "Partitions", "Solution", "Summary", "Task", "add", "solve"]
