"""WHAT documents add up to: words, pairs and triples, as sums and as means."""

from spectralleader.moments.means import EmpiricalMoments, PopulationMoments, ProjectedMoments
from spectralleader.moments.projected import ProjectedSums

__all__ = ["EmpiricalMoments", "PopulationMoments", "ProjectedMoments", "ProjectedSums"]
