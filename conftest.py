"""Which modules are not looked through for doctests: those whose extra is not installed."""

from importlib.util import find_spec

NEEDS = {"arrow": "pyarrow", "dask": "distributed", "spark": "pyspark"}
collect_ignore = [
    f"src/spectralleader/{module}.py"
    for module, engine in NEEDS.items()
    if find_spec(engine) is None
]
