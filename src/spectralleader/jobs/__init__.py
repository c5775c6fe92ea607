"""The jobs behind the commands: each is one call that returns a result.

This package connects sources, learners and files. It prints nothing; `cli` does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spectralleader.jobs.evaluating import Evaluation, evaluate
    from spectralleader.jobs.learning import LearnResult, learn, run
    from spectralleader.jobs.model_files import MergeResult, merge
    from spectralleader.jobs.options import LearnOptions, Progress, Source
    from spectralleader.jobs.predicting import Prediction, predict
    from spectralleader.reading.description import Description, describe

__all__ = ["Description", "Evaluation", "LearnOptions", "LearnResult", "MergeResult", "Prediction"]
__all__ += ["Progress", "Source", "describe", "evaluate", "learn", "merge", "predict", "run"]

# Imported on first use: the command line makes its options from `LearnSettings`, without NumPy.
HOMES = dict.fromkeys(("Description", "describe"), "reading.description")
HOMES |= dict.fromkeys(("Evaluation", "evaluate"), "jobs.evaluating")
HOMES |= dict.fromkeys(("LearnResult", "learn", "run"), "jobs.learning")
HOMES |= dict.fromkeys(("LearnOptions", "Progress", "Source"), "jobs.options")
HOMES |= dict.fromkeys(("MergeResult", "merge"), "jobs.model_files")
HOMES |= dict.fromkeys(("Prediction", "predict"), "jobs.predicting")


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"spectralleader.{HOMES[name]}"), name)
