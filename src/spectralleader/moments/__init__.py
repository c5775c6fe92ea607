"""WHAT documents add up to: words, pairs and triples, as sums over documents."""

from spectralleader.moments.population import population_sums
from spectralleader.moments.projected import ProjectedSums
from spectralleader.moments.update_kernels import Sums

__all__ = ["ProjectedSums", "Sums", "population_sums"]
