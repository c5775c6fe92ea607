"""What was learned, immutable: `TopicModel`, its likelihood, and which topics of two are the same.

Here belongs what can be asked of a model. How one is estimated is in `spectral` and `em`, how well
it predicts in `evaluation`.
"""

from spectralleader.models.model import TopicModel

__all__ = ["TopicModel"]
