"""Figures: losses over steps, readable in print and by the colour-blind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spectralleader.reporting.rows import Row, Summary, summarise

# Okabe and Ito's palette: told apart by the colour-blind, and in grey by its lightness
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
TRUTH = "true model"


def draw_losses(rows: Sequence[Row], metrics: Mapping[str, str], path: Path, *, title: str) -> Path:
    """Draw every metric over the steps in a panel of its own, a line a learner; write the file."""
    figure = Figure(figsize=(4.8 * len(metrics), 3.6), layout="constrained")
    panels = figure.subplots(1, len(metrics), squeeze=False)[0]
    for axes, (metric, label) in zip(panels, metrics.items(), strict=True):
        draw_panel(axes, summarise(rows, metric))
        axes.set(xlabel="step", ylabel=label)
    panels[0].legend(frameon=False)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return path


def draw_panel(axes: Axes, summaries: Mapping[str, Summary]) -> None:
    """Draw one metric: the mean of each learner, and a band of one standard error."""
    colours = iter(COLOURS)
    learned = [summary for name, summary in summaries.items() if name != TRUTH]
    for name, summary in summaries.items():
        steps, mean = summary.steps[1:], summary.mean[1:]  # nothing is counted at step 1
        if name == TRUTH:
            if mean.any():  # the truth's own recovery error is the axis
                axes.plot(steps, mean, color="0.3", linestyle="--", linewidth=1.2, label=name)
            continue
        colour = next(colours)
        error = summary.error[1:]
        axes.plot(steps, mean, color=colour, linewidth=1.8, label=name)
        axes.fill_between(steps, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    _frame(axes, learned)


def _frame(axes: Axes, summaries: Sequence[Summary]) -> None:
    """Cut off the first steps' extremes, so that the rest can be seen."""
    settled = [summary.mean[len(summary.mean) // 20 + 1 :] for summary in summaries]
    highest = max(float(values.max()) for values in settled if len(values))
    lowest = min(float(values.min()) for values in settled if len(values))
    margin = 0.15 * (highest - lowest) or 1.0
    axes.set_ylim(max(0.0, lowest - 3 * margin) if lowest >= 0 else None, highest + margin)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
