"""From rows to a table, a figure and the part of docs/scale.md between its markers."""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.machine import describe
from benchmarks.scale.rows import LDA, OURS, Row

PAGE, FIGURE = Path("docs/scale.md"), Path("docs/figures/scale.svg")
BEGIN, END = "<!-- written by make bench-scale -->", "<!-- end of what it writes -->"
HEADING = (
    "engine", "documents", "workers", "seconds", "per pass", "to generate", "driver MB",
    "worker MB", "passes", "MB down per part", "MB up per part", "held-out nats per word",
)  # fmt: skip
STYLE = {"svg.hashsalt": "scale", "svg.fonttype": "none", "font.size": 10}
COLOURS = dict(zip((*OURS, *LDA), ("#1b6ca8", "#2a9d5c", "#d1495b", "#e8a33d"), strict=True))
MARKERS = "osD^v"


def table(rows: dict[str, Row]) -> str:
    """Return the rows as a table of Markdown."""
    lines = [HEADING, ("---",) * len(HEADING), *(_cells(row) for row in _ordered(rows))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ordered(rows: dict[str, Row]) -> list[Row]:
    places = {engine: place for place, engine in enumerate((*OURS, *LDA))}
    return sorted(
        rows.values(), key=lambda row: (row["documents"], places[row["engine"]], row["workers"])
    )


def _cells(row: Row) -> tuple[str, ...]:
    n_passes = row.get("n_passes")
    return (
        row["engine"],
        f"{row['documents']:,}",
        str(row["workers"]),
        f"{row['seconds']:.1f}",
        f"{row['seconds'] / n_passes:.2f}" if n_passes else "-",
        f"{row['made']:.1f}",
        f"{row['driver_mb']:.0f}",
        f"{row['worker_mb']:.0f}",
        str(n_passes or "-"),
        *(f"{row[key] / 1e6:.1f}" if key in row else "-" for key in ("down", "up")),
        f"{row['fit']:.4f}",
    )


def conditions(rows: dict[str, Row]) -> str:
    """Return what a reader needs to compare numbers, in one sentence or two."""
    machine, loads = describe(), [row["load"] for row in rows.values()]
    errors = [row["fit_error"] for row in rows.values()]
    lost = sum(row["stood_still"] for row in rows.values())
    bounds = [f"{row['bound']:.2f} ({name})" for name, row in rows.items() if "bound" in row]
    own = f" LDA's own bounds: {', '.join(bounds)}." if bounds else ""
    return (
        f"{machine['processor'].split(',')[0]}, {os.cpu_count()} cores, {machine['memory']}; load "
        f"before the runs {min(loads):.1f} to {max(loads):.1f}; {lost:.0f} s in "
        f"which the whole machine stalled are excluded. Standard error of the held-out "
        f"nats {max(errors):.4f}, of differences between rows far less: all use the "
        f"same documents.{own}"
    )


def draw(rows: dict[str, Row], path: Path) -> None:
    """Draw held-out nats per word against seconds, with the most workers there are."""
    most = max(row["workers"] for row in rows.values())
    shown = [row for row in _ordered(rows) if row["workers"] == most]
    sizes = sorted({row["documents"] for row in shown})
    with matplotlib.rc_context(STYLE):
        figure, panel = plt.subplots(figsize=(7, 4))
        for row in shown:
            _draw_row(panel, row, MARKERS[sizes.index(row["documents"]) % len(MARKERS)])
        panel.set_xscale("log")
        panel.set_xlabel(f"seconds, {most} workers")
        panel.set_ylabel("held-out nats per word")
        panel.grid(alpha=0.3)
        _add_legends(panel, sizes, list(dict.fromkeys(row["engine"] for row in shown)))
        path.parent.mkdir(parents=True, exist_ok=True)
        # without a date the same numbers give the same file
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, metadata=metadata, bbox_inches="tight", dpi=120)
        plt.close(figure)


def _draw_row(panel: plt.Axes, row: Row, marker: str) -> None:
    """Draw a run: ours after the spectral method and each pass of EM, LDA at its end."""
    seconds, fits = zip(*(row["points"] or [(row["seconds"], row["fit"])]), strict=True)
    panel.plot(
        seconds, fits, color=COLOURS[row["engine"]], marker=marker, markersize=5, linewidth=1
    )


def _add_legends(panel: plt.Axes, sizes: list[int], engines: list[str]) -> None:
    outside = {"frameon": False, "loc": "upper left"}
    names = [plt.Line2D([], [], color=COLOURS[name], label=name) for name in engines]
    first = panel.legend(handles=names, bbox_to_anchor=(1.0, 1.0), **outside)
    shapes = [
        plt.Line2D([], [], color="grey", marker=marker, linestyle="", label=f"{size:,} documents")
        for size, marker in zip(sizes, MARKERS, strict=False)
    ]
    panel.legend(handles=shapes, bbox_to_anchor=(1.0, 0.6), **outside)
    panel.add_artist(first)


def write(rows: dict[str, Row], page: Path = PAGE, figure: Path = FIGURE) -> None:
    """Write table and figure into the page, between its markers."""
    draw(rows, figure)
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    link = os.path.relpath(figure, page.parent)
    image = f"![held-out nats per word against seconds]({link})"
    inside = "\n\n".join((BEGIN, conditions(rows), table(rows), image, END))
    page.write_text(before + inside + rest.split(END)[1], encoding="utf-8")
