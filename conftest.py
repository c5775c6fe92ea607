"""Which modules are not looked through for doctests: those whose extra is not installed."""

from importlib.util import find_spec

NEEDS = {
    "src/spectralleader/arrow.py": "pyarrow",
    "src/spectralleader/dask.py": "distributed",
    "src/spectralleader/spark.py": "pyspark",
    "tests/engines/spark_stream.py": "pyspark",
}
collect_ignore = [path for path, engine in NEEDS.items() if find_spec(engine) is None]
