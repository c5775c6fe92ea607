"""Merging: one learner of what several learned, each from a stream of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from spectralleader.learners.fixed import Fixed
from spectralleader.learners.protocol import Learner, Mergeable
from spectralleader.learners.registry import LEARNERS


def settings_of(learner: Learner) -> dict[str, Any]:
    """Return what a learner must have in common with others to be merged.

    Raises
    ------
    ValueError
        If there is no sound way to merge learners of its kind.
    """
    if not isinstance(learner, Mergeable):
        known = ", ".join(name for name, entry in LEARNERS.items() if can_merge(entry.learner))
        what = f"what {type(learner).__name__} learned"
        if isinstance(learner, Fixed):
            what = "a finished model, such as an engine's,"
        raise ValueError(f"{what} cannot be merged; learners that can: {known}")
    fixed = {} if learner.grows else {"n_words": learner.n_words}
    return {"learner": type(learner).__name__, **learner.settings, **fixed}


def can_merge(learner: type[Learner]) -> bool:
    """Return whether there is a sound way to merge learners of a kind."""
    return hasattr(learner, "merge")


def merge_learners(learners: Sequence[Learner], rng: np.random.Generator) -> Learner:
    """Return one of the learners, having taken in the others; their settings are the same.

    Those that learned nothing change nothing. Growing ones are widened to the same words.
    """
    mergeable = cast("Sequence[Mergeable]", learners)
    n_words = max(learner.n_words for learner in mergeable)
    for learner in mergeable:
        if learner.n_words < n_words:
            learner.recode(None, n_words)
    first, *rest = [one for one in mergeable if not one.is_empty] or mergeable[:1]
    if rest:
        first.merge(rest, rng)
    return first
