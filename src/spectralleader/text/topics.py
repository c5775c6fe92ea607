"""TextTopics: texts in, topics out; a vectoriser and a learner joined."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.states import check_same, part, text, whole
from spectralleader.documents import Documents
from spectralleader.em.refining import refine
from spectralleader.em.statistics import with_words
from spectralleader.learners import DEFAULT_LEARNER, LEARNERS, Learner
from spectralleader.learners.hedged.rehearsal import rehearse_starts, rehearse_steps
from spectralleader.learners.lookup import create_learner, name_of, stored_learner
from spectralleader.learners.merging import merge_learners, settings_of
from spectralleader.learners.offline import Offline
from spectralleader.learners.protocol import remembered
from spectralleader.models import TopicModel, TopicTree
from spectralleader.runtime.first_use import use_first
from spectralleader.runtime.guard import Guarded, changing
from spectralleader.text.levels import N_PASSES, Levels
from spectralleader.text.names import Names, check_name
from spectralleader.text.snapshot import Snapshot
from spectralleader.text.surprise import Past, Surprise
from spectralleader.text.texts import Texts, take_texts
from spectralleader.text.timeline import Time, Timeline, as_positions, merge_timelines
from spectralleader.text.tokens import Tokens
from spectralleader.text.trends import Trends, find_trends, sample_under
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Tokenizer, Words

MAX_POSITION = 2**20  # characters of a stored position
MAX_WORDS = 50_000  # words that a growing vocabulary settles down to, if nobody says


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
        *("tree", "at", "trends", "name", "p_values"),
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
        vocabulary = _as_vocabulary(vocabulary)
        self.block_size = check_whole("block_size", block_size, 1)
        if isinstance(learner, str):
            learner = make_learner(learner, n_topics, vocabulary, **parameters)
        _check_together(learner, vocabulary)
        self.learner = learner
        self.vectoriser = Vectoriser(vocabulary, _as_words(words))
        self.n_docs = 0  # texts learned
        self.n_empty = 0  # of these, the ones without a known word
        self.timeline = Timeline() if timeline is None else timeline
        self.levels, self.names = Levels(), Names()
        self.surprise = Surprise()
        self._at: dict[int, Snapshot] = {}  # levels read since the last step
        self._tree: TopicTree | None = None  # and the tree
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

        Any thread may read it, without waiting, while another one goes on learning. It takes a
        moment: about a millisecond for 5,000 words and 50 topics.
        """
        return replace(self._view(), vocabulary=self.vocabulary.frozen(self.learner.n_words))

    @property
    def recent(self) -> Snapshot:
        """The topics of the last documents, numbered as those of `model` where they match.

        Raises
        ------
        ValueError
            If the learner follows no window; `HedgedLeader`, the default, does.
        """
        model = getattr(self.learner, "recent", None)
        if not isinstance(model, TopicModel):
            raise ValueError(
                f"the learner {name_of(self.learner)!r} has no recent topics; 'hedged' has"
            )
        known = self.vocabulary.frozen(self.learner.n_words)
        # the past was judged by the topics of all documents
        return replace(self._view(), model=model, vocabulary=known, past=Past())

    def _view(self) -> Snapshot:
        counted = (self.vocabulary, self.vectoriser.words, self.n_docs, self.n_empty)
        model = self.model
        names = self._names(np.arange(model.n_topics), model)
        return Snapshot(model, *counted, names, past=self.surprise.past)

    def _names(self, groups: Ints, model: TopicModel) -> tuple[str, ...]:
        return self.names.of(groups, model.weights) if self.names.given else ()

    def tree(self) -> TopicTree:
        """Return the merge tree of the topics, which stays as the stream goes on."""
        if self._tree is None:
            self._tree = self.levels.tree(self.model)
        return self._tree

    def at(self, level: int | None) -> Snapshot:
        """Return the topics merged to fewer of them, as an object that never changes.

        They are refined by a few passes of EM over the documents that the learner remembers, if it
        does. The topics of a level keep their numbers as the stream goes on. It takes about a
        second at most, and no time if nothing was learned since the last call.

        Parameters
        ----------
        level : int, optional
            Number of topics, from 1 to K. None: all, as they are.
        """
        if level is None or level == self.learner.n_topics:
            return self.snapshot()
        if level not in self._at:
            tree, remembers = self.tree(), remembered(self.learner)
            cut = tree.cut(level)
            model = cut.model if remembers is None else refine(cut.model, remembers, N_PASSES)
            names = self._names(cut.groups, tree.model)
            view = replace(self.snapshot(), model=model, names=names, groups=cut.groups)
            self._at[level] = view
        return self._at[level]

    def trends(self, level: int | None = None) -> Trends:
        """Return the share of each topic over time, at a level; see `Trends.rows`.

        All texts of the timeline's sample are judged by the present model, whenever they came.
        """
        return find_trends(self.timeline, sample_under(self.at(level), self.timeline))

    def name(self, topic: int, name: str, level: int | None = None) -> None:
        """Give a topic a name, numbered from 0, at a level; "" takes it away.

        The name stays with the topic: in files, when learning resumes, and for the group of any
        level that is the same or has more than half in common with it.
        """
        K = self.learner.n_topics
        n = check_whole("level", K if level is None else level, 1, K)
        topic = check_whole("topic", topic, 0, n - 1)
        groups, name = np.arange(K) if n == K else self.tree().groups(n), check_name(name)
        with changing(self):
            self.names.give(name, np.flatnonzero(groups == topic).tolist(), self.n_docs)
            self._at = {}

    def learn(
        self, texts: Texts, times: Iterable[Time] | None = None, *, position: Any = None
    ) -> None:
        """Learn from texts, however many, in blocks: a list, an iterator, a Series, an array.

        Times are datetimes, Unix seconds or None, one per text: for `trends`. They change nothing
        of what is learned.

        With `position`, plain JSON that says where in their source the texts end, they are learned
        as one block, and it becomes the `position` of this object in the same step: what is saved
        never holds the one without the other.

        Whatever is raised, by the iterator too, whole blocks before it have been learned. A block
        is refused before anything changes, or learned; Ctrl-C waits for its end.

        Raises
        ------
        TypeError
            If a single string is given.
        ValueError
            If a text is missing or no string, or there are fewer times than texts; the blocks
            before its own have been learned.
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
        """Learn one block of texts.

        Parameters
        ----------
        texts : texts
            The block.
        judge : callable, optional
            Called with the block's documents that have words, before they are learned.
        times : sequence, optional
            Of each text: a datetime, Unix seconds, or None.
        position : JSON, optional
            Where in its source the block ends.

        Returns
        -------
        array or None
            The new ids of all words, if a growing vocabulary dropped some.
        """
        if position is not None:
            as_json(position)
        texts = take_texts(texts, self.vectoriser.words)
        seconds = None if times is None else as_positions(times)
        if seconds is not None and len(seconds) != len(texts):
            raise ValueError(f"there are {len(texts)} texts, and {len(seconds)} times")
        counted = self.vectoriser.count(texts)  # refuses texts before it takes in their words
        documents = with_words(counted)
        with changing(self):
            if judge is not None:
                judge(documents)
            self._score(documents)
            self.learner.learn(documents)
            self._remember(texts, seconds, counted)
            self.n_docs += counted.n_docs
            self.n_empty += counted.n_docs - documents.n_docs
            self._at, self._tree = {}, None
            if position is not None:
                self.position = position
            new_ids = self._settle()
            if self.n_docs >= self.levels.due and not isinstance(self.learner, Offline):
                self.levels.renew(self.model, self.n_docs)
            return new_ids

    def _score(self, documents: Documents) -> None:
        """Note how likely documents are, before they are learned: for p-values."""
        n = self.n_docs - self.n_empty
        if n >= max(1, self.surprise.due) and not isinstance(self.learner, Offline):
            self.surprise.add(self.model, documents, n)

    def _remember(self, texts: Sequence[Any], seconds: Floats | None, counted: Documents) -> None:
        """Add the texts that have words to the timeline."""
        places = np.flatnonzero(np.diff(counted.indptr) > 0)
        known = places.tolist()

        def text_of(i: int) -> str:
            if not self.timeline.texts:
                return self._words_of(counted, known[i])
            words, text = self.vectoriser.words, texts[known[i]]
            return words.store(text, self.timeline.longest) if isinstance(words, Tokens) else text

        when = None if seconds is None else seconds[places]
        if when is not None and not self.timeline.by_time and np.isnan(when).all():
            when = None  # times that nobody can read: documents are numbered
        self.timeline.add(text_of, when, numbers=self.n_docs + places)

    def _words_of(self, counted: Documents, i: int) -> str:
        """Return the known words of a document, in the order of the vocabulary."""
        one = counted[i]
        words = zip(one.words.tolist(), one.counts.astype(np.int64).tolist(), strict=True)
        if isinstance(self.vectoriser.words, Tokens):
            found = {self.vocabulary[w]: count for w, count in words}
            return self.vectoriser.words.store(found, self.timeline.longest)
        return " ".join(self.vocabulary[w] for w, count in words for _ in range(count))

    def _settle(self) -> Ints | None:
        """Let the vocabulary settle, and the learner follow it."""
        new_ids = self.vectoriser.settle()
        if new_ids is not None:
            self.learner.recode(new_ids, self.vocabulary.n_words)
        return new_ids

    @property
    def settings(self) -> dict[str, Any]:
        """What must be the same for two to be merged; blocks and given words may differ."""
        own = settings_of(self.learner)
        own.pop("n_words", None)
        return {**own, **self.vocabulary.settings, **_describe(self.vectoriser.words)}

    @staticmethod
    def merged(shards: Sequence[TextTopics], rng: np.random.Generator) -> TextTopics:
        """Return what shards of the same settings learned, which changes them; see `merge`."""
        vocabulary, new_ids = shards[0].vocabulary.unite([shard.vocabulary for shard in shards[1:]])
        for shard, ids in zip(shards, new_ids, strict=True):
            shard.learner.recode(None, max(shard.learner.n_words, len(ids)))
            if len(ids):
                shard.learner.recode(ids, vocabulary.n_words)
        is_named = any(shard.names.given for shard in shards)
        models = [shard.model if is_named else None for shard in shards]
        topics = TextTopics(
            learner=merge_learners([shard.learner for shard in shards], rng),
            vocabulary=vocabulary,
            words=shards[0].vectoriser.words,
            block_size=shards[0].block_size,
            timeline=merge_timelines([shard.timeline for shard in shards], rng),
        )
        first = next((shard for shard in shards if shard.n_docs), shards[0])
        topics.levels, topics.names = first.levels, shards[0].names
        for shard, theirs in zip(shards[1:], models[1:], strict=True):
            if theirs is not None:
                topics.names.adopt(shard.names, theirs, topics.model)
        topics.surprise = Surprise.merged([shard.surprise for shard in shards])
        topics.n_docs = sum(shard.n_docs for shard in shards)
        topics.n_empty = sum(shard.n_empty for shard in shards)
        return topics

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
        """Return how many of the last documents were as unlikely as each text, as a share.

        Small values are surprising: of documents like those of the past, one in a hundred has a
        p-value of 0.01 or less. The past are up to 4,000 documents, each judged before it was
        learned; a text is compared with those about as long. NaN for a text without known words,
        and as long as nothing was learned. An offline learner has no past.
        """
        return self._view().p_values(texts)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """Return the n first words of each topic, those that all topics share stepping back."""
        return self._view().top_words(n)

    def __repr__(self) -> str:
        if self._broken is not None:
            return "TextTopics(broken)"
        return (
            f"TextTopics({type(self.learner).__name__}, {self.vocabulary!r}, n_docs={self.n_docs})"
        )

    def to_state(self) -> dict[str, Any]:
        """Return all that is needed to go on, as arrays and plain values."""
        return {
            "learner": {**self.learner.to_state(), "kind": name_of(self.learner)},
            "vectoriser": self.vectoriser.to_state(),
            "block_size": self.block_size,
            "n_docs": self.n_docs,
            "n_empty": self.n_empty,
            "timeline": self.timeline.to_state(),
            "levels": self.levels.to_state(),
            "names": self.names.to_state(),
            "surprise": self.surprise.to_state(),
            "position": None if self.position is None else as_json(self.position),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TextTopics:
        """Rebuild what `to_state` described; it goes on as if never stopped."""
        stored = part(state, "learner")
        learner = stored_learner(text(stored, "kind")).from_state(stored)
        vectoriser = Vectoriser.from_state(part(state, "vectoriser"))
        block_size = whole(state, "block_size", 1)
        topics = cls(
            learner=learner,
            vocabulary=vectoriser.vocabulary,
            words=vectoriser.words,
            block_size=block_size,
        )
        topics.n_docs = whole(state, "n_docs")
        topics.n_empty = whole(state, "n_empty", 0, topics.n_docs)
        if "timeline" in state:  # files of version 0.1.0 have none of these three
            topics.timeline = Timeline.from_state(part(state, "timeline"))
            topics.levels = Levels.from_state(part(state, "levels"), learner.n_topics)
            topics.names = Names.from_state(state, learner.n_topics)
        if "surprise" in state:  # files of version 0.1.0 have none
            topics.surprise = Surprise.from_state(part(state, "surprise"))
        topics.position = _stored_position(state)
        return topics


def compile_for(topics: TextTopics) -> None:
    """Compile whatever learning needs, if that was not done on this machine, or be interrupted."""
    for name, entry in LEARNERS.items():
        if type(topics.learner) is entry.learner:
            compile_learning(name, topics.vocabulary.grows)


@cache
def compile_learning(learner: str, grows: bool) -> None:  # noqa: FBT001  # `cache` is fastest so
    """Compile what a learner of that name needs, see `compile_for`."""
    if learner not in LEARNERS:
        return
    parts = PARTS if learner == DEFAULT_LEARNER else ()
    use_first(try_learning, learner, grows, parts=parts)


def try_counting() -> None:
    """Count the words of a few made-up texts, and read a model of them."""
    texts = sample_texts(20)
    vocabulary = Vocabulary.most_frequent(texts, 100)
    model = TopicModel.trusted(np.ones(1), np.full((1, vocabulary.n_words), 0.01))
    Snapshot(model, vocabulary, Words(), 0, 0).posterior(texts)


# The kernels of the default learner are compiled by two processes, as long as each other.
PARTS = (((rehearse_steps, ()),), ((try_counting, ()), (rehearse_starts, ())))


def try_learning(learner: str, grows: bool) -> None:  # noqa: FBT001  # as above
    """Learn a few made-up texts, judged before and read after."""
    texts = sample_texts(80)
    vocabulary = None if grows else Vocabulary.most_frequent(texts, 100)
    topics = TextTopics(2, learner=learner, vocabulary=vocabulary)
    for start in range(0, len(texts), 20):
        topics.step(texts[start : start + 20])
        topics.learner.predictive.log_prob(topics.count(texts))
    topics.posterior(texts)
    topics.posterior(texts[:1])  # few words are looked up in another way
    topics.vocabulary.find(["word1"])  # as tokens are
    topics.tree()


def sample_texts(n_docs: int) -> list[str]:
    """Return texts of two topics and 200 words, some of them long: every kernel has work."""
    rng = np.random.default_rng(0)
    words = [f"wörd{i}" if i == 7 else f"word{i}" for i in range(200)]
    lengths = np.where(rng.random(n_docs) < 0.1, 60, 6)
    return [
        " ".join(words[i % 2 * 100 + w] for w in rng.integers(100, size=n) // rng.integers(1, 9))
        for i, n in enumerate(lengths.tolist())
    ]


def _check_together(learner: Learner, vocabulary: Vocabulary) -> None:
    """Raise unless a learner can be one over the vocabulary; new words may not be learned yet."""
    n_words = max(1, vocabulary.n_words)
    if learner.grows != vocabulary.grows or learner.n_words > n_words:
        raise ValueError(f"the learner is over {learner.n_words} words, the vocabulary {n_words}")
    if not vocabulary.grows:
        check_same("n_words of the learner", learner.n_words, n_words)


def make_learner(name: str, n_topics: int, vocabulary: Vocabulary, **parameters: Any) -> Learner:
    """Return a new learner over a vocabulary, by its name."""
    n_words = None if vocabulary.grows else vocabulary.n_words
    return create_learner(name, n_topics, n_words=n_words, **parameters)


def _describe(words: Tokenizer) -> dict[str, Any]:
    """Return what counts as a word, as plain values; a tokenizer of one's own is itself."""
    if isinstance(words, Tokens):
        return {"tokenizer": "Tokens", "split": words.split}
    if not isinstance(words, Words):
        return {"tokenizer": words}
    own = {"min_length": words.min_length, "stop_words": words.stops, "keep": words.keep}
    return {"tokenizer": "Words", **own}


