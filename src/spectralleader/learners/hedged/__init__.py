"""HedgedLeader: topics that stay, and a mixture of experts that predicts.

Here belong its experts, how they are mixed, and when topics are refitted. EM itself is in `em`.
"""

from spectralleader.learners.hedged.leader import HedgedInfo, HedgedLeader
from spectralleader.learners.hedged.refit import Event
from spectralleader.learners.hedged.settings import Settings

__all__ = ["Event", "HedgedInfo", "HedgedLeader", "Settings"]
