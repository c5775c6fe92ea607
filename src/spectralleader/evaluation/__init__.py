"""JUDGING: the prequential loop, metrics and matching."""

from spectralleader.evaluation.metrics import (
    Metric,
    label_accuracy,
    log_loss,
    recovery_error,
    tensor_loss,
)
from spectralleader.evaluation.prequential import judge, running_averages

__all__ = [
    "Metric",
    "judge",
    "label_accuracy",
    "log_loss",
    "recovery_error",
    "running_averages",
    "tensor_loss",
]
