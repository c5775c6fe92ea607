"""Draw the figures of docs/concepts.md: ``python -m tools.concepts``.

All of them show one model of two topics over six words, and documents drawn from it.
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
SHOWN_DOCS, SHOWN_LENGTH = 6, 5
START = 1.4  # radians, between the two topics: the power method then climbs for a few steps
N_STEPS = 6


def draw_model() -> None:
    """Draw the word distributions, and documents drawn from them."""
    figure, axes = plt.subplots(
        1, 3, figsize=(10, 2.9), layout="constrained", width_ratios=(1, 1, 1.5)
    )
    for k, (ax, name, colour) in enumerate(zip(axes, NAMES, COLOURS, strict=False)):
        ax.barh(WORDS, MODEL.topics[k], color=colour)
        ax.set(xlim=(0, 0.34), xlabel="P(word | topic)")
        ax.set_title(f"topic “{name}”, weight {MODEL.weights[k]:.1f}", color=colour)
        ax.invert_yaxis()
        ax.spines[["top", "right"]].set_visible(False)
    write_documents(axes[2])
    save(figure, "concept-model")


def write_documents(ax: Any) -> None:
    """Write a few documents of the model, each in the colour of its topic."""
    rng = np.random.default_rng(SEED)
    ax.set_title("documents drawn from the model", loc="left")
    ax.axis("off")
    for i in range(SHOWN_DOCS):
        k = rng.choice(2, p=MODEL.weights)
        words = rng.choice(WORDS, size=SHOWN_LENGTH, p=MODEL.topics[k])
        ax.text(0.0, 0.92 - 0.16 * i, " ".join(words), color=COLOURS[k], fontsize=12, va="center")


def sampled_pairs() -> Floats:
    """Return the joint frequencies of two words of a document, estimated from a sample."""
    rng = np.random.default_rng(SEED)
    topics = rng.choice(2, size=N_DOCS, p=MODEL.weights)
    counts = np.stack([rng.multinomial(LENGTH, MODEL.topics[k]) for k in topics]).astype(float)
    pairs = counts.T @ counts - np.diag(counts.sum(axis=0))
    return np.asarray(pairs / pairs.sum())


def draw_pairs() -> None:
    """Draw the matrix of pairs as a sum of one matrix per topic, and its estimate."""
    parts = [w * np.outer(u, u) for w, u in zip(MODEL.weights, MODEL.topics, strict=True)]
    shown = [*parts, sum(parts), sampled_pairs()]
    titles = [f"{w:.1f} × pairs of\n“{n}”" for w, n in zip(MODEL.weights, NAMES, strict=True)]
    titles += ["all pairs,\nfrom the model", f"all pairs, counted\nin {N_DOCS} documents"]
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
    """Draw topics before and after whitening, and the third moment by direction."""
    scaled = np.sqrt(MODEL.weights)[:, None] * MODEL.topics  # (K, d)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    values, vectors = values[-2:], vectors[:, -2:]
    plane = scaled @ vectors
    plane *= np.sign(plane.sum(axis=0))
    white = plane / np.sqrt(values)
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
    circle = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 400)), np.sin(t)])
    ellipse = np.sqrt(values)[:, None] * circle
    draw_arrows(axes[0], plane, ellipse, "1. The plane of the topics,\nfrom pairs of words")
    draw_arrows(axes[1], white, circle, "2. Whitened: topics are\nat right angles")
    draw_climb(axes[2], white)
    save(figure, "concept-whitening")


def draw_arrows(ax: Any, ends: Floats, outline: Floats, title: str) -> None:
    """Draw an arrow for each topic, and the extent of the second moment in every direction."""
    ax.plot(*outline, color="0.75", lw=1.2)
    style = {"arrowstyle": "-|>", "lw": 2.2, "shrinkA": 0, "shrinkB": 0}
    for end, name, colour in zip(ends, NAMES, COLOURS, strict=True):
        ax.annotate("", end, (0, 0), arrowprops=style | {"color": colour})
        away = end + 0.16 * float(np.abs(outline).max()) * end / np.linalg.norm(end)
        ax.annotate(name, end, away, color=colour, ha="center", va="bottom", fontsize=11)
    size = 1.2 * float(np.abs(outline).max())
    ax.set(xlim=(-size, size), ylim=(-size, size), aspect="equal")
    ax.set_title(title, fontsize=11)
    ax.axis("off")


def draw_climb(ax: Any, white: Floats) -> None:
    """Draw the third moment by direction, and the steps of the power method from one start."""
    strengths = 1.0 / np.sqrt(MODEL.weights)
    angles = np.degrees(np.arctan2(white[:, 1], white[:, 0]))

    def moment(t: Any) -> Floats:
        return np.asarray(strengths @ (white @ np.stack([np.cos(t), np.sin(t)])) ** 3)

    turn = np.linspace(angles.min() - 45, angles.max() + 45, 300)
    ax.plot(turn, moment(np.radians(turn)), color="0.35", lw=1.5)
    for angle, name, colour in zip(angles, NAMES, COLOURS, strict=True):
        ax.vlines(angle, 0, 1.8, color=colour, lw=1.5, ls="--")
        ax.text(angle, 1.86, name, color=colour, ha="center", fontsize=11)
    climbed = [START]
    for _ in range(N_STEPS):
        point = np.array([np.cos(climbed[-1]), np.sin(climbed[-1])])
        point = white.T @ (strengths * (white @ point) ** 2)
        climbed.append(float(np.arctan2(point[1], point[0])))
    ax.plot(np.degrees(climbed), moment(np.array(climbed)), "o-", color="black", ms=5, lw=1)
    ax.annotate("start", (np.degrees(START), moment(START)), (4, -12), textcoords="offset points")
    ax.set(xlabel="direction, degrees", ylim=(0, 2.05), yticks=[], ylabel="third moment")
    ax.set_title("3. Triples of words: a peak at\neach topic; the power method climbs", fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)


def save(figure: Any, name: str) -> None:
    """Write a figure, the same bytes each time."""
    figure.savefig(FIGURES / f"{name}.png", dpi=130, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    draw_model()
    draw_pairs()
    draw_whitening()
