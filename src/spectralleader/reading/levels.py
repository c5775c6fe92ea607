"""Levels and names: the mergers by which topics are read as fewer, and what people call them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import integers, numbered, text, whole
from spectralleader.models import TopicModel, TopicTree
from spectralleader.models.matching import cosines

AUTO, ALL = "auto", "all"  # levels: as many topics as prices suggest, and as many as there are
MANY = 32  # topics that "auto" learns: three for each of about ten that people read
FIRST = 2000  # documents when the tree is first compared with a new one; then at every doubling,
GROWTH = 1.25  # and from EARLY on whenever they have grown by this: subjects arrive over time
# Likelihood lost that a new tree must save to replace the present one, since that may renumber the
# topics of a level. At the look of `EARLY` documents, when the learner's topics are settled, any
# better tree is taken, and from then on only one that saves `LATE`: a new tree moves 45 to 90 % of
# the tweets. Over six seeds the tree of 16,000 documents loses up to 8 % (election tweets) and 16 %
# (health tweets) more at the end than a new one, and stays; 10 % are 0.2 to 0.3 % of the likelihood
# after refinement. A tree of 32,000 documents is no better at 5 topics.
MARGIN = 0.05
EARLY = 16_000  # documents
LATE = 0.2  # instead of MARGIN after EARLY
# EM passes over the remembered documents before a level is read. With 5, 8 topics of health tweets
# agree less with their accounts (NMI 0.158 instead of 0.160) and with those of other seeds.
N_PASSES = 10
READ = 20  # levels that two trees are compared at, at most: 2 to 20 groups
MOST_REPLACED = 100  # replacements that are remembered


class Levels(Saved):
    """The mergers of a model's topics, kept until others lose less by a margin.

    The topics below move by little at a time, and so do the groups, as long as the tree stays. A
    new one numbers its groups as the old one did where they overlap.
    """

    saved = fields(
        due=field(whole, least=1),
        pairs=field(
            integers,
            optional=True,
            shape=lambda known: (known["n_topics"] - 1, 2),
            most=lambda known: known["n_topics"] - 1,
        ),
        replaced=numbered,
    )

    def __init__(self) -> None:
        self.pairs: Ints | None = None  # mergers, see `TopicTree`; None: not looked at yet
        self.due = FIRST  # documents at the next comparison
        self.replaced: tuple[int, ...] = ()  # documents at each late replacement

    def tree(self, model: TopicModel) -> TopicTree:
        """Return the tree that a model is read by, at its present prices."""
        if self.pairs is None or len(self.pairs) != model.n_topics - 1:
            return TopicTree.of(model)
        return TopicTree.priced(model, self.pairs)

    def renew(self, model: TopicModel, n_docs: int, *, is_new: bool = False) -> None:
        """Replace the tree by a new one that loses less, by the margin.

        Without a margin if the model has new topics: their groups are other ones in any case.
        """
        is_late = self.due > EARLY
        margin = LATE if is_late else 0.0 if self.due == EARLY else MARGIN
        margin = 0.0 if is_new else margin
        while self.due <= n_docs:
            self.due = int(GROWTH * self.due) if self.due >= EARLY else 2 * self.due
        if self.pairs is None:
            self.pairs = TopicTree.of(model).pairs
            return
        old = self.tree(model)
        if _lost(TopicTree.of(model)) < (1.0 - margin) * _lost(old):
            self.pairs = TopicTree.of(model, like=old).pairs
            if is_late:
                self.replaced = (*self.replaced, n_docs)[-MOST_REPLACED:]

    def _loaded(self) -> None:
        self.replaced = self.replaced[-MOST_REPLACED:]
        if self.pairs is None:
            return
        # Each merger must be of two groups that are there.
        there = set(range(len(self.pairs) + 1))
        for stays, joins in self.pairs.tolist():
            if stays == joins or not {stays, joins} <= there:
                raise ValueError(f"pairs must merge groups that are there, got {stays} and {joins}")
            there.remove(joins)


def choose_level(level: int | str | None, tree: TopicTree, *, is_auto: bool) -> int:
    """Return how many topics are read of a tree, see `TextTopics.at`."""
    if level is None:
        level = AUTO if is_auto else ALL
    if isinstance(level, str) and level in (AUTO, ALL):
        return tree.suggested if level == AUTO else tree.n_topics
    return check_whole(f"a level, if not {AUTO!r} or {ALL!r},", level, 1, tree.n_topics)


def _lost(tree: TopicTree) -> float:
    """Return the likelihood lost at the levels that people read, summed."""
    return sum(tree.lost(n) for n in range(2, min(READ, tree.n_topics - 1) + 1))


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
        """Return the name of each group, "" where it has none.

        Parameters
        ----------
        groups : (K,) array
            The group of each topic, from 0.
        weights : (K,) array
            How much each topic counts.
        """
        n = int(groups.max()) + 1
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
