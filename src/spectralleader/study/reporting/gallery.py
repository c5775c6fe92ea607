"""Gallery: which figure shows which studies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spectralleader.study.reporting.figures import Figure, draw_over_steps
from spectralleader.study.reporting.regret import draw_regret
from spectralleader.study.reporting.study import Study

# figures that are not laid out like the paper's: metrics in columns over the steps
GALLERY: dict[str, Callable[[Sequence[Study]], Figure]] = {"regret": draw_regret}


def draw(name: str, studies: Sequence[Study]) -> Figure:
    """Draw the figure of that name."""
    return GALLERY.get(name, draw_over_steps)(studies)
