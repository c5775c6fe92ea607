"""The demonstration: topics of real tweets, then the paper's hard problem and its figure.

This package tells a story on the screen. Experiments that are judged are in `study.experiments`.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from spectralleader.study.demo.paper import show_problem
from spectralleader.study.demo.tweets import show_tweets
from spectralleader.text.topics import TextTopics


def show(
    console: Console, *, n_steps: int, n_runs: int, seed: int, folder: Path
) -> TextTopics | None:
    """Learn from tweets and print their topics; then from the hard problem, with the figure.

    Returns the topics of the tweets. Where these cannot be had, says so in a line.
    """
    topics = None
    try:
        topics = show_tweets(console, seed=seed)
    except (ValueError, OSError) as error:
        line = f"The tweets cannot be had here, so on to a synthetic problem: {error}"
        console.print(line, highlight=False, soft_wrap=True)
    console.print()
    show_problem(console, n_steps=n_steps, n_runs=n_runs, seed=seed, folder=folder)
    return topics
