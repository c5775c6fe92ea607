"""Names: what people call topics and their groups, at every level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import numbered, text, whole
from spectralleader.models import TopicModel
from spectralleader.models.matching import cosines

LONGEST = 80  # characters of a name
SAME = 0.5  # share of the weight of two groups that must be in both for them to have one name
NEW = "new"  # name of a recent topic that is like none of all documents
# Cosine of two topics' words above which a recent topic has the name of the one of all documents:
# 0.02 to 0.15 after a change of all topics, mostly 0.3 to 0.9 without one.
FAMILIAR = 0.25
ALIKE = 0.5  # cosine of two topics' words above which a merged model keeps a name


@dataclass(frozen=True)
class Name(Saved):
    """A name, and the topics that it was given to: one, or those of a group."""

    saved = fields(
        text=field(text, most=LONGEST),
        topics=field(numbered, most=lambda known: known["n_topics"] - 1),
        n_docs=whole,
    )

    text: str
    topics: tuple[int, ...]  # of the fine model, from 0
    n_docs: int  # documents learned when it was given

    def _loaded(self) -> None:
        if not self.topics or sorted(set(self.topics)) != [*self.topics]:
            raise ValueError(f"a name must be of topics in order, got {self.topics!r:.60}")


class Names(Saved):
    """The names that topics and groups were given; a topic has one, and so has a group."""

    saved = fields(given=field(Name, many=True))

    def __init__(self, given: Iterable[Name] = ()) -> None:
        self.given = list(given)

    def give(self, name: str, topics: Sequence[int], n_docs: int) -> None:
        """Name a group of topics; an empty name takes theirs away."""
        text, key = check_name(name), tuple(sorted(topics))
        self.given = [name for name in self.given if name.topics != key and name.text != text]
        if text:
            self.given.append(Name(text, key, n_docs))

    def of(self, groups: Ints, weights: Floats) -> tuple[str, ...]:
        """Return the name of each group, "" where it has none; nothing if none has a name.

        Parameters
        ----------
        groups : (K,) array
            The group of each topic, from 0.
        weights : (K,) array
            How much each topic counts.
        """
        if not self.given:
            return ()
        n = groups.max() + 1
        names, overlaps = [""] * n, [SAME] * n
        for name in self.given:
            overlap = [_overlap(groups == g, name.topics, weights) for g in range(n)]
            best = int(np.argmax(overlap))
            if overlap[best] > overlaps[best]:
                names[best], overlaps[best] = name.text, overlap[best]
        return tuple(names)

    def adopt(self, other: Names, theirs: TopicModel, mine: TopicModel) -> None:
        """Take over names of another model's topics, where one here is alike and has none."""
        taken = {key for name in self.given for key in (name.topics, name.text)}
        alike = cosines(theirs.topics, mine.topics)
        for name in other.given:
            if len(name.topics) != 1 or name.text in taken:
                continue
            k = name.topics[0]
            best = int(alike[k].argmax())
            if alike[k, best] > ALIKE and (best,) not in taken:
                self.given.append(replace(name, topics=(best,)))
                taken |= {(best,), name.text}


def mark_new(names: Sequence[str], topics: TopicModel, reference: TopicModel) -> tuple[str, ...]:
    """Return the names of topics in use; those that are not alike the reference's are "new"."""
    # Of each pair, not of all: topics that match have the same number.
    sizes = np.sqrt((topics.topics**2).sum(axis=1) * (reference.topics**2).sum(axis=1))
    alike = (topics.topics * reference.topics).sum(axis=1) / sizes
    is_new = topics.used & ((alike < FAMILIAR) | ~reference.used)
    names = names or ("",) * topics.n_topics
    return tuple(NEW if new else name for new, name in zip(is_new.tolist(), names, strict=True))


def check_name(name: Any) -> str:
    """Return a name without spaces around it, or raise an error that says what one is."""
    found = name.strip() if isinstance(name, str) else None
    if found is None or len(found) > LONGEST or not found.isprintable():
        raise ValueError(f"a name is a line of at most {LONGEST} characters, got {name!r:.100}")
    return found


def _overlap(group: Any, topics: Sequence[int], weights: Floats) -> float:
    """Return the weight that a group and topics share, of all that they have."""
    named = np.zeros(len(weights), np.bool_)
    named[list(topics)] = True
    floor = weights + 1e-12  # topics without weight are told apart, too
    return float(floor[group & named].sum() / floor[group | named].sum())
