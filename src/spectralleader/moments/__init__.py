"""Moments: sums of words, pairs and triples over documents.

`sums` defines them in NumPy; the kernels compute them in a small basis. `spectral` estimates topics
from them.
"""

from spectralleader.moments.projected import ProjectedSums, Sums

__all__ = ["ProjectedSums", "Sums"]
