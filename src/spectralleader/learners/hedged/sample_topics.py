"""SampleTopics: a sample and its topics, updated by incremental EM; AveragedTopics for reading.

And which of the topics are in use, by the posteriors of remembered documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Flags, Ints, Posteriors
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import MOST, number, posteriors, whole
from spectralleader.documents import Documents
from spectralleader.em.background import Background
from spectralleader.em.columns import Columns, Smoothing, work_space
from spectralleader.em.passes import batch_pass, visit_changes
from spectralleader.em.statistics import Statistics, read_off
from spectralleader.learners.hedged.experts import Experts
from spectralleader.learners.hedged.settings import LEAST, SETTINGS, Settings
from spectralleader.models import TopicModel
from spectralleader.models.matching import best_order
from spectralleader.samples import Reservoir, Window, read_sample
from spectralleader.samples.reservoir import NONE_CHOSEN

MATCHED = 5000  # maximum number of documents used to match topics
NO_DOCUMENTS = Documents.from_tokens([], n_words=1)
N_COUNTED = 50  # documents per topic that are counted, about: one of them is 2 % of an even share
COPY = 0.98  # cosine between the posteriors of two topics from which one is a copy of the other


class SampleTopics(Saved):
    """Remembered documents, their posteriors at the last visit, and the topics these add up to.

    The topics are the columns of the estimate with the sample's name, in the table of the experts:
    sums over documents. One that enters the sample adds its own, and with every block some
    remembered documents are revisited in turn. No visit lowers the free energy (Neal & Hinton
    1998), and topics move in small steps.

    The statistics of a reservoir are those of the whole stream: a document that leaves, or does not
    enter, is counted with its last posterior. One that leaves a window is removed.
    """

    saved = fields(
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
        posterior=field(posteriors, shape=lambda known: (len(known["sample"]), known["n_topics"])),
        strength=field(number, least=0.0, most=MOST),
        _next=field(whole, most=lambda known: max(0, len(known["sample"]) - 1)),
        _due=field(number, least=0.0, most=1.0),
    )

    def __init__(
        self, sample: Reservoir | Window, experts: Experts, settings: Settings = SETTINGS
    ) -> None:
        self.sample, self._experts, self._settings = sample, experts, settings
        self._estimate, self._keeps = sample.saved_as, isinstance(sample, Reservoir)
        self.strength = 0.0  # words of background to read the topics with; 0: not chosen yet
        # Grows by doubling; documents already in the sample get their posteriors at a restart.
        n_topics = experts.estimates.n_topics
        self._room: Posteriors = np.zeros((len(sample), n_topics), np.float32)
        self._work = work_space(n_topics)  # of kernels, used again at every block
        self._next = 0  # slot to visit next
        self._due = 0.0  # fractional part of the visits due

    @property
    def posterior(self) -> Posteriors:
        """P(topic | document) of each slot, (n, K)."""
        return self._room[: len(self.sample)]

    @posterior.setter
    def posterior(self, posterior: Posteriors) -> None:
        self._room = posterior

    @property
    def columns(self) -> Columns:
        """A view of the statistics, for kernels."""
        return self._experts.estimates.columns(self._estimate)

    @property
    def statistics(self) -> Statistics:
        """A view of the statistics."""
        return self._experts.estimates.view(self._estimate)

    @property
    def smoothing(self) -> Smoothing:
        """The smoothing with which EM fits these topics."""
        return self._smoothing(self.columns)

    def _smoothing(self, start: Columns) -> Smoothing:
        """Return the smoothing by the rule, of topics with these words."""
        background = self._experts.background
        totals = start.totals[:, start.first : start.first + start.n_topics]
        n_open, n_words = int(np.count_nonzero(totals[0])), len(background.seen)
        strength = self._settings.fit_strength(float(totals[1].sum()), n_open, n_words)
        return background.smoothing(strength)

    @property
    def read_strength(self) -> float:
        """The words of background with which the topics are read."""
        statistics = self.statistics
        # At most as many as words of its own: with few documents heavy smoothing predicts best, but
        # then all topics look like the background.
        own = float(statistics.totals[1].sum()) / max(1, n_open(statistics))
        return max(LEAST, min(self.strength or self.smoothing.strength, own))

    @property
    def model(self) -> TopicModel:
        """The topics as they are read."""
        smoothing = self._experts.background.smoothing(self.read_strength)
        return read_off(self.columns, smoothing, self.statistics.scale)

    @property
    def is_dead(self) -> Flags:
        """Whether each topic is dead, (K,), see `find_dead`."""
        return find_dead(self.posterior, self._settings.dead)

    @property
    def n_used(self) -> int:
        """Number of topics that enough of the documents prefer."""
        return count_used(self.posterior, self._settings.used)

    def learn(self, block: Documents, n_visits: float) -> None:
        """Add a block to the sample, and revisit n_visits remembered documents per document."""
        n_before, columns = len(self.sample), self.columns
        smoothing = self._smoothing(columns)
        change, n = self.sample.add(block), len(self.sample)
        if n > len(self._room):
            room = np.zeros((min(2 * n, self.sample.capacity), self._room.shape[1]), np.float32)
            room[:n_before] = self._room[:n_before]
            self._room = room
        if not columns.totals[0, columns.first : columns.first + columns.n_topics].any():
            return  # no topics yet: the first race gives all documents their posteriors
        # Fractions carry over: half a visit per document is one visit for every second document.
        self._due += n_visits * block.n_docs
        revisited = (self._next, min(int(self._due), n))
        self._due -= int(self._due)
        self._next = (self._next + revisited[1]) % n
        others = arrays_of(block if self._keeps else NO_DOCUMENTS)
        view, moved = tuple(self.sample.view), tuple(change.moved)
        topics = tuple(columns), tuple(smoothing)
        self._visit((view, moved, change.chosen, n_before, others), revisited, topics)

    def _visit(
        self, changes: tuple[Any, ...], revisited: tuple[int, int], topics: tuple[Any, ...]
    ) -> None:
        # Plain tuples, because Numba determines their types faster, see `passes.visit_changes`.
        least = self._settings.unmoved
        visit_changes(changes, self._keeps, revisited, self._room, topics, least, self._work)

    def restart(
        self,
        start: Columns,
        n_passes: int | None = None,
        *,
        smoothing: Smoothing | None = None,
        renumber: bool = True,
    ) -> float:
        """Switch to other topics, numbered like the previous ones by the documents they share.

        All documents are visited n_passes times. Returns the share of documents that changed topic.
        The start keeps its numbers if `renumber` is False, or if there were no topics before.
        """
        columns, smoothing = self.columns, smoothing or self._smoothing(start)
        before, n = self.posterior.copy(), len(self.sample)
        statistics = Statistics.zero(columns.n_topics, len(columns.words))
        after = np.zeros_like(before)
        # Invariant: the statistics are the sums of these posteriors, which `visit_changes` later
        # subtracts.
        how = smoothing, statistics.columns, after, self._work
        batch_pass(self.sample.view, start, *how)
        is_known = renumber and before.any()
        order = match_posteriors(after, before) if is_known else np.arange(columns.n_topics)
        at = slice(columns.first, columns.first + columns.n_topics)
        columns.words[:, at] = statistics.words[:, order]
        columns.totals[:, at] = statistics.totals[:, order]
        self._room[:n] = after[:, order]
        view, topics = tuple(self.sample.view), (tuple(columns), tuple(smoothing))
        unchanged = view, view, NONE_CHOSEN, n, arrays_of(NO_DOCUMENTS)
        for _ in range(self._settings.n_passes if n_passes is None else n_passes):
            self._visit(unchanged, (0, n), topics)
        if self._keeps and n > 0:
            # The sample stands for all documents, as these have no posterior under the new topics.
            columns.words[:, at] *= self.sample.n_seen / n
            columns.totals[:, at] *= self.sample.n_seen / n
        return float((self.posterior.argmax(axis=1) != before.argmax(axis=1)).mean())

    def close(self, topics: Flags) -> bool:
        """Give the documents of these topics to the others; return whether any was open."""
        if not self.statistics.totals[0, topics].any():
            return False
        start = self.statistics.copy()
        start.totals[:, topics], start.words[:, topics] = 0.0, 0.0
        self.restart(start.columns, n_passes=1)
        return True


class AveragedTopics(Saved):
    """The reservoir's topics, averaged over the last part of the stream.

    It is updated whenever the stream has grown by a step, so that topics keep their words, and
    reading them in between costs nothing.
    """

    saved = fields(
        statistics=Statistics,
        background=Background,
        strength=field(number, least=LEAST, most=MOST),
        n_docs=whole,
    )

    def __init__(
        self, statistics: Statistics, background: Background, strength: float, n_docs: int
    ) -> None:
        # A copy: word counts continue, but `model` must not change between two updates.
        self.statistics, self.background = statistics, background.copy()
        self.strength = strength  # words of background in each topic
        self.n_docs = n_docs  # learned at the last update
        self._model: TopicModel | None = None

    @property
    def model(self) -> TopicModel:
        """The averaged topics as a model."""
        if self._model is None:
            columns = self.statistics.columns
            self._model = read_off(columns, self.background.smoothing(self.strength))
        return self._model

    def average(self, current: Statistics, n_docs: int, inertia: float) -> Statistics:
        """Return the average with the current topics, of which n_docs documents were learned."""
        # An exponential average over `inertia` times the stream; its memory grows with the stream.
        before, rate = self.statistics, (n_docs - self.n_docs) / (inertia * n_docs)
        rate = min(1.0, rate)
        # Rescaled to the documents learned, which are more by now: the rate is then exact.
        n_now, n_then = float(current.totals[0].sum()), float(before.totals[0].sum())
        kept = (1.0 - rate) * n_now / max(1.0, n_then)
        totals = kept * before.totals + rate * current.totals
        # Weights are shares of the documents as they are: after a change, averaged ones would be
        # wrong for long (by a factor of two), and would not change fewer documents otherwise.
        totals[0] = current.totals[0]
        words = kept * before.words
        words += rate * current.words
        return Statistics(totals, words)

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words."""
        self.statistics.recode(new_ids, n_words)
        self.background.recode(new_ids, n_words)
        self._model = None


