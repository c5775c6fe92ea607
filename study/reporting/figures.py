"""Figures laid out like the paper's, one row per problem, one column per metric; that of regret.

They are sized for a printed page: 17 cm wide, with text of 8 points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np

from spectralleader.errors import missing_extra
from study.reporting.study import (
    Study,
    Summary,
    metric_label,
    summarise,
    summary,
)
from study.rows import Contender, Row

# Everything that draws imports this module at its top, so that a command fails before it computes
# anything if matplotlib is missing.
try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(missing_extra("drawing a figure", "study")) from error

# For all of this process: ticks read these settings when a figure is saved.
mpl.rcParams.update({"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7})
mpl.rcParams.update({"xtick.labelsize": 7, "ytick.labelsize": 7, "pdf.fonttype": 42})

Style = dict[str, Any]

# Okabe and Ito's palette for colour-blind readers, ordered for contrast in grey; colours close to
# the shades of a grid come last.
COLOURS = ("#0072B2", "#56B4E9", "#CC79A7", "#009E73", "#000000", "#D55E00", "#E69F00")
LEADER: Style = {"color": COLOURS[0], "linewidth": 1.8, "zorder": 6}  # on top of everything
# Wide and pale under the leader, which it coincides with.
LITERAL: Style = {"color": "#A6CEE3", "linewidth": 5.0, "zorder": 5}
# Markers distinguish the settings of a grid in grey print.
MARKERS = ("o", "v", "s", "^", "D", "x")
N_MARKS = 7  # markers per curve
WIDTH, PANEL = 6.7, 1.9  # inches: the width of a page's text, the height of a panel
N_COLUMNS = 4  # columns of the legend, at most
HANDLE, LETTER, LINE = 0.5, 0.06, 0.16  # inches of a line, a letter and a row of the legend
# Our additions: in the tables of the paper's problems, but not in its figures.
BESIDE = ("variant", "predictor", "baseline")
BEST = "best tuned:"
REFERENCE: Style = {"color": "0.35", "linestyle": "--", "linewidth": 1.2}


def draw_over_steps(studies: Sequence[Study]) -> Figure:
    """Return a figure of every metric over steps: mean over runs, with a standard error band."""
    metrics = list(dict.fromkeys(metric for study in studies for metric in study.metrics))
    figure = Figure(figsize=(WIDTH, PANEL * len(studies) + 0.2), layout="constrained")
    grid = figure.subplots(len(studies), len(metrics), squeeze=False)
    for axes_row, study in zip(grid, studies, strict=True):
        for axes, metric in zip(axes_row, metrics, strict=True):
            if metric in study.metrics:
                _curves(axes, study, metric)
            else:
                axes.set_axis_off()
            axes.set_ylabel(metric_label(metric))
    _letter(grid, {len(metrics) * i: study.title for i, study in enumerate(studies)})
    for axes in grid[-1]:
        axes.set_xlabel("step n")
        axes.xaxis.get_major_locator().set_params(integer=True)
    _share_legend(figure)
    return figure


def _letter(grid: Any, titles: Mapping[int, str]) -> None:
    """Give every panel its letter, and some a title after it."""
    for i, axes in enumerate(grid.flat):
        axes.set_title(f"({ascii_lowercase[i]}) {titles.get(i, '')}", loc="left")


def _share_legend(figure: Figure) -> None:
    entries: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            if not name.startswith(BEST):  # differs between panels: each has its own legend
                entries.setdefault(name, handle)
    # Sized before it is drawn: a legend outside the panels shrinks them, and one that is wider than
    # the figure is cut off.
    width, height = figure.get_size_inches()
    entry = HANDLE + LETTER * max(map(len, entries))
    n_columns = max(1, min(N_COLUMNS, int(width / entry)))
    figure.set_size_inches(max(width, entry), height + LINE * -(-len(entries) // n_columns))
    shown: Style = {"loc": "outside lower center", "ncols": n_columns, "frameon": False}
    figure.legend(entries.values(), entries.keys(), **shown)


def styles(study: Study) -> dict[str, Style]:
    """Return the line style of each learner; a grid has shades of one colour."""
    grid = study.grid
    fixed = dict.fromkeys(study.of_role("reference"), REFERENCE)
    # The mean of fewer runs is that of other documents, and would lie beside what it equals.
    literal = [name for name in study.of_role("literal") if study.learners[name].seeds is None]
    fixed |= dict.fromkeys(literal, LITERAL)
    fixed |= dict.fromkeys(study.of_role("leader"), LEADER)
    left_out = study.of_role("literal", *(BESIDE if study.paper else ()))
    others = [name for name in study.learners if name not in {*grid, *fixed, *left_out}]
    drawn: dict[str, Style] = {
        name: {"color": COLOURS[1:][i % (len(COLOURS) - 1)], "linewidth": 1.2, "zorder": 5}
        for i, name in enumerate(others)
    }
    shades = mpl.colormaps["YlOrBr"](np.linspace(0.45, 0.95, len(grid)))
    for i, (name, shade) in enumerate(zip(grid, shades, strict=True)):
        drawn[name] = {"color": shade, "linewidth": 0.9, "marker": MARKERS[i % len(MARKERS)]}
        drawn[name] |= {"markersize": 3.5, "markeredgewidth": 0.7, "markerfacecolor": "none"}
    return drawn | fixed


def _curves(axes: Axes, study: Study, metric: str) -> None:
    summaries = summarise(study.rows, metric)
    best, truth = study.ranked(metric)[:1], study.of_role("reference")
    for name, style in styles(study).items():
        steps, mean, error = (values[1:] for values in summaries[name])  # step 1 counts as 0
        if name in truth and not mean.any():
            continue  # the recovery error of the truth is 0: it would hide the axis
        (line,) = axes.plot(steps, mean, **style, label=name)
        line.set_markevery(_spread(len(steps), len(axes.lines)))
        axes.fill_between(steps, mean - error, mean + error, color=style["color"], alpha=0.15, lw=0)
        if name in best:
            _mark(axes, steps, mean, style, f"{BEST} {name}")
    if metric in study.log:
        axes.set_yscale("log")
    else:
        _frame(axes, (summaries[name] for name in styles(study)))
    clean(axes)


def _frame(axes: Axes, summaries: Iterable[Summary]) -> None:
    """Scale the axis to the last nine tenths of the steps; early values are far off."""
    settled = np.concatenate([s.mean[len(s.mean) // 10 + 1 :] for s in summaries])
    if len(settled) and (spread := float(np.ptp(settled))) > 0.0:
        axes.set_ylim(
            settled.min() - (0.1 * spread if settled.min() else 0.0), settled.max() + 0.15 * spread
        )


def clean(axes: Axes) -> None:
    """Remove the upper and right spines, and add a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)


