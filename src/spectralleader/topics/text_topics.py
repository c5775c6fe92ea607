"""TextTopics: a vectoriser and a learner, for topics of texts; how they are saved and merged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_json, check_whole
from spectralleader.checks.saved import Saved, fields
from spectralleader.checks.states import check_same, part, plain, take, truth, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import with_words
from spectralleader.learners import DEFAULT_LEARNER, Learner
from spectralleader.learners.events import Event, EventKind
from spectralleader.learners.protocol import HasRecent, Refits, Reports, remembered
from spectralleader.learners.registry import (
    LEARNERS,
    create_learner,
    learner_state,
    merge_learners,
    name_of,
    read_learner,
    settings_of,
)
from spectralleader.models import TopicModel, TopicTree
from spectralleader.reading.levels import ALL, AUTO, MANY, Levels, Names, check_name, choose_level
from spectralleader.reading.snapshot import Classified, Reading, Report, Snapshot
from spectralleader.reading.surprise import Surprise, known_to
from spectralleader.reading.timeline import (
    Time,
    Timeline,
    as_positions,
    check_n_times,
    merge_timelines,
)
from spectralleader.reading.trends import Trends
from spectralleader.runtime.locks import ThreadSafe, changing, locked
from spectralleader.text.texts import Texts, in_blocks_of, take_texts
from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import MIN_COUNT, Vectoriser
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer
from spectralleader.topics.first_use import compile_for

NEW_TOPICS = EventKind.REPLACED, EventKind.RESCUED  # events after which groups are other ones
MAX_POSITION = 2**24  # characters of a stored position: that in files names up to 100,000


class TextTopics(ThreadSafe):
    """Learns topics from texts online, with a valid model after every block.

    Texts without known words are counted but not learned.

    It is thread-safe: steps and reads are serialised. Readers that must not wait for a step can use
    what `read` or `at` returned before.

    Parameters
    ----------
    n_topics : int or "auto"
        Number of topics, K. With "auto" 32 are learned, and read merged to as many as the prices
        of their mergers suggest, unless another level is asked for; see `at`.
    learner : str or Learner
        Name of one of `LEARNERS`, or your own class as ``package.module:Class``; or a learner over
        the words of the vocabulary, whose own `n_topics` and parameters apply.
    vocabulary : Vocabulary or iterable of str, optional
        The vocabulary, such as `Vocabulary.most_frequent(texts, 500, words=words)` with the same
        `words`. Defaults to a vocabulary that grows with the stream up to 50,000 words; beyond
        that, the least frequent words are evicted.
    min_count : int
        Minimum number of occurrences of a word in a growing vocabulary, see `GrowingVocabulary`:
        with 2, the default, a new word counts from its second occurrence on, apart from the first
        1,000 words.
    words : Words, Tokens, "tokens" or callable, optional
        The tokenizer. Defaults to `Words` without English stop words. With "tokens", documents are
        lists of tokens, or dictionaries of their counts, instead of texts; see `Tokens`.
    block_size : int
        Texts per step (mini-batch size).
    timeline : Timeline, optional
        Storage of times and sampled texts, by default at most 8 MB. ``Timeline(texts=False)`` keeps
        no original texts.
    **parameters
        Further parameters of the learner, such as `seed`.

    Examples
    --------
    >>> topics = TextTopics(n_topics=2)
    >>> topics.learn(["rain and wind and more rain", "A goal! Late goal!", "Wind, rain, wind"] * 9)
    >>> topics.n_docs, sorted(sorted(words) for words in topics.top_words(2))
    (27, [['goal', 'late'], ['rain', 'wind']])
    >>> rain, wind, goal = topics.posterior(["rain", "wind", "a goal"]).argmax(axis=1)
    >>> bool(rain == wind != goal)
    True
    """

    def __init__(
        self,
        n_topics: int | str = 5,
        *,
        learner: str | Learner = DEFAULT_LEARNER,
        vocabulary: Vocabulary | Iterable[str] | None = None,
        words: Tokenizer | str | None = None,
        min_count: int = MIN_COUNT,
        block_size: int = 100,
        timeline: Timeline | None = None,
        **parameters: Any,
    ) -> None:
        self.vectoriser = Vectoriser.of(vocabulary, words, min_count)
        self.block_size = check_whole("block_size", block_size, 1)
        is_auto = n_topics == AUTO
        if isinstance(learner, str):
            n = MANY if is_auto else check_whole("n_topics", n_topics, 1)
            learner = make_learner(learner, n, self.vectoriser.vocabulary, **parameters)
        check_same_vocabulary(learner, self.vectoriser.vocabulary)
        self.learner = learner
        self.n_docs = 0  # texts seen
        self.n_empty = 0  # texts without a known word
        self.timeline = Timeline() if timeline is None else timeline
        self.annotations = TopicAnnotations(is_auto=is_auto)
        self._position: Any = None  # JSON, or a function that returns it
        self._tree: TopicTree | None = None  # both computed since the last step
        self._reading: Reading | None = None

    @property
    @locked
    def model(self) -> TopicModel:
        """The model of everything learned so far, over the vocabulary."""
        return self.learner.model

    @property
    @locked
    def vocabulary(self) -> Vocabulary:
        """The current vocabulary."""
        return self.vectoriser.vocabulary

    @locked
    def read(self, *, recent: bool = False) -> Reading:
        """Return an immutable copy of all that is read of the topics, at every level and over time.

        Any thread can read it while another one learns; only taking it, in milliseconds, waits for
        the end of a step. It is cached until the next step.

        Parameters
        ----------
        recent : bool
            Read the topics of the most recent documents, numbered and named like those of all where
            they match, and otherwise named "new". There are as many in use as these documents can
            fill.

        Raises
        ------
        ValueError
            If the learner has no recent topics; `HedgedLeader`, the default, has.
        """
        # Copying the remembered documents takes longest: once per step.
        if self._reading is None:
            self._reading = Reading(
                self.at(ALL),
                self.tree(),
                remembered(self.learner),
                Names(self.annotations.names.given),
                self.timeline.copy(),
                name_of(self.learner),
                report_of(self.learner),
                self.annotations.levels.replaced,
                self.annotations.is_auto,
            )
        if not recent:
            return self._reading
        if not isinstance(self.learner, HasRecent):
            known = ", ".join(name for name, one in LEARNERS.items() if hasattr(one, "recent"))
            name = name_of(self.learner)
            raise ValueError(f"the learner {name!r} has no recent topics; known that do: {known}")
        return self._reading.recent(self.learner.recent, self.learner.window.documents)

    @locked
    def at(self, level: int | str | None = None, *, recent: bool = False) -> Snapshot:
        """Return an immutable snapshot of the topics, or of fewer that they are merged to.

        Merged topics are refined by a few passes of EM over the documents that the learner
        remembers, if any, and keep their numbers over the stream. This takes about a second; the
        result is cached until the next step. All topics take about a millisecond for 5,000 words
        and 50 topics.

        Parameters
        ----------
        level : int, "all" or "auto", optional
            Number of topics, from 1 to K; "all" of them; or, with "auto", the suggested number.
            Defaults to "auto" if `n_topics` was, else to "all".
        recent : bool
            Of the most recent documents, see `read`. They are merged like all others, so that
            numbers agree, and are not refined.
        """
        # All topics need no tree, and no copy of the remembered documents.
        if recent or self.level(level) != self.learner.n_topics:
            return self.read(recent=recent).at(level)
        return replace(self._view(), vocabulary=self.vocabulary.frozen(self.learner.n_words))

    @locked
    def trends(self, level: int | str | None = None) -> Trends:
        """Return the share of each topic over time, at a level; see `Trends.rows`.

        All sampled texts are classified by the current model, whatever their time.
        """
        return self.read().trends(level)

    def _view(self) -> Snapshot:
        """Return all topics; the vocabulary in it may grow."""
        model, words, kept = self.model, self.vectoriser.words, self.annotations
        names, past = kept.names.of(np.arange(model.n_topics), model.weights), kept.surprise.past
        return Snapshot(model, self.vocabulary, words, self.n_docs, self.n_empty, names, past=past)

    def _default(self) -> Snapshot:
        """Return the topics that are read by default; all of them without freezing the words."""
        return self.at() if self.annotations.is_auto else self._view()

    @locked
    def tree(self) -> TopicTree:
        """Return the merge tree of the topics, which is kept stable over the stream."""
        if self._tree is None:
            self._tree = self.annotations.levels.tree(self.model)
        return self._tree

    @locked
    def level(self, level: int | str | None = None) -> int:
        """Return how many topics are read at a level, see `at`."""
        is_auto = self.annotations.is_auto
        if level in (None, ALL) and not (level is None and is_auto):
            return self.learner.n_topics  # the most frequent case, which needs no tree
        return choose_level(level, self.tree(), is_auto=is_auto)

    @locked
    def name(self, topic: int, name: str, level: int | str | None = None) -> None:
        """Set the name of a topic, numbered from 0, at a level; "" removes it.

        The name is saved with the topic, and applies at every level to the group that is the same
        or overlaps by more than half.
        """
        n, name = self.level(level), check_name(name)
        members = self.tree().cut(n).members(check_whole("topic", topic, 0, n - 1))
        with changing(self):
            self.annotations.names.give(name, members, self.n_docs)
            self._reading = None

    def learn(
        self, texts: Texts, times: Iterable[Time] | None = None, *, position: Any = None
    ) -> None:
        """Learn texts in blocks, from a list, an iterator, a Series or an array.

        Parameters
        ----------
        texts : iterable of str
            Any number of texts.
        times : iterable, optional
            A datetime, Unix seconds or None per text, for `trends`. Times do not affect the model.
        position : JSON, optional
            The position in the source after these texts. They are then learned as one block, and
            `position` is updated in the same step.

        Raises
        ------
        TypeError
            If a single string, a data frame or a dictionary is given.
        ValueError
            If a text is missing or not a string, or there are not as many times as texts.

        Notes
        -----
        Ctrl-C takes effect at the end of a block. If anything raises, including the iterator, the
        blocks before it have been learned, and the current one has changed nothing.
        """
        compile_for(self)
        is_one = isinstance(texts, str | bytes)
        if times is not None and isinstance(texts, Sized) and not is_one:
            # Before the first block: blocks learned before a wrong one would stay.
            times = times if isinstance(times, Sized) else list(times)
            check_n_times(len(texts), len(times))
        if position is not None:
            self._learn_block(texts, None if times is None else list(times), position)
            return
        when = None if times is None else iter(times)
        for block in in_blocks_of(texts, self.block_size, self.vectoriser.words):
            self._learn_block(block, None if when is None else list(islice(when, len(block))))

    @locked
    def _learn_block(
        self, texts: Texts, times: Sequence[Time] | None, position: Any = None
    ) -> None:
        self.step(self.take_in(texts, times, position))

    @locked
    def take_in(
        self, texts: Texts, times: Sequence[Time] | None = None, position: Any = None
    ) -> Counted:
        """Return a block that is counted once, for all that is done with it.

        A growing vocabulary takes in its words, once everything was checked: `step` must follow.

        Parameters
        ----------
        times : sequence, optional
            A datetime, Unix seconds or None per text.
        position : JSON, or a function that returns it, optional
            The position in the source after the block.
        """
        self.check_learns()
        if not (position is None or callable(position)):
            check_json("a position", position)
        vocabulary, words = self.vectoriser.vocabulary, self.vectoriser.words
        texts = take_texts(texts, words)
        seconds = None if times is None else as_positions(times)
        if seconds is not None:
            check_n_times(len(texts), len(seconds))
        documents = vocabulary.count_texts(texts, words)
        return Counted(texts, documents, with_words(documents), seconds, position)

    @locked
    def check_learns(self) -> None:
        """Raise `ValueError` if the learner ignores documents."""
        if not getattr(self.learner, "learns", True):
            raise ValueError(
                "these topics were learned at once, as by an engine, and cannot learn more: use "
                "them to predict (as with serve --read-only), or learn new ones"
            )

    @locked
    def step(self, counted: Counted) -> Ints | None:
        """Learn a block from `take_in`; return the new ids of all words if some were evicted."""
        documents, n_docs = counted.known, counted.documents.n_docs
        with changing(self):
            # p-values compare with scores by models that had not learned the document.
            self.annotations.before_step(self.learner, documents, self.n_docs - self.n_empty)
            self.learner.learn(documents)
            counted.add_to(self.timeline, self.n_docs, self.vectoriser)
            self.n_docs += n_docs
            self.n_empty += n_docs - documents.n_docs
            if counted.position is not None:
                self._position = counted.position
            # Only now: the timeline reads words of this block, some of which may be evicted.
            new_ids = self.vectoriser.settle()
            if new_ids is not None:
                self.learner.recode(new_ids, self.vocabulary.n_words)
            self._tree = self._reading = None
            self.annotations.after_step(self.learner, self.n_docs)
            return new_ids

    @property
    @locked
    def position(self) -> Any:
        """The position in the source after the last learned text, as JSON, saved with the model."""
        # That of files compares bytes: it is found when it is needed, and not at every step.
        if callable(self._position):
            self._position = self._position()
        return self._position

    @position.setter
    @locked
    def position(self, position: Any) -> None:
        self._position = position

    def __getstate__(self) -> dict[str, Any]:
        if self._broken is None:
            _ = self.position  # a function of it cannot be copied
        return super().__getstate__()

    @locked
    def classify(self, documents: Documents) -> Classified:
        """Return the likeliest topic of each document that is counted over the vocabulary."""
        shown = self._view()
        return shown.classify_counted(known_to(shown.model, documents))

    @property
    @locked
    def settings(self) -> dict[str, Any]:
        """The settings that must be equal for merging; block size and given words may differ."""
        own = {**settings_of(self.learner), **self.vectoriser.settings}
        return {name: value for name, value in own.items() if name != "n_words"}

    @locked
    def count(self, texts: Texts) -> Documents:
        """Return the known words of texts as documents for `model`."""
        return self._view().count(texts)

    @locked
    def log_prob(self, texts: Texts) -> Floats:
        """Return the log-probability of each text's known words, shape (n_docs,)."""
        return self._default().log_prob(texts)

    @locked
    def posterior(self, texts: Texts) -> Floats:
        """Return P(topic | text), shape (n_docs, K); the topic weights without known words.

        Like all methods that read topics, it uses the default level of `at`.
        """
        return self._default().posterior(texts)

    @locked
    def shares(self, texts: Texts) -> Floats:
        """Return the topic proportions within each text, (n_docs, K), for long texts."""
        return self._default().shares(texts)

    @locked
    def p_values(self, texts: Texts) -> Floats:
        """Return a p-value for the surprise of each text, see `Snapshot.p_values`."""
        return self._view().p_values(texts)

    @locked
    def top_words(self, n: int = 10) -> list[list[str]]:
        """Return the n most characteristic words of each topic, see `TopicModel.top_words`."""
        return self._default().top_words(n)

    def __repr__(self) -> str:
        if self._broken is not None:
            return "TextTopics(broken)"
        learner = type(self.learner).__name__
        return f"TextTopics({learner}, {self.vocabulary!r}, n_docs={self.n_docs})"

    @locked
    def to_state(self) -> dict[str, Any]:
        """Return everything needed to continue, as arrays and plain values."""
        position = self.position
        return {
            "learner": learner_state(self.learner),
            "vectoriser": self.vectoriser.to_state(),
            "block_size": self.block_size,
            "n_docs": self.n_docs,
            "n_empty": self.n_empty,
            "timeline": self.timeline.to_state(),
            "annotations": self.annotations.to_state(),
            "position": None if position is None else check_json("a position", position),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TextTopics:
        """Return the topics that `to_state` described; they continue bit for bit."""
        vectoriser = Vectoriser.from_state(part(state, "vectoriser"))
        topics = cls(
            learner=read_learner(state),
            vocabulary=vectoriser.vocabulary,
            words=vectoriser.words,
            block_size=whole(state, "block_size", 1),
            timeline=Timeline.from_state(part(state, "timeline")),
        )
        topics.n_docs = whole(state, "n_docs")
        topics.n_empty = whole(state, "n_empty", 0, topics.n_docs)
        topics.annotations = TopicAnnotations.from_state(
            part(state, "annotations"), n_topics=topics.learner.n_topics
        )
        if take(state, "position") is not None:
            topics.position = plain(state, "position", MAX_POSITION)
        return topics


class TopicAnnotations(Saved):
    """The merge tree, names and past scores of the topics, kept over the whole stream."""

    saved = fields(is_auto=truth, levels=Levels, names=Names, surprise=Surprise)

    def __init__(self, *, is_auto: bool = False) -> None:
        self.levels, self.names, self.surprise = Levels(), Names(), Surprise()
        self.is_auto = is_auto  # whether the default level is the suggested one
        self._latest: Event | None = None  # event before the step

    def before_step(self, learner: Learner, documents: Documents, n_learned: int) -> None:
        """Score documents before they are learned, for p-values."""
        self._latest = latest_event(learner)
        if n_learned >= max(1, self.surprise.due) and not isinstance(learner, Refits):
            self.surprise.add(learner.model, documents, n_learned)

    def after_step(self, learner: Learner, n_docs: int) -> None:
        """Renew the merge tree if that is due, or if other topics have replaced those below it."""
        latest = latest_event(learner)
        is_new = latest is not None and latest.kind in NEW_TOPICS and latest != self._latest
        if (is_new or n_docs >= self.levels.due) and not isinstance(learner, Refits):
            self.levels.renew(learner.model, n_docs, is_new=is_new)


def latest_event(learner: Learner) -> Event | None:
    """Return the last thing that a learner has reported, if it reports anything."""
    events = getattr(learner, "events", ())
    return events[-1] if events else None


def report_of(learner: Learner) -> Report:
    """Return what a learner reports of its topics and the stream, if it reports anything."""
    if not isinstance(learner, Reports):
        return Report()
    return Report(tuple(learner.events), learner.drifts_since, learner.settles_at)


class Counted(NamedTuple):
    """A block of texts to be learned: counted once, by `TextTopics.take_in`."""

    texts: Sequence[Any]
    documents: Documents  # their words
    known: Documents  # those of them that have words
    seconds: Floats | None = None  # (n_docs,) Unix seconds; None without times
    position: Any = None  # in the source, after the block: JSON, or a function that returns it

    def add_to(self, timeline: Timeline, n_before: int, vectoriser: Vectoriser) -> None:
        """Add the texts that have words to a timeline, after so many documents."""
        places = np.flatnonzero(np.diff(self.documents.indptr) > 0)
        known = places.tolist()
        when = None if self.seconds is None else self.seconds[places]
        if when is not None and not timeline.by_time and np.isnan(when).all():
            when = None  # invalid times: number the documents instead

        def stored(i: int) -> str:
            """Return what the timeline keeps of a text: itself, or its known words."""
            words = vectoriser.words
            document: Any = self.texts[known[i]]
            if not timeline.texts:
                document = count_words_of(self.documents[known[i]], vectoriser.vocabulary)
            if isinstance(words, Tokens):
                return words.store(document, timeline.longest)
            return str(document) if timeline.texts else " ".join(Counter(document).elements())

        timeline.add(stored, when, numbers=n_before + places)


def count_words_of(document: Documents, vocabulary: Vocabulary) -> dict[str, int]:
    """Return the counts of one document's words, in the order of the vocabulary."""
    counts = document.counts.astype(np.int64).tolist()
    return {vocabulary[w]: n for w, n in zip(document.words.tolist(), counts, strict=True)}


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


def merge_topics(shards: Sequence[TextTopics], rng: np.random.Generator) -> TextTopics:
    """Return what shards of the same settings learned, which changes them; see `merge`."""
    vocabulary = _unite_vocabularies(shards)
    is_named = any(shard.annotations.names.given for shard in shards)
    models = [shard.model for shard in shards] if is_named else []  # before they are merged
    topics = TextTopics(
        learner=merge_learners([shard.learner for shard in shards], rng),
        vocabulary=vocabulary,
        words=shards[0].vectoriser.words,
        block_size=shards[0].block_size,
        timeline=merge_timelines([shard.timeline for shard in shards], rng),
    )
    topics.annotations = _merge_annotations(shards, models, topics)
    topics.n_docs = sum(shard.n_docs for shard in shards)
    topics.n_empty = sum(shard.n_empty for shard in shards)
    return topics


def _unite_vocabularies(shards: Sequence[TextTopics]) -> Vocabulary:
    """Return the words of all shards, by which their learners now number words."""
    vocabulary, new_ids = shards[0].vocabulary.unite([shard.vocabulary for shard in shards[1:]])
    for shard, ids in zip(shards, new_ids, strict=True):
        # A shard may have counted words that its learner has not met yet.
        shard.learner.recode(None, max(shard.learner.n_words, len(ids)))
        if len(ids):
            shard.learner.recode(ids, vocabulary.n_words)
    return vocabulary


def _merge_annotations(
    shards: Sequence[TextTopics], models: Sequence[TopicModel], topics: TextTopics
) -> TopicAnnotations:
    """Return the first shard's tree and names, and the names of others where a topic is alike."""
    united = TopicAnnotations()
    first = next((shard for shard in shards if shard.n_docs), shards[0])
    united.is_auto = all(shard.annotations.is_auto for shard in shards)
    united.levels, united.names = first.annotations.levels, shards[0].annotations.names
    for shard, theirs in zip(shards[1:], models[1:], strict=False):
        united.names.adopt(shard.annotations.names, theirs, topics.model)
    united.surprise = Surprise.merged([shard.annotations.surprise for shard in shards])
    return united
