"""Where EM starts: at random topics, or at a given model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import is_number
from spectralleader.models import TopicModel

Start = float | TopicModel
SMALLEST = 1e-200  # of a draw: at concentrations near 0 all of a topic's may underflow


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


def recode_start(
    model: TopicModel, new_ids: Ints | None, n_words: int, concentration: float, seed: Sequence[int]
) -> TopicModel:
    """Return a start with its words renumbered; words that stay keep their relative probabilities.

    With random topics of a finite concentration, new words are drawn so that the topics are again
    Dirichlet distributed over all words: against a Gamma variable for the old words together. A
    given start knows nothing of new words, which all get the mean probability.
    """
    recoded = model.recode(new_ids, n_words)
    is_new = np.ones(n_words, np.bool_)
    is_new[np.arange(model.n_words) if new_ids is None else new_ids[new_ids >= 0]] = False
    n_new = int(is_new.sum())
    if n_new == 0 or not np.isfinite(concentration):
        return recoded
    rng = np.random.default_rng(seed)
    factors = np.empty(recoded.topics.shape)
    old = concentration * max(n_words - n_new, 1)
    factors[:, ~is_new] = rng.gamma(old, size=(model.n_topics, 1)) / old
    factors[:, is_new] = rng.gamma(concentration, size=(model.n_topics, n_new)) / concentration
    topics = recoded.topics * np.maximum(factors, SMALLEST)
    return TopicModel.trusted(model.weights, topics / topics.sum(axis=1, keepdims=True))


def check_start(start: Start, n_topics: int, n_words: int) -> Start:
    """Return a legal start, or say what is wrong with it."""
    if not isinstance(start, TopicModel):
        return check_concentration(start)
    if (start.n_topics, start.n_words) != (n_topics, n_words):
        raise ValueError(
            f"the start has {start.n_topics} topics over {start.n_words} words, the learner "
            f"{n_topics} over {n_words}; give a start of the learner's size"
        )
    return start


def check_concentration(value: Any) -> float:
    """Return a legal concentration of random topics, or say what is wrong with it."""
    if not is_number(value) or not 1e-100 <= value <= 1e100:
        raise ValueError(
            "start must be a TopicModel or the concentration of random topics, "
            f"a positive number such as 10.0; got {value!r}"
        )
    return float(value)


def n_known_words(start: Start) -> int:
    """Return how many words a learner that was not told begins with."""
    return start.n_words if isinstance(start, TopicModel) else 1


def check_smoothing(smoothing: float) -> float:
    """Return a legal pseudo-count, or say what is wrong with it."""
    if not is_number(smoothing) or not 1e-100 <= smoothing <= 1e9:
        raise ValueError(
            "smoothing must be a positive number such as 1e-3, so that no word is impossible; "
            f"got {smoothing!r}"
        )
    return float(smoothing)


def start_to_state(start: Start) -> dict[str, Any] | float:
    """Return a start as arrays and plain values."""
    return start.to_state() if isinstance(start, TopicModel) else start


def start_from_state(state: dict[str, Any] | float, n_topics: int, n_words: int) -> Start:
    """Rebuild the start that `start_to_state` described, of a learner of that size."""
    start = TopicModel.from_state(state) if isinstance(state, dict) else state
    return check_start(start, n_topics, n_words)
