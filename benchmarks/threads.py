"""One thread for everybody: set it before NumPy is imported, check it afterwards."""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)


def use_one() -> None:
    """Ask every numerical library, here and in child processes, for one thread."""
    os.environ.update(dict.fromkeys(VARIABLES, "1"))


def check_one() -> None:
    """Raise if a numerical library that is loaded has more than one thread."""
    from threadpoolctl import threadpool_info  # loads NumPy

    many = [pool for pool in threadpool_info() if pool["num_threads"] != 1]
    if many:
        names = ", ".join(f"{pool['internal_api']} has {pool['num_threads']}" for pool in many)
        raise RuntimeError(
            f"benchmarks run on one thread, but {names}; start them with python -m benchmarks"
        )
