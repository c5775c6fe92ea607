"""Evaluation: the prequential loop, metrics, and agreement with labels."""

from spectralleader.evaluation.metrics import (
    Metric,
    label_accuracy,
    log_loss,
    recovery_error,
    tensor_loss,
)
from spectralleader.evaluation.prequential import (
    Judged,
    Prequential,
    judge,
    meet,
    running_averages,
)

__all__ = [
    "Judged",
    "Metric",
    "Prequential",
    "judge",
    "label_accuracy",
    "log_loss",
    "meet",
    "recovery_error",
    "running_averages",
    "tensor_loss",
]
