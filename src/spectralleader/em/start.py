"""Starting points of EM: random topics, or a given model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import is_number
from spectralleader.checks.states import take
from spectralleader.models import TopicModel

Start = float | TopicModel
SMALLEST = 1e-200  # smallest Gamma draw: near concentration 0, all draws of a topic may underflow


def make_start(start: Start, n_topics: int, n_words: int, seed: int | Sequence[int]) -> TopicModel:
    """Return the given model, or one with random topics of this Dirichlet concentration.

    Random topics have equal weights. The larger the concentration, the more similar they are: at 1
    all distributions over words are equally likely, at 100 all topics are nearly uniform.

    Random topics are drawn in order of word ids. Renaming words therefore renames the model of a
    learner with a random start only in distribution; with a given start, exactly.
    """
    check_start(start, n_topics, n_words)
    if isinstance(start, TopicModel):
        return start
    topics = np.random.default_rng(seed).dirichlet(np.full(n_words, start), size=n_topics)
    return TopicModel.trusted(np.full(n_topics, 1.0 / n_topics), topics)


def recode_start(
    model: TopicModel, new_ids: Ints | None, n_words: int, concentration: float, seed: Sequence[int]
) -> TopicModel:
    """Return a start with renumbered words; remaining words keep their relative probabilities.

    For random topics of a finite concentration, new words are drawn so that topics are again
    Dirichlet distributed over all words, using one Gamma variable for all old words together. In a
    given start, new words get the mean probability.
    """
    recoded = model.recode(new_ids, n_words)
    is_new = np.ones(n_words, np.bool_)
    is_new[np.arange(model.n_words) if new_ids is None else new_ids[new_ids >= 0]] = False
    n_new = int(is_new.sum())
    # An infinite concentration stands for a given start, in which `recode` gave new words the mean.
    if n_new == 0 or not np.isfinite(concentration):
        return recoded
    rng = np.random.default_rng(seed)
    factors = np.empty(recoded.topics.shape)
    # A Dirichlet is a vector of Gamma variables, normalised. The sum of n Gamma(a) is Gamma(n a):
    # one draw for all old words preserves their ratios.
    old = concentration * max(n_words - n_new, 1)
    factors[:, ~is_new] = rng.gamma(old, size=(model.n_topics, 1)) / old
    factors[:, is_new] = rng.gamma(concentration, size=(model.n_topics, n_new)) / concentration
    # The factors have mean 1: `recode` has already given old and new words their expected mass.
    topics = recoded.topics * np.maximum(factors, SMALLEST)
    return TopicModel.trusted(model.weights, topics / topics.sum(axis=1, keepdims=True))


def check_start(start: Start, n_topics: int, n_words: int) -> Start:
    """Return a valid start; raise `ValueError` otherwise."""
    if not isinstance(start, TopicModel):
        return check_concentration(start)
    if (start.n_topics, start.n_words) != (n_topics, n_words):
        raise ValueError(
            f"the start has {start.n_topics} topics over {start.n_words} words, the learner "
            f"{n_topics} over {n_words}; give a start of the learner's size"
        )
    return start


def check_concentration(value: Any) -> float:
    """Return a valid concentration of random topics; raise `ValueError` otherwise."""
    if not is_number(value) or not 1e-100 <= value <= 1e100:
        raise ValueError(
            "start must be a TopicModel or the concentration of random topics, "
            f"a positive number such as 10.0; got {value!r}"
        )
    return float(value)


def n_known_words(start: Start) -> int:
    """Return the initial number of words of a growing learner."""
    return start.n_words if isinstance(start, TopicModel) else 1


def check_smoothing(smoothing: float) -> float:
    """Return a valid pseudo-count; raise `ValueError` otherwise."""
    if not is_number(smoothing) or not 1e-100 <= smoothing <= 1e9:
        raise ValueError(
            "smoothing must be a positive number such as 1e-3, so that no word is impossible; "
            f"got {smoothing!r}"
        )
    return float(smoothing)


def read_start(state: Any, name: str) -> Any:
    """Return a stored start, which `check_start` checks."""
    found = take(state, name)
    return TopicModel.from_state(found) if isinstance(found, dict) else found
