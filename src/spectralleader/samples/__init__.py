"""Which documents are remembered: a reservoir (the paper's), a window, everything.

Here belongs the choice of documents and their memory. What they add up to is in `moments`.
"""

from typing import Any

from spectralleader.checks.states import one_of
from spectralleader.samples.everything import Everything
from spectralleader.samples.protocol import Change, Sample
from spectralleader.samples.reservoir import Reservoir
from spectralleader.samples.window import Window

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
    """Return a sample's state together with its kind."""
    kind = next(name for name, cls in SAMPLES.items() if type(sample) is cls)
    return {"kind": kind, **sample.to_state()}


def sample_from_state(state: dict[str, Any]) -> Sample:
    """Rebuild the sample of whichever kind `sample_to_state` described."""
    return SAMPLES[one_of(state, "kind", SAMPLES)].from_state(state)
