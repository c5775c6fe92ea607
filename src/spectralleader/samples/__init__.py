"""Samples of the stream: a reservoir (the paper's), a window, or everything.

This package chooses documents and stores them; `moments` computes sums over them.
"""

from typing import Any

from spectralleader.checks.states import one_of
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
    "sample_from_state",
    "sample_to_state",
]

SAMPLES: dict[str, type[Sample]] = {
    "everything": Everything,
    "reservoir": Reservoir,
    "window": Window,
}


def sample_to_state(sample: Sample) -> dict[str, Any]:
    """Return the state of a sample, including its kind."""
    kind = next(name for name, cls in SAMPLES.items() if type(sample) is cls)
    return {"kind": kind, **sample.to_state()}


def sample_from_state(state: dict[str, Any]) -> Sample:
    """Return the sample that `sample_to_state` described."""
    return SAMPLES[one_of(state, "kind", SAMPLES)].from_state(state)
