"""Samples of the stream: a reservoir (the paper's), a window, or everything.

This package chooses documents and stores them; `moments` computes sums over them.
"""

from typing import Any

from spectralleader.checks.states import check_same, one_of, part
from spectralleader.samples.protocol import Change, Sample
from spectralleader.samples.reservoir import Reservoir
from spectralleader.samples.window import Everything, Window

__all__ = [
    "SAMPLES",
    "Change",
    "Everything",
    "Reservoir",
    "Sample",
    "Window",
    "read_sample",
]

SAMPLES: dict[str, type[Sample]] = {
    "everything": Everything,
    "reservoir": Reservoir,
    "window": Window,
}


def read_sample(state: Any, name: str, n_words: int | None = None) -> Sample:
    """Return the stored sample of one of the kinds, over n_words words if given."""
    stored = part(state, name)
    sample = SAMPLES[one_of(stored, "kind", SAMPLES)].from_state(stored)
    if n_words is not None:
        check_same("n_words of the sample", sample.n_words, n_words)
    return sample