def in_blocks_of(texts: Texts, size: int, words: Tokenizer) -> Iterator[Sequence[Any]]:
    """Yield consecutive blocks of texts; an iterator is read as far as needed only."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterator):
        strings = take_texts(texts, words)
        for start in range(0, len(strings), size):
            yield strings[start : start + size]
        return
    while block := list(islice(texts, size)):
        yield take_texts(block, words)


def as_json(position: Any) -> str:
    """Return a position as JSON text, or raise if it is not plain JSON."""
    try:
        text = json.dumps(position, allow_nan=False)
        if json.loads(text) == position:
            return text
    except (TypeError, ValueError, RecursionError):
        pass
    raise ValueError(f"a position must be plain JSON values, got {position!r:.60}")


def _stored_position(state: dict[str, Any]) -> Any:
    """Return the position of a state; files of the first versions have none."""
    if state.get("position") is None:
        return None
    return json.loads(text(state, "position", MAX_POSITION))


def _as_words(given: Tokenizer | str | None) -> Tokenizer:
    if given is None:
        return Words(stop_words="english")
    if isinstance(given, str):
        if given != "tokens":
            raise ValueError(f'words must be Words, Tokens, a function or "tokens", got {given!r}')
        return Tokens()
    return given


def _as_vocabulary(given: Vocabulary | Iterable[str] | None) -> Vocabulary:
    if given is None:
        return GrowingVocabulary(MAX_WORDS)
    if isinstance(given, str | int):
        raise TypeError(f"vocabulary must be a Vocabulary or words, got {given!r}")
    return given if isinstance(given, Vocabulary) else Vocabulary(given)