def _spread(n: int, i: int) -> tuple[int, int]:
    """Return first and step of the markers of the i-th curve, so that curves' markers differ."""
    every = max(1, n // N_MARKS)
    return i * every // len(MARKERS) % every, every


def _mark(axes: Axes, x: Any, y: Any, style: Style, text: str) -> None:
    thick = style | {"linewidth": 1.6, "markerfacecolor": style["color"], "zorder": 4}
    axes.plot(x, y, **thick, markevery=_spread(len(x), len(axes.lines)))
    axes.plot([], [], **thick, label=text)
    own = [pair for pair in zip(*axes.get_legend_handles_labels(), strict=True) if pair[1] == text]
    axes.legend(*zip(*own, strict=True), loc="best", framealpha=0.8)


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
    figure = Figure(figsize=(WIDTH, 3 * PANEL + 4 * LINE), layout="constrained")
    grid = figure.subplots(3, len(studies), sharex="row", sharey="row", squeeze=False)
    for panels, study in zip(grid.T, studies, strict=True):
        rows = followed(study)
        _draw_over_steps(panels[0], rows, 0)
        _draw_over_steps(panels[1], rows, 1)
        at_end = [row for row in study.rows if row.step == study.last_step]
        _draw_trade(panels[2], [row for row in at_end if row.learner.role not in BESIDE])
    _letter(grid, {i: study.title for i, study in enumerate(studies)})
    last = max(study.last_step for study in studies)
    for axes, label in zip(grid[:, 0], ("R(n)", "R(n) / n", f"R({last:,})"), strict=True):
        axes.set_ylabel(f"regret {label}")
    # One line per label, measurements first.
    entries = {str(line.get_label()): line for axes in grid.flat for line in axes.get_lines()}
    lines = sorted(entries.values(), key=lambda line: str(line.get_color()).startswith("0."))
    figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def followed(study: Study) -> list[Row]:
    """Return the rows to draw over steps: without a reservoir, and with one reservoir size.

    Our additions are in the tables only. The size is the one closest to the paper's example,
    epsilon = n^(-1/4).
    """
    given = {row.learner.label: row.learner.parameters.get("epsilon") for row in study.rows}
    sizes = [epsilon for epsilon in given.values() if epsilon]
    n = study.last_step
    example = min(sizes, key=lambda e: abs(math.log(e * n**0.25)), default=None)
    rows = [row for row in study.rows if row.learner.role not in BESIDE]
    return [row for row in rows if given[row.learner.label] in (None, example)]


def _draw_over_steps(axes: Axes, rows: Sequence[Row], power: int) -> None:
    """Draw regret over n^power and the bounds on it."""
    for bound in BOUNDS:
        _draw_bound(axes, [(row.step, row) for row in rows], bound, power)
    learners = {row.learner.label: row.learner for row in rows}
    for label, (steps, mean, error) in summarise(rows, "regret").items():
        scale = steps.astype(float) ** power
        _draw_mean(axes, Summary(steps, mean / scale, error / scale), learners[label])
    _log_frame(axes, "step n")


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
    _log_frame(axes, "reservoir size m")


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
    axes.plot(x, mean, marker=marker, markersize=3, **look)
    axes.fill_between(x, mean - error, mean + error, color=look["color"], alpha=0.2, linewidth=0)


def _look(learner: Contender) -> dict[str, Any]:
    """Return colour, width and label; a wide line stays visible under a narrow one."""
    if "epsilon" not in learner.parameters:
        label = f"{learner.name}, all remembered"
        return {"color": REMEMBERS_ALL, "linewidth": 3, "label": label}
    colour = WITH_RESERVOIR.get(learner.role, OTHER)
    return {"color": colour, "linewidth": 1.4, "label": f"{learner.name}, reservoir"}


def _log_frame(axes: Axes, xlabel: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=xlabel)
    clean(axes)
