"""The spectral method over documents on many machines, by Dask or Spark.

Here belongs what hands documents about and adds up. The method itself is in `learners.passes`.
"""
