"""The command: one thread first, then everything that imports NumPy."""

import sys

from benchmarks import threads


def main() -> int:
    threads.use_one()
    # BLAS, OpenMP and Numba read their number of threads when they are loaded
    from benchmarks.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
