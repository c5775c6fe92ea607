"""HedgedLeader and its parts: polish, racing starts, tracked priors, mixing."""

from spectralleader.learners.hedged.leader import HedgedInfo, HedgedLeader
from spectralleader.learners.hedged.mixing import Mixing
from spectralleader.learners.hedged.polish import polish, sweep
from spectralleader.learners.hedged.race import race
from spectralleader.learners.hedged.tracking import PriorTracking

__all__ = [
    "HedgedInfo",
    "HedgedLeader",
    "Mixing",
    "PriorTracking",
    "polish",
    "race",
    "sweep",
]
