"""HedgedLeader: stable topics, and prediction by a mixture of experts.

This package holds the experts, their mixture, and the schedule of refits. EM itself is in `em`.
"""

from spectralleader.learners.hedged.leader import HedgedInfo, HedgedLeader
from spectralleader.learners.hedged.settings import Settings

__all__ = ["HedgedInfo", "HedgedLeader", "Settings"]
