"""JUDGING: the prequential loop, metrics, matching, regret and the bounds on it."""

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
