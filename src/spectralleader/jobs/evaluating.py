"""Evaluate: several learners compared on the same blocks."""

from __future__ import annotations

import math
import os
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from spectralleader.arrays import Ints
from spectralleader.documents import Documents
from spectralleader.evaluation import Prequential, metrics
from spectralleader.jobs.options import LearnOptions, Progress, Source
from spectralleader.learners import DEFAULT_LEARNER, Learner
from spectralleader.learners.registry import find_learner
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.reader import Reader
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.topics.first_use import compile_learning
from spectralleader.topics.text_topics import make_learner

MOST_FREQUENT = 5000  # words counted in a first pass over files, by default
DEFAULT_LEARNERS = tuple(dict.fromkeys((DEFAULT_LEARNER, "spectral", "stepwise-em", "unigram")))
N_SHOWN = 10  # top words of a topic that coherence and diversity are computed from
HELD_OUT = 10  # one document in this many is held out to compute coherence
MOST_HELD_OUT = 20_000  # held-out documents kept; of a longer stream, every n-th of them
MOST_POINTS = 400  # of the curve of losses
Labels = NDArray[np.object_]
T = TypeVar("T")


class Contender(Prequential):
    """A learner with its losses, and the contingency table of its topics and the labels."""

    def __init__(self, name: str, learner: Learner) -> None:
        super().__init__(learner)
        self.name = name  # of the kind of learner
        self.met: Counter[tuple[int, str]] = Counter()  # recent (topic, label) pairs
        self._met_before: Counter[tuple[int, str]] = Counter()
        self._since = 1  # documents learned before the pairs in `met`
        self.shown: list[list[int]] = []  # top words of each topic at the end
        self._held_out: Documents | None = None  # to judge them by; None if they are not judged
        self.n_unused = 0  # topics at the end, see `TopicModel.used`

    def step(self, documents: Documents, labels: Labels | None) -> None:
        """Predict documents, and compare their topics with labels; then learn them."""
        losses = self.predict(documents)
        # Topics are arbitrary before anything is learned.
        if labels is not None and self.losses.n_learned:
            self._meet_labels(documents, labels)
        self.learn(documents, losses)

    def end(self, held_out: Documents | None) -> None:
        """Keep what metrics of the final topics need: their top words, and held-out documents."""
        model = self.learner.model
        self.n_unused = int((~model.used).sum())
        self.shown = [[int(word) for word in words] for words in model.top_words(n=N_SHOWN)]
        self._held_out = None if held_out is None else held_out.widen(model.n_words)

    def _meet_labels(self, documents: Documents, labels: Labels) -> None:
        """Count the predicted topic of each document with its label, before it is learned.

        Early topics are still changing: whenever the number of documents has doubled, all but the
        last half of the counts are dropped, so that about the last half of the stream counts.
        """
        n_learned = self.losses.n_learned
        if n_learned >= 2 * self._since:
            self._met_before, self.met, self._since = self.met, Counter(), n_learned
        model = self.learner.model
        topics = model.posterior(documents.widen(model.n_words)).argmax(axis=1).tolist()
        pairs = zip(topics, labels.tolist(), strict=True)
        self.met.update((topic, label) for topic, label in pairs if label is not None)

    @property
    def table(self) -> Ints | None:
        """Contingency table of topics and labels, (K, n_labels); None without labels."""
        met = self.met + self._met_before
        if not met:
            return None
        names = {label: i for i, label in enumerate(sorted({label for _, label in met}))}
        table = np.zeros((self.learner.n_topics, len(names)), np.int64)
        for (topic, label), count in met.items():
            table[topic, names[label]] = count
        return table

    def judge_table(self, metric: Callable[[Ints], float]) -> float | None:
        """Return a metric of the table of topics and labels; None without labels."""
        table = self.table
        return None if table is None else metric(table)

    def judge_words(self, metric: Callable[[Documents, list[list[int]]], float]) -> float | None:
        """Return a metric of the top words by held-out documents; None without these."""
        return None if self._held_out is None else metric(self._held_out, self.shown)

    def summary(self) -> dict[str, float | None]:
        """Return all metrics as plain values."""
        numbers = {"topics": self.learner.n_topics, "unused_topics": self.n_unused}
        return {**numbers, **{name: metric.of(self) for name, metric in METRICS.items()}}


