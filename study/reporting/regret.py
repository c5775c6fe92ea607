"""The figure of the analysis: regret, its bounds, and regret against the reservoir size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from study.reporting.figures import COLOURS, Axes, Figure, Line2D, clean
from study.reporting.statistics import Summary, summarise, summary
from study.reporting.study import Study
from study.rows import Contender, Row

# Measurements are coloured; bounds (on noise-free regret) are grey, with different dashes.
BOUNDS = {
    "bound_printed": ("Theorem 1 as printed", (0, (1, 1))),
    "bound_repaired": ("Theorem 1 repaired", (0, (5, 1))),
    "bound_theorem2": ("Theorem 2", (0, (5, 1, 1, 1))),
    "bound_sharp": ("1 + 2 log n + (n/m − 1), eq. 19", (0, (3, 3))),
}
REMEMBERS_ALL, OTHER = COLOURS[4], COLOURS[3]
WITH_RESERVOIR = {"noise-free": COLOURS[1], "leader": COLOURS[0]}  # by role
SIZE = "reservoir_size"


def draw_regret(studies: Sequence[Study]) -> Figure:
    """Return a figure with one column per study: R(n), R(n) / n, and R over the reservoir size."""
    figure = Figure(figsize=(4.2 * len(studies), 9.6), layout="constrained")
    grid = figure.subplots(3, len(studies), sharex="row", sharey="row", squeeze=False)
    for panels, study in zip(grid.T, studies, strict=True):
        _draw_over_steps(panels[0], followed(study), 0)
        _draw_over_steps(panels[1], followed(study), 1)
        n = study.last_step
        _draw_trade(panels[2], [row for row in study.rows if row.step == n])
        panels[0].set_title(study.title, loc="left")
    last = max(study.last_step for study in studies)
    for axes, label in zip(grid[:, 0], ("R(n)", "R(n) / n", f"R({last:,})"), strict=True):
        axes.set_ylabel(f"regret {label}")
    lines = _legend(grid.ravel().tolist())
    figure.legend(handles=lines, loc="outside lower center", ncols=4, frameon=False)
    return figure


def followed(study: Study) -> list[Row]:
    """Return the rows to draw over steps: without a reservoir, and with one reservoir size.

    It is the size closest to the paper's example, epsilon = n^(-1/4).
    """
    given = {row.learner.label: row.learner.parameters.get("epsilon") for row in study.rows}
    sizes = [epsilon for epsilon in given.values() if epsilon]
    n = study.last_step
    example = min(sizes, key=lambda e: abs(math.log(e * n**0.25)), default=None)
    return [row for row in study.rows if given[row.learner.label] in (None, example)]


def _draw_over_steps(axes: Axes, rows: Sequence[Row], power: int) -> None:
    """Draw regret over n^power and the bounds on it."""
    for bound in BOUNDS:
        _draw_bound(axes, [(row.step, row) for row in rows], bound, power)
    learners = {row.learner.label: row.learner for row in rows}
    for label, (steps, mean, error) in summarise(rows, "regret").items():
        scale = steps.astype(float) ** power
        _draw_mean(axes, Summary(steps, mean / scale, error / scale), learners[label])
    _frame(axes, "step n")


def _draw_trade(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the regret at the last step over the size of the reservoir."""
    sized = [(int(row.values[SIZE]), row) for row in rows if SIZE in row.values]
    for bound in ("bound_theorem2", "bound_sharp"):
        _draw_bound(axes, sized, bound, 0)
    for row in rows:
        if SIZE not in row.values:
            axes.axhline(row.values["regret"], **_look(row.learner))
    for learner in {row.learner.name: row.learner for _, row in sized}.values():
        own = [(m, row.values["regret"]) for m, row in sized if row.learner.name == learner.name]
        _draw_mean(axes, summary(*zip(*own, strict=True)), learner, marker="o")
    _frame(axes, "reservoir size m")


def _draw_bound(axes: Axes, rows: Sequence[tuple[int, Row]], bound: str, power: int) -> None:
    """Draw a bound; where rows with and without a reservoir differ, draw the one without."""
    without_last = sorted(rows, key=lambda pair: SIZE not in pair[1].values)
    heights = {x: row.values[bound] / x**power for x, row in without_last if row.values.get(bound)}
    label, dashes = BOUNDS[bound]
    points = sorted(heights.items())
    x, y = zip(*points, strict=True) if points else ((), ())
    axes.plot(x, y, color="0.35", linestyle=dashes, linewidth=1.1, label=label)


def _draw_mean(axes: Axes, measured: Summary, learner: Contender, marker: str = "") -> None:
    """Draw a mean over seeds, with a band of one standard error."""
    x, mean, error = measured
    look = _look(learner)
    axes.plot(x, mean, marker=marker, markersize=4, **look)
    axes.fill_between(x, mean - error, mean + error, color=look["color"], alpha=0.2, linewidth=0)


def _look(learner: Contender) -> dict[str, Any]:
    """Return colour, width and label; a wide line stays visible under a narrow one."""
    if "epsilon" not in learner.parameters:
        label = f"{learner.name}, all remembered"
        return {"color": REMEMBERS_ALL, "linewidth": 4, "label": label}
    colour = WITH_RESERVOIR.get(learner.role, OTHER)
    return {"color": colour, "linewidth": 1.6, "label": f"{learner.name}, reservoir"}


def _legend(panels: Sequence[Axes]) -> list[Line2D]:
    """Return one line per label, measurements first."""
    lines = {str(line.get_label()): line for axes in panels for line in axes.get_lines()}
    return sorted(lines.values(), key=lambda line: str(line.get_color()).startswith("0."))


def _frame(axes: Axes, xlabel: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=xlabel)
    clean(axes)
