"""The figure of `evaluate`: running losses, or metrics by number of topics; requires matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from spectralleader.errors import missing_extra
from spectralleader.jobs.evaluating import METRICS

# At the top, so that the command fails before it reads anything if matplotlib is missing.
try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(missing_extra("drawing a figure", "study")) from error

if TYPE_CHECKING:
    from spectralleader.jobs import Evaluation

# Okabe and Ito's palette for colour-blind readers, ordered for contrast in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


def draw(result: Evaluation, path: Path) -> None:
    """Write a figure of losses over time, or over numbers of topics if several were compared."""
    figure = draw_losses(result) if result.held_out is None else draw_numbers(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without a date and with fixed ids, so that equal figures are equal files.
    with mpl.rc_context({"svg.hashsalt": "spectralleader"}):
        figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_losses(result: Evaluation) -> Figure:
    """Return a figure of the running L1 of each learner over steps."""
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    prepare(axes, "step", "L1")
    for name in result.contenders:
        points = [(step, losses[name]) for step, losses in result.curve if name in losses]
        axes.plot([step for step, _ in points], [loss for _, loss in points], label=name)
    # Early losses are far off: the axis shows the range of the last nine tenths of the steps.
    late = result.curve[len(result.curve) // 10 :]
    settled = [loss for _, losses in late for loss in losses.values()]
    if (spread := max(settled) - min(settled)) > 0.0:
        axes.set_ylim(min(settled) - 0.1 * spread, max(settled) + 0.15 * spread)
    return finish(figure, result)


def draw_numbers(result: Evaluation) -> Figure:
    """Return a figure of every metric of each learner by its number of topics."""
    found = [(contender.name, contender.summary()) for contender in result.contenders.values()]
    metrics = [
        name
        for name, metric in METRICS.items()
        if metric.axis and all(values[name] is not None for _, values in found)
    ]
    numbers = sorted({int(values["topics"] or 0) for _, values in found})
    figure = Figure(figsize=(4.2 * len(metrics), 3.6), layout="constrained")
    for axes, metric in zip(
        figure.subplots(1, len(metrics), squeeze=False)[0], metrics, strict=True
    ):
        prepare(axes, "number of topics", metric)
        for name in dict.fromkeys(name for name, _ in found):
            own = sorted((v["topics"], v[metric]) for other, v in found if other == name)
            axes.plot([k for k, _ in own], [value for _, value in own], marker="o", label=name)
        if numbers[-1] > 10 * numbers[0]:
            axes.set_xscale("log")
        axes.set_xticks(numbers, [f"{number:,}" for number in numbers])
        axes.minorticks_off()  # of a log scale: they are not numbers that were compared
    return finish(figure, result)


def prepare(axes: Axes, xlabel: str, metric: str) -> None:
    """Label the axes, and set colours, spines and a light grid."""
    axes.set_prop_cycle(color=COLOURS)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(METRICS[metric].axis)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.8)


def finish(figure: Figure, result: Evaluation) -> Figure:
    """Add the name of the input, and one legend for all panels."""
    first, (name, *others) = figure.axes[0], result.reader.names
    title = Path(name).name + (f" and {len(others)} more" if others else "")
    first.set_title(title, loc="left", fontsize="medium", fontweight="bold")
    figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure
