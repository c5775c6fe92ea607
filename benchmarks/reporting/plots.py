"""Log-log figures of growth and of the races."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.contenders.registry import SPECTRAL
from benchmarks.rows import Results, Row, spread
from benchmarks.sections import growth
from benchmarks.task import TENS, THOUSANDS

STYLE = {"svg.hashsalt": "benchmarks", "svg.fonttype": "none", "font.size": 10}
COLOURS = dict(zip(growth.MODES, ("#1b6ca8", "#d1495b"), strict=True))


def save_figures(results: Results, folder: Path) -> list[Path]:
    """Save the figures that there are rows for; return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = []
    with matplotlib.rc_context(STYLE):
        for name, draw in (("growth", draw_growth), ("blocks", draw_blocks)):
            figure = draw(results)
            if figure is not None:
                saved.append(folder / f"{name}.svg")
                # without a date the same numbers give the same file
                figure.savefig(saved[-1], metadata={"Date": None}, bbox_inches="tight")
                plt.close(figure)
    return saved


def draw_growth(results: Results) -> plt.Figure | None:
    """Draw the time a document against what grows, one panel a sweep."""
    sections = list(dict.fromkeys(row.section for row in results.rows if row.size is not None))
    if not sections:
        return None
    width = 3.6 * len(sections)
    figure, axes = plt.subplots(1, len(sections), figsize=(width, 3), sharey=True, squeeze=False)
    for panel, section in zip(axes[0], sections, strict=True):
        for mode in growth.MODES:
            rows = [row for row in results.rows if (row.section, row.name) == (section, mode)]
            _draw_sweep(panel, rows)
        _scale(panel, [row.size for row in rows], section.removeprefix("growth: "))
    axes[0, 0].set_ylabel("microseconds per document")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 0.9)
    )
    return figure


def _draw_sweep(panel: plt.Axes, rows: list[Row]) -> None:
    sizes, colour = [row.size for row in rows], COLOURS[rows[0].name]
    middles, lows, highs = zip(*(spread(row.values) for row in rows), strict=True)
    panel.plot(sizes, middles, "o-", color=colour, label=rows[0].name)
    panel.fill_between(sizes, lows, highs, color=colour, alpha=0.2)


def draw_blocks(results: Results) -> plt.Figure | None:
    """Draw everybody's time a document against the size of the blocks."""
    names = dict.fromkeys(row.name for row in results.rows if row.section == TENS.name)
    if not names:
        return None
    figure, panel = plt.subplots(figsize=(5, 4))
    for name in names:
        _draw_contender(panel, name, results)
    _scale(panel, [TENS.block_size, THOUSANDS.block_size], "documents per block")
    panel.set_ylabel("microseconds per document")
    panel.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _draw_contender(panel: plt.Axes, name: str, results: Results) -> None:
    races = [race for race in (TENS, THOUSANDS) if results.of(race.name, name)]
    middles = [spread(results.of(race.name, name).values).middle for race in races]
    ours = {"linewidth": 3, "color": "black"} if name == SPECTRAL else {"linewidth": 1}
    panel.plot([race.block_size for race in races], middles, "o-", label=name, **ours)


def _scale(panel: plt.Axes, sizes: Sequence[int | None], name: str) -> None:
    """Make both axes logarithmic, with plain numbers on them."""
    panel.set(xscale="log", yscale="log", xlabel=name)
    panel.set_xticks(sizes, labels=[f"{size:,}" for size in sizes])
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.grid(alpha=0.3)
