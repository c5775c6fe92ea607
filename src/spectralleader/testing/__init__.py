"""The laws of learners, to test your own learner with; see `check_learner`.

On the command line: ``python -m spectralleader.testing package.module:Class``. This package holds
the laws of all learners; properties of a single learner are in its own tests.
"""

from spectralleader.testing.checking import Outcome, check_learner, run_laws
from spectralleader.testing.requirements import Family, LawError

__all__ = ["Family", "LawError", "Outcome", "check_learner", "run_laws"]
