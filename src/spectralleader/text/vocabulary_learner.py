"""Learners over the words of a vocabulary: creation, and the check that both match."""

from __future__ import annotations

from typing import Any

from spectralleader.checks.states import check_same
from spectralleader.learners import Learner
from spectralleader.learners.registry import create_learner
from spectralleader.text.vocabulary import Vocabulary


def make_learner(name: str, n_topics: int, vocabulary: Vocabulary, **parameters: Any) -> Learner:
    """Return a new learner over a vocabulary, by its name."""
    learner = create_learner(name, n_topics, n_words=vocabulary.n_words or None, **parameters)
    # A growing vocabulary may start with words. Given their number, a learner draws the same start
    # as over a fixed vocabulary of these words.
    learner.grows = vocabulary.grows
    return learner


def check_same_vocabulary(learner: Learner, vocabulary: Vocabulary) -> None:
    """Raise unless the learner is over the vocabulary; new words may not be learned yet."""
    n_words = max(1, vocabulary.n_words)
    if learner.grows != vocabulary.grows or learner.n_words > n_words:
        raise ValueError(f"the learner is over {learner.n_words} words, the vocabulary {n_words}")
    if not vocabulary.grows:
        check_same("n_words of the learner", learner.n_words, n_words)
