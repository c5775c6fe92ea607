"""Samples of the stream: a reservoir (the paper's), a window, or everything.

This package chooses documents and stores them; `moments` computes sums over them.
"""

from typing import Any

from spectralleader.checks.saved import by_kind
from spectralleader.checks.states import check_same
from spectralleader.samples.document_buffer import BlockBuffer, Change
from spectralleader.samples.reservoir import Reservoir
from spectralleader.samples.sample import Sample
from spectralleader.samples.window import Everything, Window

__all__ = [
    "SAMPLES",
    "BlockBuffer",
    "Change",
    "Everything",
    "Reservoir",
    "Sample",
    "Window",
    "read_sample",
]

SAMPLES: dict[str, type[Sample[Any]]] = {
    sample.saved_as: sample for sample in (Everything, Reservoir, Window)
}


def read_sample(state: Any, name: str, n_words: int | None = None) -> Sample:
    """Return the stored sample of one of the kinds, over n_words words if given."""
    sample: Sample = by_kind(*SAMPLES.values())(state, name)
    if n_words is not None:
        check_same("n_words of the sample", sample.n_words, n_words)
    return sample
