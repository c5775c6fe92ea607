"""Evaluation: prequential losses, agreement with labels, and coherence of topics."""

from spectralleader.evaluation.metrics import coherence, diversity, matched_accuracy, nmi
from spectralleader.evaluation.prequential import Judged, Prequential, meet

__all__ = ["Judged", "Prequential", "coherence", "diversity", "matched_accuracy", "meet", "nmi"]
