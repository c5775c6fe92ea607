"""What was learned, immutable: `TopicModel`, its likelihood, its tree, and which topics match.

Here belongs what can be asked of a model. How one is estimated is in `spectral` and `em`, how well
it predicts in `evaluation`.
"""

from spectralleader.models.model import TopicModel
from spectralleader.models.tree import Cut, TopicTree

__all__ = ["Cut", "TopicModel", "TopicTree"]