def arrays_of(block: Documents) -> tuple[Any, ...]:
    """Return the arrays of a block, and zeros to mark its documents, for kernels."""
    return block.indptr, block.words, block.counts, np.zeros(block.n_docs, np.bool_)


def n_open(statistics: Statistics) -> int:
    """Return the number of topics that have documents; the others are closed."""
    return int(np.count_nonzero(statistics.totals[0]))


def match_posteriors(after: Posteriors, before: Posteriors) -> Ints:
    """Return the order of the new topics that best matches the old ones, by their documents."""
    step = -(-len(after) // MATCHED)
    tiny = 1e-30  # avoids 0 / 0 for a topic without documents
    new, old = (np.ascontiguousarray(p[::step].T, float) + tiny for p in (after, before))
    return best_order(new, old)


def some_of(posterior: Posteriors) -> Posteriors:
    """Return the posteriors of some of the documents, in proportion to the number of topics."""
    n, K = posterior.shape
    most = N_COUNTED * K
    # Drawn, not every so many: documents of several sources may come in turn.
    return posterior if n <= most else posterior[np.random.default_rng(n).integers(n, size=most)]


def count_preferred(posterior: Posteriors) -> Ints:
    """Return the number of documents that prefer each topic, (K,), of a sample of them."""
    return np.bincount(some_of(posterior).argmax(axis=1), minlength=posterior.shape[1])


def count_used(posterior: Posteriors, used: float) -> int:
    """Return the number of topics that at least this fraction of an even share prefers."""
    n_of_each = count_preferred(posterior)
    return int(np.count_nonzero(n_of_each >= used * n_of_each.mean()))


def find_dead(posterior: Posteriors, dead: float) -> Flags:
    """Return whether each topic is dead, (K,): below this fraction of an even share.

    Hardly any document prefers it, and it has hardly any documents, or is a copy of another topic:
    documents cannot tell copies apart, and prefer the first one. A topic that no document prefers
    is not dead otherwise: topics may overlap, above all in short documents.
    """
    some, n_of_each = some_of(posterior), count_preferred(posterior)
    least = dead * n_of_each.mean()
    is_dead = n_of_each < least
    sizes = np.sqrt((some**2).sum(axis=0))
    for k in np.flatnonzero(is_dead & (some.sum(axis=0) >= least)):
        products = some[:, k] @ some
        products[is_dead] = 0.0  # itself, and copies that are looked at later: one of them stays
        is_dead[k] = (products > COPY * sizes[k] * sizes).any()
    return np.asarray(is_dead)
