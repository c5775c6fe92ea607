"""The spectral method on a cluster, by Dask or Spark.

This package distributes documents and sums partial results. The method itself is in
`learners.passes`.
"""
