"""The figure of the analysis: regret, the bounds on it, and what memory buys."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spectralleader.study.reporting.figures import COLOURS, Axes, Figure, Line2D
from spectralleader.study.reporting.rows import Row, Summary, summarise
from spectralleader.study.reporting.study import Study

# What is measured has a colour; a bound (on noise-free regret) is grey, and told by its dashes.
BOUNDS = {
    "bound_printed": ("Theorem 1 as printed", (0, (1, 1))),
    "bound_repaired": ("Theorem 1 repaired", (0, (5, 1))),
    "bound_theorem2": ("Theorem 2", (0, (5, 1, 1, 1))),
    "bound_sharp": ("1 + 2 log n + (n/m − 1), eq. 19", (0, (3, 3))),
}
REMEMBERS_ALL = COLOURS[4]
WITH_RESERVOIR = {"noise-free": COLOURS[1], "SpectralLeader": COLOURS[0]}
OTHER = COLOURS[3]


def draw_regret(studies: Sequence[Study]) -> Figure:
    """Draw a column a study: R(n), R(n) / n, and the last regret over the reservoir's size."""
    figure = Figure(figsize=(4.2 * len(studies), 9.6), layout="constrained")
    grid = figure.subplots(3, len(studies), sharex="row", sharey="row", squeeze=False)
    for panels, study in zip(grid.T, studies, strict=True):
        rows = chosen(study.rows)
        _draw_over_steps(panels[0], rows, 0)
        _draw_over_steps(panels[1], rows, 1)
        _draw_trade(panels[2], rows)
        panels[0].set_title(study.title, loc="left")
    last = max(row["step"] for study in studies for row in study.rows)
    for axes, label in zip(grid[:, 0], ("R(n)", "R(n) / n", f"R({last:,})"), strict=True):
        axes.set_ylabel(f"regret {label}")
    lines = _legend(grid.ravel().tolist())
    figure.legend(handles=lines, loc="outside lower center", ncols=4, frameon=False)
    return figure


def chosen(rows: Sequence[Row]) -> list[Row]:
    """Return the rows to draw, by learner: of all reservoirs but one, the last step alone.

    The one followed over the steps is nearest to the paper's example, epsilon = n^(-1/4).
    """
    last = max(row["step"] for row in rows)
    sizes = {row["epsilon"] for row in rows if row["epsilon"]}
    example = min(sizes, key=lambda e: abs(math.log(e * last**0.25)), default=None)
    return [
        {**row, "learner": row["leader"]}
        for row in rows
        if row["epsilon"] in (None, example) or row["step"] == last
    ]


def _draw_over_steps(axes: Axes, rows: Sequence[Row], power: int) -> None:
    """Draw regret over n^power and the bounds on it."""
    curves = _curves(rows)
    for bound in BOUNDS:
        _draw_bound(axes, [row for curve in curves for row in curve], bound, power)
    for curve in curves:
        learner, size = curve[0]["learner"], curve[0]["reservoir_size"]
        steps, mean, error = summarise(curve, "regret")[learner]
        scale = steps.astype(float) ** power
        _draw_mean(axes, Summary(steps, mean / scale, error / scale), learner, size)
    _frame(axes, "step n")


def _draw_trade(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the regret at the last step over the size of the reservoir."""
    last = max(row["step"] for row in rows)
    final = [row for row in rows if row["step"] == last]
    sized = [{**row, "step": row["reservoir_size"]} for row in final if row["reservoir_size"]]
    for bound in ("bound_theorem2", "bound_sharp"):
        _draw_bound(axes, sized, bound, 0)
    for row in final:
        if not row["reservoir_size"]:
            axes.axhline(row["regret"], **_look(row["learner"], None))
    for learner, summary in summarise(sized, "regret").items():
        _draw_mean(axes, summary, learner, sized[0]["reservoir_size"], marker="o")
    _frame(axes, "reservoir size m")


def _curves(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each learner and size of reservoir that was followed over the steps."""
    runs: dict[tuple[str, int | None], list[Row]] = {}
    for row in rows:
        runs.setdefault((row["learner"], row["reservoir_size"]), []).append(row)
    return [run for run in runs.values() if len({row["step"] for row in run}) > 1]


def _draw_bound(axes: Axes, rows: Sequence[Row], bound: str, power: int) -> None:
    """Draw a bound; one that counts the reservoir, where there is a choice, without it."""
    without_last = sorted(rows, key=lambda row: row["reservoir_size"] is None)
    values = {row["step"]: row[bound] for row in without_last if row[bound]}
    steps = sorted(values)
    heights = [values[step] / step**power for step in steps]
    label, dashes = BOUNDS[bound]
    axes.plot(steps, heights, color="0.35", linestyle=dashes, linewidth=1.1, label=label)


def _draw_mean(
    axes: Axes, summary: Summary, learner: str, size: int | None, marker: str = ""
) -> None:
    """Draw a mean over seeds, with a band of one standard error."""
    x, mean, error = summary
    look = _look(learner, size)
    axes.plot(x, mean, marker=marker, markersize=4, **look)
    axes.fill_between(x, mean - error, mean + error, color=look["color"], alpha=0.2, linewidth=0)


def _look(learner: str, size: int | None) -> Row:
    """Return colour, width and label: a wide line shows under one that covers it."""
    remembered = "reservoir" if size else "all remembered"
    colour = WITH_RESERVOIR.get(learner, OTHER) if size else REMEMBERS_ALL
    return {"color": colour, "linewidth": 1.6 if size else 4, "label": f"{learner}, {remembered}"}


def _legend(panels: Sequence[Axes]) -> list[Line2D]:
    """Return one line for each label, measured ones first."""
    lines = {str(line.get_label()): line for axes in panels for line in axes.get_lines()}
    return sorted(lines.values(), key=lambda line: str(line.get_color()).startswith("0."))


def _frame(axes: Axes, xlabel: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=xlabel)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