class Metric(NamedTuple):
    """What contenders are compared by; None of one for which it is unknown."""

    of: Callable[[Contender], float | None]
    heading: str  # in the table
    digits: int
    axis: str = ""  # label in the figure by number of topics, which shows those with one


def varied(_: Documents, shown: list[list[int]]) -> float:
    """Return the diversity of the words that topics show."""
    return metrics.diversity(shown)


# All that `evaluate` reports, by the names in its JSON: a metric is a function and a line here.
METRICS = {
    "L1": Metric(lambda c: c.losses.mean_loss, "L1", 3, "L1, nats per document"),
    "perplexity": Metric(lambda c: c.losses.perplexity, "perplexity", 1),
    "microseconds": Metric(lambda c: c.losses.microseconds, "µs/document", 1, "µs per document"),
    "coherence": Metric(
        lambda c: c.judge_words(metrics.coherence), "coherence", 3, "coherence, NPMI"
    ),
    "diversity": Metric(lambda c: c.judge_words(varied), "diversity", 3, "diversity of words"),
    "accuracy": Metric(lambda c: c.judge_table(metrics.table_accuracy), "accuracy", 3),
    "nmi": Metric(lambda c: c.judge_table(metrics.mutual_information), "NMI", 3),
}


class History(Generic[T]):
    """Every n-th of the values added; n doubles whenever there are more than `most` of these.

    Examples
    --------
    >>> history = History(most=4)
    >>> for value in range(12):
    ...     history.add(value)
    >>> history.values
    [3, 7, 11]
    """

    def __init__(self, most: int) -> None:
        self.values: list[T] = []
        self.n_added = 0
        self._most, self._every = most, 1

    def add(self, value: T) -> None:
        """Add a value."""
        self.n_added += 1
        if self.n_added % self._every == 0:
            self.values.append(value)
        if len(self.values) > self._most:
            self._every *= 2
            self.values = self.values[1::2]


