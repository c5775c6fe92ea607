"""What was learned, immutable: `Model`, and `TopicModel` with its likelihood, tree and matching.

This package answers questions about a given model. `spectral` and `em` estimate models;
`evaluation` measures how well they predict.
"""

from spectralleader.models.model import TopicModel
from spectralleader.models.protocol import Model, ModelT, Predictive, Readable, ReadableT
from spectralleader.models.tree import Cut, TopicTree

__all__ = [
    "Cut",
    "Model",
    "ModelT",
    "Predictive",
    "Readable",
    "ReadableT",
    "TopicModel",
    "TopicTree",
]
