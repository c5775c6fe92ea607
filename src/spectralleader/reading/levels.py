"""Levels: the mergers by which topics are read as fewer, kept stable over the stream."""

from __future__ import annotations

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import integers, numbered, whole
from spectralleader.models import TopicModel, TopicTree

AUTO, ALL = "auto", "all"  # levels: as many topics as prices suggest, and as many as there are
MANY = 32  # topics that "auto" learns: three for each of about ten that people read
FIRST = 2000  # documents when the tree is first compared with a new one; then at every doubling
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

    def renew(self, model: TopicModel, n_docs: int) -> None:
        """Replace the tree by a new one that loses less, by the margin."""
        is_late = self.due > EARLY
        margin = LATE if is_late else 0.0 if self.due == EARLY else MARGIN
        while self.due <= n_docs:
            self.due *= 2
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
