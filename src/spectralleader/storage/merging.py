"""Merging objects that learned from separate streams, as if it had been one stream."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np

from spectralleader.learners import Learner
from spectralleader.learners.protocol import check_seed
from spectralleader.learners.registry import merge_learners, settings_of
from spectralleader.samples import SAMPLES
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.topics.text_topics import TextTopics, merge_topics

Thing = TypeVar("Thing")

MERGED = "TextTopics, learners, samples and vocabularies"
WITH_SETTINGS: tuple[type[Any], ...] = (TextTopics, Vocabulary, *SAMPLES.values())
MOST_SHOWN = 40  # characters of a setting shown in a message


def merge(a: Thing, b: Thing, *more: Thing, seed: int = 0) -> Thing:
    """Return the merger of two or more objects learned from disjoint streams.

    The arguments are not changed. A document seen by two of them counts twice. The result can
    continue to learn, be saved and be merged again. Word ids and the order of topics are those of
    the first argument.

    Parameters
    ----------
    a, b, *more : TextTopics, Learner, Sample or Vocabulary
        All of one class and with equal settings; seeds may differ. Vocabularies are united.
        Learners and samples without a vocabulary must use the same word ids.
    seed : int
        Random seed for the choice of the documents that are remembered.

    Raises
    ------
    TypeError
        If objects of this class cannot be merged.
    ValueError
        If classes or settings differ, or learners of this class cannot be merged correctly.

    Examples
    --------
    >>> morning, evening = TextTopics(n_topics=2), TextTopics(n_topics=2)
    >>> morning.learn(["rain and wind and more rain", "Wind, rain, wind"] * 9)
    >>> evening.learn(["A goal! Late goal!", "Late, but a goal"] * 9)
    >>> day = merge(morning, evening)
    >>> day.n_docs, sorted(sorted(words) for words in day.top_words(2))
    (36, [['goal', 'late'], ['rain', 'wind']])
    """
    things = [a, b, *more]
    return merge_all(things, [f"number {i + 1}" for i in range(len(things))], seed)


def merge_all(things: Sequence[Thing], names: Sequence[str], seed: int = 0) -> Thing:
    """Merge like `merge`; error messages refer to the objects by these names."""
    check_alike(things, names)
    rng = np.random.default_rng(check_seed(seed))
    # Copied, because merging in place would change the arguments.
    merged: Thing = _merge(deepcopy(list(things)), rng)
    return merged


def check_alike(things: Sequence[Any], names: Sequence[str]) -> None:
    """Raise if objects cannot be merged; the message names the first setting that differs."""
    if len({id(thing) for thing in things}) < len(things):
        raise ValueError("the same object was given twice; its documents would count twice")
    first = _settings(things[0])
    for thing, name in zip(things[1:], names[1:], strict=True):
        found = _settings(thing)
        for key in first | found:
            if first.get(key) != found.get(key):
                raise ValueError(
                    f"cannot merge: {key} is {_show(first.get(key))} in {names[0]} and "
                    f"{_show(found.get(key))} in {name}"
                )


def _settings(thing: Any) -> dict[str, Any]:
    kind = {"kind": type(thing).__name__}
    if isinstance(thing, WITH_SETTINGS):
        return {**kind, **thing.settings}
    if isinstance(thing, Learner):
        return {**kind, **settings_of(thing)}
    raise TypeError(f"only {MERGED} can be merged, got a {kind['kind']}")


def _merge(things: list[Any], rng: np.random.Generator) -> Any:
    """Merge objects of one class and equal settings; this may change them."""
    first, *rest = things
    if isinstance(first, Learner):
        return merge_learners(things, rng)
    if isinstance(first, Vocabulary):
        return first.unite(rest)[0]
    elif isinstance(first, TextTopics):
        return merge_topics(things, rng)
    else:
        # An empty sample has nothing to merge; of empty ones alone the first is returned.
        first, *rest = [one for one in things if one.n_seen > 0] or things[:1]
        if rest:
            first.merge(rest, rng)
    return first


def _show(setting: Any) -> str:
    """Return a setting for a message, shortened if it is long."""
    text = repr(sorted(setting) if isinstance(setting, frozenset) else setting)
    if len(text) <= MOST_SHOWN:
        return text
    return f"a list of {len(setting)}" if isinstance(setting, frozenset) else text[:MOST_SHOWN]
