"""Online spectral learning of topic models: no tuning, no bad local optimum."""

from spectralleader.documents import Documents
from spectralleader.learners import LEARNERS, Learner, LiteralLeader
from spectralleader.model import TopicModel
from spectralleader.samples import Everything, Reservoir, Window

__version__ = "0.1.0"

__all__ = [
    "LEARNERS",
    "Documents",
    "Everything",
    "Learner",
    "LiteralLeader",
    "Reservoir",
    "TopicModel",
    "Window",
]
