"""The command ``python -m spectralleader.testing package.module:Class``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser

from spectralleader.learners.registry import find_learner
from spectralleader.testing.checking import run_laws


def main(arguments: list[str]) -> int:
    """Print one line per law; return 0 if all hold, 1 if not; wrong usage exits with 2."""
    parser = ArgumentParser("python -m spectralleader.testing", description="Check a learner.")
    parser.add_argument("name", help="package.module:Class, or the name of a built-in learner")
    name = parser.parse_args(arguments).name
    try:
        learner = find_learner(name)
    except ValueError as error:
        parser.error(str(error))
    n_broken = n_laws = 0
    for outcome in run_laws(learner):
        # At once, because a slow learner takes minutes for all laws.
        print(outcome, flush=True)
        n_broken, n_laws = n_broken + (outcome.error is not None), n_laws + 1
    print(f"{name} satisfies {n_laws - n_broken} of {n_laws} laws")
    return 1 if n_broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
