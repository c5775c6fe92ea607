"""Judging: the prequential loop, metrics, agreement with labels, regret and the bounds on it.

Here belongs what says how good a model or a learner is. Experiments that compare learners for a
reader are in `study`.
"""

from spectralleader.evaluation.metrics import (
    Metric,
    label_accuracy,
    log_loss,
    recovery_error,
    tensor_loss,
)
from spectralleader.evaluation.prequential import Prequential, judge, meet, running_averages
from spectralleader.evaluation.regret import Hindsight, expected_loss

__all__ = [
    "Hindsight",
    "Metric",
    "Prequential",
    "expected_loss",
    "judge",
    "label_accuracy",
    "log_loss",
    "meet",
    "recovery_error",
    "running_averages",
    "tensor_loss",
]