@dataclass
class Evaluation:
    """Learners evaluated prequentially on the same documents."""

    contenders: dict[str, Contender]
    vectoriser: Vectoriser
    reader: Reader
    n_docs: int = 0
    n_empty: int = 0
    n_steps: int = 0
    stopped: KeyboardInterrupt | None = None  # why it ended early: Ctrl-C, or `Terminated`
    saved: None = None  # an evaluation is not saved
    history: History[tuple[int, dict[str, float]]] = field(
        default_factory=lambda: History(MOST_POINTS)
    )
    held_out: History[Any] | None = None  # texts for coherence, which no learner learns

    def step(self, block: TextBlock) -> None:
        """Evaluate all learners on a block, then let them learn it."""
        if self.held_out is not None:
            block = self._hold_out(block, self.held_out)
        counted = self.vectoriser.count(block.texts)
        has_words = counted.lengths > 0
        documents = counted[has_words]
        self.n_docs += counted.n_docs
        self.n_empty += counted.n_docs - documents.n_docs
        labels = None
        if block.labels is not None:
            # Documents without known words have no prediction to compare with a label.
            labels = np.array(block.labels, object)[has_words]
        for contender in self.contenders.values():
            contender.step(documents, labels)
        new_ids = self.vectoriser.settle()
        # The vocabulary has been renumbered, and all learners share it.
        if new_ids is not None:
            for contender in self.contenders.values():
                contender.learner.recode(new_ids, self.vectoriser.vocabulary.n_words)
        self.n_steps += 1
        losses = {name: c.losses.mean_loss for name, c in self.contenders.items()}
        predicted = {name: mean for name, mean in losses.items() if mean is not None}
        self.history.add((self.n_steps, predicted))

    def _hold_out(self, block: TextBlock, held_out: History[Any]) -> TextBlock:
        """Take every tenth document of the stream out of a block; return the rest."""
        # By number in the stream, so that they do not depend on the size of blocks.
        numbers = self.n_docs + held_out.n_added + np.arange(len(block))
        is_held = numbers % HELD_OUT == HELD_OUT - 1
        for i in np.flatnonzero(is_held).tolist():
            held_out.add(block.texts[i])
        return block.take(np.flatnonzero(~is_held))

    def end(self) -> None:
        """Judge the models at the end, on the documents that were held out, if any."""
        texts = [] if self.held_out is None else self.held_out.values
        held_out = self.vectoriser.count_known(texts) if texts else None
        for contender in self.contenders.values():
            contender.end(held_out)

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: at least one document had a known word."""
        return self.n_docs > self.n_empty

    @property
    def curve(self) -> list[tuple[int, dict[str, float]]]:
        """Steps with the running L1 of each learner there, for a figure."""
        return [(step, losses) for step, losses in self.history.values if losses]

    def summary(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "documents": self.n_docs,
            "documents_without_known_words": self.n_empty,
            "steps": self.n_steps,
            "stopped": self.stopped is not None,
            "words": self.vectoriser.vocabulary.n_words,
            "learners": {name: one.summary() for name, one in self.contenders.items()},
            "guesses": list(self.reader.guesses),
        }


def evaluate(
    source: Source | str | os.PathLike[str],
    *,
    learners: Sequence[str] = DEFAULT_LEARNERS,
    n_topics: int | Sequence[int] = 5,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate several learners on the same blocks: each predicts a block, then learns it.

    Given several numbers of topics, each learner is evaluated with each of them. One document in
    ten is then held out to compute the coherence of the top words at the end; their diversity is
    reported, too.

    Documents without known words are ignored. If there are labels, the topic predicted for a
    document before it is learned is compared with its label, over about the last half of the
    stream, under the best matching of topics to labels. `options` are those of `LearnOptions` for
    the vocabulary, the words and the seed; the vocabulary of files defaults to their 5,000 most
    frequent words.
    """
    settings, progress = LearnOptions(Source.of(source), **options), progress or Progress()
    source = settings.source
    if source.is_live and source.follow is None:
        # A stream has no end: it is read to where it ends now, or for some time.
        source = replace(source, follow=source.seconds < math.inf)
        settings = replace(settings, source=source)
    for name in learners:
        find_learner(name)  # fail before reading anything
    with Interrupts(signal.SIGINT) as interrupts, source.open(progress) as reader:
        for guess in reader.guesses:
            progress.say(f"guessed: {guess}")
        words = settings.choose_words(reader.columns)
        if settings.vocabulary is None and source.once_only is None:
            # Losses are comparable over one vocabulary, whichever words have come up so far.
            settings = replace(settings, vocabulary=MOST_FREQUENT)
        vocabulary = settings.choose_vocabulary(words, progress)
        numbers = [n_topics] if isinstance(n_topics, int) else list(dict.fromkeys(n_topics))
        contenders = {
            name if len(numbers) == 1 else f"{name}, {n} topics": Contender(
                name, make_learner(name, n, vocabulary, seed=settings.seed)
            )
            for name in learners
            for n in numbers
        }
        for name in learners:  # loading compiled kernels takes time that is not the learner's
            compile_learning(name, vocabulary.grows)
        result = Evaluation(contenders, Vectoriser(vocabulary, words), reader)
        result.held_out = History(MOST_HELD_OUT) if len(numbers) > 1 else None
        interrupts.at_stake = True
        try:
            for block in reader:
                raise_if_interrupted()
                result.step(block)
                progress.stepped(result)
        except KeyboardInterrupt as reason:
            result.stopped = reason
        result.end()
    return result
