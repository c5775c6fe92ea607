"""Log-log figures of growth and of the races."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

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
    sweeps = list(dict.fromkeys(row.section for row in results.rows if row.size is not None))
    if not sweeps:
        return None
    figure, axes = plt.subplots(
        1, len(sweeps), figsize=(3.2 * len(sweeps), 3), sharey=True, squeeze=False
    )
    for panel, section in zip(axes[0], sweeps, strict=True):
        for mode, colour in COLOURS.items():
            _line(
                panel, [r for r in results.rows if (r.section, r.name) == (section, mode)], colour
            )
        panel.set(xscale="log", yscale="log", xlabel=section.removeprefix("growth: "))
        panel.grid(which="both", alpha=0.2)
    axes[0, 0].set_ylabel("microseconds a document")
    axes[0, 0].legend(frameon=False, fontsize=8)
    return figure


def _line(panel: plt.Axes, rows: list[Row], colour: str) -> None:
    sizes = [row.size for row in rows]
    middles, lows, highs = zip(*(spread(row.values) for row in rows), strict=True)
    panel.plot(sizes, middles, "o-", color=colour, label=rows[0].name)
    panel.fill_between(sizes, lows, highs, color=colour, alpha=0.2)


def draw_blocks(results: Results) -> plt.Figure | None:
    """Draw everybody's time a document against the size of the blocks."""
    names = dict.fromkeys(r.name for r in results.rows if r.section == TENS.name)
    if not names:
        return None
    figure, panel = plt.subplots(figsize=(6, 4))
    for name in names:
        found = [
            (race.block_size, row)
            for race in (TENS, THOUSANDS)
            if (row := results.of(race.name, name))
        ]
        sizes = [size for size, _ in found]
        middles = [spread(row.values).middle for _, row in found]
        panel.plot(sizes, middles, "o-", label=name, linewidth=3 if name == SPECTRAL else 1)
    panel.set(
        xscale="log", yscale="log", xlabel="documents a block", ylabel="microseconds a document"
    )
    panel.grid(which="both", alpha=0.2)
    panel.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
