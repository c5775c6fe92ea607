"""Figures laid out like the paper's: one row per problem, one column per metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from spectralleader.errors import missing_extra
from study.reporting.statistics import Summary, standard_error, summarise
from study.reporting.study import Study, metric_label

# Everything that draws imports this module at its top, so that a command fails before it computes
# anything if matplotlib is missing.
try:
    import matplotlib as mpl
    from matplotlib.axes import Axes as Axes  # as: others import it from here
    from matplotlib.figure import Figure as Figure
    from matplotlib.lines import Line2D as Line2D
except ImportError as error:
    raise ImportError(missing_extra("drawing a figure", "study")) from error

Style = dict[str, Any]
Panel = Callable[[Axes, Study, str], None]

# Okabe and Ito's palette for colour-blind readers, ordered for contrast in grey; colours close to
# the shades of a grid come last.
COLOURS = ("#0072B2", "#56B4E9", "#CC79A7", "#009E73", "#000000", "#D55E00", "#E69F00")
LITERAL: Style = {"color": "0", "linestyle": (0, (1, 2)), "linewidth": 1.6, "zorder": 5}
# Markers distinguish the settings of a grid in grey print.
MARKERS = ("o", "v", "s", "^", "D", "x")
N_MARKS = 7  # markers per curve
N_COLUMNS = 4  # columns of the legend, at most
LEGEND_HEIGHT = 0.7  # inches reserved for the legend; a taller one enlarges the figure
BEST = "best tuned:"
REFERENCE: Style = {"color": "0.35", "linestyle": "--", "linewidth": 1.2}


def draw_over_steps(studies: Sequence[Study]) -> Figure:
    """Return a figure of every metric over steps: mean over runs, with a standard error band."""
    return _draw(studies, _curves, xlabel="step n")


def draw_over_axis(studies: Sequence[Study]) -> Figure:
    """Return a figure of every final metric against the parameter of the grid."""
    return _draw(studies, _settings, xlabel=str(studies[0].axis))


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure in the format of the file's extension."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".svg":
        path.write_text(as_svg(figure), encoding="utf-8")
    else:
        figure.savefig(path, dpi=110)
    return path


def as_svg(figure: Figure) -> str:
    """Return a figure as reproducible SVG, without a date."""
    with mpl.rc_context({"svg.hashsalt": "spectralleader"}):
        figure.savefig(text := StringIO(), format="svg", metadata={"Date": None})
    return text.getvalue()


def _draw(studies: Sequence[Study], panel: Panel, *, xlabel: str) -> Figure:
    metrics = list(dict.fromkeys(metric for study in studies for metric in study.metrics))
    size = (4.8 * len(metrics), 2.9 * len(studies) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(studies), len(metrics), squeeze=False)
    for axes_row, study in zip(grid, studies, strict=True):
        for axes, metric in zip(axes_row, metrics, strict=True):
            if metric in study.metrics:
                panel(axes, study, metric)
            else:
                axes.set_axis_off()
            axes.set_ylabel(metric_label(metric))
        axes_row[0].set_title(study.title, loc="left", fontsize="medium", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    _share_legend(figure)
    return figure


def _share_legend(figure: Figure) -> None:
    entries: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            if not name.startswith(BEST):  # differs between panels: each has its own legend
                entries.setdefault(name, handle)
    for n_columns in range(min(N_COLUMNS, len(entries)), 0, -1):
        shown: Style = {"ncols": n_columns, "frameon": False}
        legend = figure.legend(
            entries.values(), entries.keys(), loc="outside lower center", **shown
        )
        extent = legend.get_window_extent()
        if n_columns == 1 or extent.width <= figure.bbox.width:
            break
        legend.remove()  # too wide: it would be cut off
    else:
        return
    width, height = figure.get_size_inches()
    more_rows = max(0.0, extent.height / figure.dpi - LEGEND_HEIGHT)
    figure.set_size_inches(max(width, extent.width / figure.dpi), height + more_rows)


def styles(study: Study) -> dict[str, Style]:
    """Return the line style of each learner; a grid has shades of one colour."""
    grid = study.grid
    fixed = dict.fromkeys(study.of_role("reference"), REFERENCE)
    fixed |= dict.fromkeys(study.of_role("literal"), LITERAL)  # coincides with the fast learner
    others = [name for name in study.learners if name not in grid and name not in fixed]
    drawn: dict[str, Style] = {
        name: {"color": COLOURS[i % len(COLOURS)], "linewidth": 2.2, "zorder": 3}
        for i, name in enumerate(others)
    }
    shades = mpl.colormaps["YlOrBr"](np.linspace(0.45, 0.95, len(grid)))
    for i, (name, shade) in enumerate(zip(grid, shades, strict=True)):
        drawn[name] = {"color": shade, "linewidth": 0.9, "marker": MARKERS[i % len(MARKERS)]}
        drawn[name] |= {"markersize": 4.5, "markerfacecolor": "none"}
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
        _frame(axes, summaries.values())
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
    thick = style | {"linewidth": 2.0, "markerfacecolor": style["color"], "zorder": 4}
    axes.plot(x, y, **thick, markevery=_spread(len(x), len(axes.lines)))
    axes.plot([], [], **thick, label=text)
    own = [pair for pair in zip(*axes.get_legend_handles_labels(), strict=True) if pair[1] == text]
    axes.legend(*zip(*own, strict=True), loc="upper right", fontsize="small", framealpha=0.8)


def _settings(axes: Axes, study: Study, metric: str) -> None:
    """Draw the final values of the grid as points, and those of other learners as lines."""
    finals, tried, truth = study.finals(metric), study.grid, study.of_role("reference")
    means = [float(finals[name].mean()) for name in tried]
    errors = [standard_error(finals[name]) for name in tried]
    shade = mpl.colormaps["YlOrBr"](0.8)
    axes.errorbar(list(tried.values()), means, errors, color=shade, marker="o", capsize=3,
                  label=f"at each {study.axis}")  # fmt: skip
    for name, style in styles(study).items():
        if name in tried or (name in truth and not finals[name].any()):
            continue
        mean, error = float(finals[name].mean()), standard_error(finals[name])
        axes.axhline(mean, **style, label=name)
        if name not in truth:
            axes.axhspan(mean - error, mean + error, color=style["color"], alpha=0.15, lw=0)
    if max(tried.values()) > 10 * min(tried.values()):
        axes.set_xscale("log")
    axes.set_xticks(values := sorted(set(tried.values())), [f"{value:,g}" for value in values])
    axes.minorticks_off()  # of a log scale: they are not values of the grid
    clean(axes)
