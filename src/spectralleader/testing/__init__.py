"""The laws that every learner keeps, to run on one of your own; see `check_learner`.

In the shell: ``python -m spectralleader.testing package.module:Class``. Here belong laws that hold
for any learner; what is particular to one of ours is in its test.
"""

from spectralleader.testing.checking import Outcome, check_learner, run_laws
from spectralleader.testing.requirements import LawError

__all__ = ["LawError", "Outcome", "check_learner", "run_laws"]
