"""HedgedLeader: stable topics, and prediction by a mixture of experts.

Read `leader` first: its `_step` is the algorithm. Two halves follow, which share the table of
statistics in `experts`:

- prediction: `experts` (what is mixed, with `finer`), `mixing` (by which weights) and `drift`
  (whether the stream has changed);
- the topics that people read: `sample_topics` (those of a sample, updated with every block),
  `schedule` (when they are refitted), `race` (which start wins) and `refit` (which joins them).

`settings` has all constants, with how they were chosen. EM itself is in `em`.
"""

from spectralleader.learners.hedged.leader import HedgedInfo, HedgedLeader
from spectralleader.learners.hedged.settings import Settings

__all__ = ["HedgedInfo", "HedgedLeader", "Settings"]
