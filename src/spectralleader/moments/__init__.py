"""What documents add up to: words, pairs and triples, as sums over documents.

`sums` says what is meant, in NumPy; the kernels compute it in a small basis. How topics are
estimated from sums is in `spectral`.
"""

from spectralleader.moments.population import population_sums
from spectralleader.moments.projected import ProjectedSums
from spectralleader.moments.update_kernels import Sums

__all__ = ["ProjectedSums", "Sums", "population_sums"]
