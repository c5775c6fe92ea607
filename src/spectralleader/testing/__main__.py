"""The command ``python -m spectralleader.testing package.module:Class``."""

from __future__ import annotations

import sys

from spectralleader.learners.registry import find_learner
from spectralleader.testing.checking import run_laws

USAGE = (
    "usage: python -m spectralleader.testing NAME\n"
    "NAME is package.module:Class, or the name of a built-in learner."
)


def main(arguments: list[str]) -> int:
    """Print one line per law; return 0 if all hold, 1 if not, 2 for wrong usage."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write(f"{USAGE}\n")
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        learner = find_learner(arguments[0])
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    n_broken = n_laws = 0
    for outcome in run_laws(learner):
        # At once, because a slow learner takes minutes for all laws.
        print(outcome, flush=True)
        n_broken, n_laws = n_broken + (outcome.error is not None), n_laws + 1
    print(f"{arguments[0]} satisfies {n_laws - n_broken} of {n_laws} laws")
    return 1 if n_broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
