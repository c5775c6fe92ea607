"""Evaluation: the prequential loop, metrics, agreement with labels, regret and its bounds.

This package measures one model or learner. `study` runs the experiments that compare learners.
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
