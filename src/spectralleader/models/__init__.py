"""Immutable topic models: `TopicModel`, its likelihood, its merge tree, and topic matching.

This package answers questions about a given model. `spectral` and `em` estimate models;
`evaluation` measures how well they predict.
"""

from spectralleader.models.model import TopicModel
from spectralleader.models.tree import Cut, TopicTree

__all__ = ["Cut", "TopicModel", "TopicTree"]
