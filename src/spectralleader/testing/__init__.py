"""TESTING: the laws that every learner keeps, to run on one of your own; see `check_learner`.

In the shell: ``python -m spectralleader.testing package.module:Class``.
"""

from spectralleader.testing.checking import Outcome, check_learner, run_laws
from spectralleader.testing.requirements import LawError

__all__ = ["LawError", "Outcome", "check_learner", "run_laws"]
