"""JOBS: what the commands do, each one call that returns a result; nothing is printed here."""

from spectralleader.jobs.describing import Description, describe
from spectralleader.jobs.evaluating import Evaluation, evaluate
from spectralleader.jobs.learning import Learned, learn
from spectralleader.jobs.merging import Merged, merge
from spectralleader.jobs.predicting import Prediction, predict
from spectralleader.jobs.source import Source
from spectralleader.jobs.watcher import Watcher

__all__ = [
    "Description",
    "Evaluation",
    "Learned",
    "Merged",
    "Prediction",
    "Source",
    "Watcher",
    "describe",
    "evaluate",
    "learn",
    "merge",
    "predict",
]
