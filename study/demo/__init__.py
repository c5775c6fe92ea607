"""The demonstration: topics of real tweets, then the paper's hard problem and its figure.

This package tells a story on the screen. Experiments that are judged are in `study.experiments`.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from spectralleader.text.topics import TextTopics
from study.demo.paper import show_problem
from study.demo.tweets import show_tweets


def show(
    console: Console, *, n_steps: int, n_runs: int, seed: int, folder: Path
) -> TextTopics | None:
    """Print the topics of tweets, then the results and the figure of the hard problem.

    Return the topics of the tweets, or None if these cannot be downloaded.
    """
    topics = None
    try:
        topics = show_tweets(console, seed=seed)
    except (ValueError, OSError) as error:
        line = f"The tweets are not available, continuing with a synthetic problem: {error}"
        console.print(line, highlight=False, soft_wrap=True)
    console.print()
    show_problem(console, n_steps=n_steps, n_runs=n_runs, seed=seed, folder=folder)
    return topics
