"""TextTopics: texts in, topics out; a vectoriser and a learner joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_json, check_whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import with_words
from spectralleader.learners import DEFAULT_LEARNER, Learner
from spectralleader.learners.lookup import name_of
from spectralleader.learners.merging import settings_of
from spectralleader.learners.protocol import remembered
from spectralleader.models import TopicModel, TopicTree
from spectralleader.runtime.guard import Guarded, changing
from spectralleader.text.batch import Batch
from spectralleader.text.first_use import compile_for
from spectralleader.text.held import Held
from spectralleader.text.names import check_name
from spectralleader.text.over_words import check_together, make_learner
from spectralleader.text.reading import Reading
from spectralleader.text.saving import from_state, to_state
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.surprise import Past
from spectralleader.text.texts import Texts, in_blocks_of
from spectralleader.text.timeline import Timeline
from spectralleader.text.times import Time
from spectralleader.text.trends import Trends
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer


class TextTopics(Guarded):
    """Learns topics from texts, online: a valid model after every block of them.

    Texts that have no known word are counted and otherwise left out: they teach nothing.

    Any thread may use it: steps and readings take place one after the other. Readers that are not
    to wait for a step take a `snapshot`.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    learner : str or Learner
        One of `LEARNERS`, by name, or your own as ``package.module:Class``; or a learner itself,
        over the vocabulary's words, which has its number of topics and parameters already.
    vocabulary : Vocabulary or iterable of str, optional
        Words to tell texts apart by, such as `Vocabulary.most_frequent(texts, 500, words=words)`
        with the same `words`. Left out, it grows with the stream up to 50,000 words, and the
        lightest are dropped.
    words : Words, Tokens, "tokens" or callable, optional
        What counts as a word. Left out, English stop words are left out. With "tokens", documents
        are not texts but lists of tokens, or dictionaries of their counts; see `Tokens`.
    block_size : int
        Texts learned at a step.
    timeline : Timeline, optional
        What is kept of when texts came, and of the texts: by default a sample of them, in at most
        8 MB. ``Timeline(texts=False)`` keeps none as it was written.
    **parameters
        More for the learner, such as `seed`.

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

    doors = (
        *("step", "to_state", "model", "vocabulary", "snapshot"),
        *("count", "log_prob", "posterior", "shares", "top_words", "recent"),
        *("tree", "at", "hold", "trends", "name", "p_values"),
    )

    def __init__(
        self,
        n_topics: int = 5,
        *,
        learner: str | Learner = DEFAULT_LEARNER,
        vocabulary: Vocabulary | Iterable[str] | None = None,
        words: Tokenizer | str | None = None,
        block_size: int = 100,
        timeline: Timeline | None = None,
        **parameters: Any,
    ) -> None:
        self.vectoriser = Vectoriser.of(vocabulary, words)
        self.block_size = check_whole("block_size", block_size, 1)
        if isinstance(learner, str):
            learner = make_learner(learner, n_topics, self.vectoriser.vocabulary, **parameters)
        check_together(learner, self.vectoriser.vocabulary)
        self.learner = learner
        self.n_docs = 0  # texts learned
        self.n_empty = 0  # of these, the ones without a known word
        self.timeline = Timeline() if timeline is None else timeline
        self.reading = Reading()
        # Where in its source what was learned ends, saved with it: any plain JSON, None if unknown.
        self.position: Any = None

    @property
    def model(self) -> TopicModel:
        """The model of everything learned so far, over the vocabulary."""
        return self.learner.model

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that are known at present."""
        return self.vectoriser.vocabulary

    def snapshot(self) -> Snapshot:
        """Return what was learned so far, as an object that never changes.

        Any thread may read it, without waiting, while another one goes on learning. Taking it
        costs about a millisecond for 5,000 words and 50 topics.
        """
        return replace(self._view(), vocabulary=self.vocabulary.frozen(self.learner.n_words))

    @property
    def recent(self) -> Snapshot:
        """The topics of the last documents, numbered as those of `model` where they match.

        Raises `ValueError` if the learner follows no window; `HedgedLeader`, the default, does.
        """
        model = getattr(self.learner, "recent", None)
        if not isinstance(model, TopicModel):
            name = name_of(self.learner)
            raise ValueError(f"the learner {name!r} has no recent topics; 'hedged' has")
        # the past was judged by the topics of all documents
        return replace(self.snapshot(), model=model, past=Past())

    def _view(self) -> Snapshot:
        return self.reading.view(self.model, self.vectoriser, self.n_docs, self.n_empty)

    def tree(self) -> TopicTree:
        """Return the merge tree of the topics, which stays as the stream goes on."""
        return self.reading.tree(self.model)

    def at(self, level: int | None) -> Snapshot:
        """Return the topics merged to `level` of them, 1 to K, or all if it is None.

        The result never changes.
        They are refined by a few passes of EM over the documents that the learner remembers, if it
        does. The topics of a level keep their numbers as the stream goes on. It takes about a
        second at most, and no time if nothing was learned since the last call.
        """
        return self.snapshot() if level is None else self._held().at(level)

    def _held(self) -> Held:
        """Return what was held since the last step, so that a level is cut only once."""
        if self.reading.held is None:
            self.reading.held = self.hold()
        return self.reading.held

    def hold(self) -> Held:
        """Return what was learned so far, at every level and over time, as it never changes.

        Any thread may read it while another one learns on: only taking it, which is a matter of
        milliseconds, waits for the end of a step.
        """
        return self.reading.hold(self.snapshot(), remembered(self.learner), self.timeline)

    def trends(self, level: int | None = None) -> Trends:
        """Return the share of each topic over time, at a level; see `Trends.rows`.

        All texts of the timeline's sample are judged by the present model, whenever they came.
        """
        return self._held().trends(level)

    def name(self, topic: int, name: str, level: int | None = None) -> None:
        """Give a topic a name, numbered from 0, at a level; "" takes it away.

        The name stays with the topic: in files, when learning resumes, and for the group of any
        level that is the same or has more than half in common with it.
        """
        members, name = self.reading.members(topic, level, self.model), check_name(name)
        with changing(self):
            self.reading.give(name, members, self.n_docs)

    def learn(
        self, texts: Texts, times: Iterable[Time] | None = None, *, position: Any = None
    ) -> None:
        """Learn from texts, however many, in blocks: a list, an iterator, a Series, an array.

        Times are datetimes, Unix seconds or None, one per text: for `trends`. They change nothing
        of what is learned.

        With `position`, plain JSON that says where in their source the texts end, they are learned
        as one block, and it becomes the `position` of this object in the same step.

        Ctrl-C waits for the end of a block. Whatever is raised, by the iterator too, the blocks
        before it have been learned and its own has changed nothing.

        Raises
        ------
        TypeError
            If a single string is given.
        ValueError
            If a text is missing or no string, or there are fewer times than texts.
        """
        compile_for(self)
        if position is not None:
            self.step(texts, times=None if times is None else list(times), position=position)
            return
        when = None if times is None else iter(times)
        for block in in_blocks_of(texts, self.block_size, self.vectoriser.words):
            self.step(block, times=None if when is None else list(islice(when, len(block))))

    def step(
        self,
        texts: Texts,
        judge: Callable[[Documents], None] | None = None,
        times: Sequence[Time] | None = None,
        *,
        position: Any = None,
    ) -> Ints | None:
        """Learn one block of texts; return the new ids of all words if some were dropped, or None.

        Parameters
        ----------
        judge : callable, optional
            Called with the block's documents that have words, before they are learned.
        times : sequence, optional
            Of each text: a datetime, Unix seconds, or None.
        position : JSON, optional
            Where in its source the block ends.
        """
        if position is not None:
            check_json("a position", position)
        batch = Batch.of(texts, times, self.vectoriser)  # raises before anything changes
        counted, documents = batch.counted, with_words(batch.counted)
        with changing(self):
            if judge is not None:
                judge(documents)
            self.reading.before_step(self.learner, documents, self.n_docs - self.n_empty)
            self.learner.learn(documents)
            batch.add_to(self.timeline, self.n_docs)
            self.n_docs += counted.n_docs
            self.n_empty += counted.n_docs - documents.n_docs
            if position is not None:
                self.position = position
            new_ids = self.vectoriser.settle()
            if new_ids is not None:
                self.learner.recode(new_ids, self.vocabulary.n_words)
            self.reading.after_step(self.learner, self.n_docs)
            return new_ids

    @property
    def settings(self) -> dict[str, Any]:
        """What must be the same for two to be merged; blocks and given words may differ."""
        own = {**settings_of(self.learner), **self.vectoriser.settings}
        return {name: value for name, value in own.items() if name != "n_words"}

    def count(self, texts: Texts) -> Documents:
        """Count the known words of texts, as the model takes them; nothing changes."""
        return self._view().count(texts)

    def log_prob(self, texts: Texts) -> Floats:
        """Return the log-probability of each text's known words, shape (n_docs,)."""
        return self._view().log_prob(texts)

    def posterior(self, texts: Texts) -> Floats:
        """Return P(topic | text), shape (n_docs, K); the weights for a text without known words."""
        return self._view().posterior(texts)

    def shares(self, texts: Texts) -> Floats:
        """Return the proportions of topics within each text, (n_docs, K), for long texts."""
        return self._view().shares(texts)

    def p_values(self, texts: Texts) -> Floats:
        """Return how surprising each text is, a share; see `Snapshot.p_values`."""
        return self._view().p_values(texts)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """Return the n first words of each topic, those that all topics share stepping back."""
        return self._view().top_words(n)

    def __repr__(self) -> str:
        if self._broken is not None:
            return "TextTopics(broken)"
        learner = type(self.learner).__name__
        return f"TextTopics({learner}, {self.vocabulary!r}, n_docs={self.n_docs})"

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on, as arrays and plain values."""
        return to_state(self)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TextTopics:
        """Return what `to_state` described; it goes on as if never stopped."""
        return from_state(cls, state)
