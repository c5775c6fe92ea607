"""The jobs behind the commands: each is one call that returns a result.

This package connects sources, learners and files. It prints nothing; `cli` does.
"""

from spectralleader.jobs.evaluating import Evaluation, evaluate
from spectralleader.jobs.learn_result import LearnResult
from spectralleader.jobs.learning import learn, run
from spectralleader.jobs.model_files import MergeResult, merge
from spectralleader.jobs.options import LearnOptions, Progress, Source
from spectralleader.jobs.predicting import Prediction, predict
from spectralleader.reading.description import Description, describe

__all__ = [
    "Description",
    "Evaluation",
    "LearnOptions",
    "LearnResult",
    "MergeResult",
    "Prediction",
    "Progress",
    "Source",
    "describe",
    "evaluate",
    "learn",
    "merge",
    "predict",
    "run",
]
