"""Merge: what several learned from streams of their own, as if it had been one stream."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeVar

import numpy as np

from spectralleader.learners import Learner
from spectralleader.learners.merging import merge_learners, settings_of
from spectralleader.learners.protocol import check_seed
from spectralleader.moments import ProjectedSums
from spectralleader.samples import SAMPLES
from spectralleader.text.merging import merge_topics
from spectralleader.text.topics import TextTopics
from spectralleader.text.vocabulary import Vocabulary

Thing = TypeVar("Thing")

MERGED = "TextTopics, learners, samples, vocabularies and moments"
WITH_SETTINGS: tuple[type[Any], ...] = (TextTopics, Vocabulary, *SAMPLES.values())
MOST_SHOWN = 40  # characters of a setting in a message


def merge(a: Thing, b: Thing, *more: Thing, seed: int = 0) -> Thing:
    """Return one of what was learned from two or more streams; those given stay as they are.

    The streams must have no document in common: one that two have seen counts twice. What is
    returned goes on learning, can be saved and merged again. Words have the ids, and topics the
    order, of the first.

    Parameters
    ----------
    a, b, *more : TextTopics, Learner, Sample, Vocabulary or ProjectedSums
        All of one kind and with the same settings; seeds may differ. Vocabularies are united. Words
        of learners and samples without a vocabulary are the same where their numbers are.
    seed : int
        Of which documents are remembered.

    Raises
    ------
    TypeError
        If things of this kind are not merged.
    ValueError
        If kinds or settings differ, or there is no sound merge of such learners.

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
    """Merge as `merge` does; messages call each thing by its name."""
    check_alike(things, names)
    rng = np.random.default_rng(check_seed(seed))
    merged: Thing = _merge(deepcopy(list(things)), rng)
    return merged


def check_alike(things: Sequence[Any], names: Sequence[str]) -> None:
    """Raise if things cannot be merged, saying what differs between which."""
    if len({id(thing) for thing in things}) < len(things):
        raise ValueError("the same was given twice; its documents would count twice")
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
    if isinstance(thing, ProjectedSums):
        return kind
    if isinstance(thing, WITH_SETTINGS):
        return {**kind, **thing.settings}
    if isinstance(thing, Learner):
        return {**kind, **settings_of(thing)}
    raise TypeError(f"{MERGED} can be merged, not a {kind['kind']}")


def _merge(things: list[Any], rng: np.random.Generator) -> Any:
    """Merge things that are alike, which may change them."""
    first, *rest = things
    if isinstance(first, Learner):
        return merge_learners(things, rng)
    if isinstance(first, ProjectedSums):
        for other in rest:
            first.merge(other)
    elif isinstance(first, Vocabulary):
        return first.unite(rest)[0]
    elif isinstance(first, TextTopics):
        return merge_topics(things, rng)
    else:
        first, *rest = [one for one in things if one.n_seen > 0] or things[:1]
        if rest:
            first.merge(rest, rng)
    return first


def _show(setting: Any) -> str:
    """Return a setting for a message: long ones by their size."""
    text = repr(sorted(setting) if isinstance(setting, frozenset) else setting)
    if len(text) <= MOST_SHOWN:
        return text
    return f"a list of {len(setting)}" if isinstance(setting, frozenset) else text[:MOST_SHOWN]
