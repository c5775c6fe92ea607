"""Where EM starts: at random topics, or at a given model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spectralleader.learners.protocol import is_number
from spectralleader.model import TopicModel

Start = float | TopicModel


def make_start(start: Start, n_topics: int, n_words: int, seed: int | Sequence[int]) -> TopicModel:
    """Return the given model, or one with random topics of that Dirichlet concentration.

    Random topics have equal weights. The larger the concentration, the more alike they are: at 1
    every distribution over the words is equally likely, at 100 all are nearly uniform.

    Random topics are drawn word id by word id. So renaming words renames the model of a learner
    with a random start in distribution only; with a given start, exactly if that is renamed too.
    """
    check_start(start, n_topics, n_words)
    if isinstance(start, TopicModel):
        return start
    topics = np.random.default_rng(seed).dirichlet(np.full(n_words, start), size=n_topics)
    return TopicModel.trusted(np.full(n_topics, 1.0 / n_topics), topics)


def check_start(start: Start, n_topics: int, n_words: int) -> Start:
    """Return a legal start, or say what is wrong with it."""
    if not isinstance(start, TopicModel):
        if not is_number(start) or not 0.0 < start < np.inf:
            raise ValueError(
                "start must be a TopicModel or the concentration of random topics, "
                f"a positive number such as 10.0; got {start!r}"
            )
        return float(start)
    if (start.n_topics, start.n_words) != (n_topics, n_words):
        raise ValueError(
            f"the start has {start.n_topics} topics over {start.n_words} words, the learner "
            f"{n_topics} over {n_words}; give a start of the learner's size"
        )
    return start


def check_smoothing(smoothing: float) -> float:
    """Return a legal pseudo-count, or say what is wrong with it."""
    if not is_number(smoothing) or not 0.0 < smoothing <= 1e9:
        raise ValueError(
            "smoothing must be a positive number such as 1e-3, so that no word is impossible; "
            f"got {smoothing!r}"
        )
    return float(smoothing)


def start_to_state(start: Start) -> dict[str, Any] | float:
    """Return a start as arrays and plain values."""
    return start.to_state() if isinstance(start, TopicModel) else start


def start_from_state(state: dict[str, Any] | float) -> Start:
    """Rebuild the start that `start_to_state` described."""
    return TopicModel.from_state(state) if isinstance(state, dict) else state
