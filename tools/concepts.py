"""Draw the figures of docs/concepts.md: ``python -m tools.concepts``.

Everything in them is computed by the library, from a model of two topics over six words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from spectralleader import TopicModel
from spectralleader.arrays import Floats

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
WORDS = ("rain", "wind", "late", "today", "goal", "match")
NAMES, COLOURS = ("weather", "sport"), ("#1f77b4", "#d95f02")
MODEL = TopicModel(
    [0.6, 0.4], [[0.30, 0.22, 0.20, 0.24, 0.02, 0.02], [0.02, 0.03, 0.18, 0.20, 0.30, 0.27]]
)
N_DOCS, LENGTH, SEED = 500, 12, 3


def sampled_pairs() -> Floats:
    """Return how often two places of a document have two words, in documents of the model."""
    rng = np.random.default_rng(SEED)
    topics = rng.choice(2, size=N_DOCS, p=MODEL.weights)
    counts = np.stack([rng.multinomial(LENGTH, MODEL.topics[k]) for k in topics]).astype(float)
    pairs = counts.T @ counts - np.diag(counts.sum(axis=0))
    return np.asarray(pairs / pairs.sum())


def draw_pairs() -> None:
    """Draw the second moment as a sum of one matrix for each topic, and its estimate."""
    parts = [w * np.outer(u, u) for w, u in zip(MODEL.weights, MODEL.topics, strict=True)]
    shown = [*parts, sum(parts), sampled_pairs()]
    titles = [f"{w:.1f} × {name}" for w, name in zip(MODEL.weights, NAMES, strict=True)]
    titles += ["their sum:\nall pairs of words", f"counted in\n{N_DOCS} documents"]
    figure, axes = plt.subplots(1, 4, figsize=(10, 3.1), layout="constrained")
    for ax, matrix, title, sign in zip(axes, shown, titles, ("+", "=", "≈", ""), strict=True):
        ax.imshow(matrix, cmap="Blues", vmin=0.0, vmax=max(map(np.max, parts)))
        ax.set_title(title, fontsize=11)
        ax.set_xticks(range(len(WORDS)), WORDS, rotation=60)
        ax.set_yticks(range(len(WORDS)), WORDS if ax is axes[0] else [""] * len(WORDS))
        ax.tick_params(length=0)
        ax.text(1.13, 0.5, sign, transform=ax.transAxes, fontsize=18, ha="center", va="center")
    save(figure, "concept-pairs")


def draw_whitening() -> None:
    """Draw topics before and after whitening, and the tensor around the circle."""
    scaled = np.sqrt(MODEL.weights)[:, None] * MODEL.topics  # (K, d)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    values, vectors = values[-2:], vectors[:, -2:]
    plane = scaled @ vectors
    plane *= np.sign(plane.sum(axis=0))
    white = plane / np.sqrt(values)
    figure, axes = plt.subplots(1, 3, figsize=(10, 4.0), layout="constrained")
    circle = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 400)), np.sin(t)])
    draw_arrows(
        axes[0],
        plane,
        np.sqrt(values)[:, None] * circle,
        "1. topics, in the plane of\ntheir pairs of words",
    )
    draw_arrows(axes[1], white, circle, "2. whitened: every topic is\northogonal to the others")
    draw_climb(axes[2], white, circle)
    save(figure, "concept-whitening")


def draw_arrows(ax: Any, ends: Floats, outline: Floats, title: str) -> None:
    """Draw an arrow for each topic, and what the second moment looks like."""
    ax.plot(*outline, color="0.75", lw=1.2)
    for end, name, colour in zip(ends, NAMES, COLOURS, strict=True):
        ax.annotate(
            "",
            end,
            (0, 0),
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "lw": 2.2,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        ax.annotate(name, end, 1.2 * end, color=colour, ha="center", va="center", fontsize=11)
    frame(ax, 1.35 * float(np.abs(outline).max()), title)


def draw_climb(ax: Any, white: Floats, circle: Floats) -> None:
    """Draw the third moment in every direction, and the power method from one start."""
    strengths = 1.0 / np.sqrt(MODEL.weights)
    strengths = strengths / strengths.max()

    def moment(v: Floats) -> Floats:
        return np.asarray(strengths @ (white @ v) ** 3)

    ax.plot(*(np.maximum(moment(circle), 0.0) * circle), color="0.35", lw=1.5)
    point = np.array([np.cos(0.99), np.sin(0.99)])
    for _ in range(5):
        ax.plot(*(moment(point) * point), "o", color="black", ms=4)
        point = white.T @ (strengths * (white @ point) ** 2)
        point /= np.linalg.norm(point)
    for end, name, colour, size in zip(white, NAMES, COLOURS, strengths, strict=True):
        ax.annotate(
            "",
            size * end,
            (0, 0),
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "lw": 2.2,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        ax.annotate(
            name, end, (size + 0.24) * end, color=colour, ha="center", va="center", fontsize=11
        )
    frame(ax, 1.35, "3. triples of words: a peak at each\ntopic, which the power method climbs")


def frame(ax: Any, size: float, title: str) -> None:
    """Leave out what does not speak."""
    ax.set(xlim=(-0.8 * size, size), ylim=(-0.8 * size, size), aspect="equal", xticks=[], yticks=[])
    ax.set_title(title, fontsize=11)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.axhline(0, color="0.9", lw=0.8, zorder=0)
    ax.axvline(0, color="0.9", lw=0.8, zorder=0)


def save(figure: Any, name: str) -> None:
    """Write a figure, the same bytes each time."""
    figure.savefig(FIGURES / f"{name}.png", dpi=130, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    draw_pairs()
    draw_whitening()
