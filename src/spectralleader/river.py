"""SpectralTopics for river: learns one document at a time, as counts, tokens or text."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, cast

import numpy as np

from spectralleader.checks import check_json, check_whole
from spectralleader.checks.states import check_same, integers, plain, whole
from spectralleader.documents import Documents
from spectralleader.errors import missing_extra
from spectralleader.learners import DEFAULT_LEARNER, Learner
from spectralleader.learners.registry import create_learner
from spectralleader.models import TopicModel
from spectralleader.storage.kinds import adapter_state, read_adapter
from spectralleader.text.vectoriser import MAX_WORDS
from spectralleader.text.vocabulary import choose_frequent
from spectralleader.text.words import Words

try:
    from river import base
except ModuleNotFoundError as error:
    raise ImportError(missing_extra("spectralleader.river", "river")) from error

Bag = Mapping[Any, Any]  # words, or names of features, to counts
Document = Bag | Sequence[Any]  # a string is a text, other sequences are tokens
Pair = tuple[int, int]  # word id and count
MOST = 2**53  # counts must be below: a float64 holds them exactly
PARAMETERS = ("n_components", "learner", "max_words", "learner_params", "seed")
MAX_CHARACTERS = 2**27  # total length of the words in a file


class SpectralTopics(base.Transformer):
    """Single-topic model learned online, as a river transformer.

    A document has one topic, and its words are drawn from that topic; `transform_one` returns the
    probability of each topic. Documents are dictionaries of counts, such as the output of
    ``BagOfWords``, lists of tokens, or texts, from which English stop words are removed. New words
    may appear at any time. Weights of ``TFIDF`` are rejected; other fractional counts are rounded,
    with a warning. Only learning changes the model.

    Save it with `spectralleader.save`, if words are strings or integers, or with `pickle`. Loading
    a file of the former executes no code from it.

    Parameters
    ----------
    n_components
        Number of topics, K.
    learner
        One of `spectralleader.LEARNERS`, by name.
    max_words
        Size of the vocabulary. Once it is exceeded by a quarter, the least frequent words are
        evicted.
    learner_params
        Further parameters of the learner, such as ``{"reservoir_size": 10_000}``.
    seed
        Random seed of the learner.

    Examples
    --------
    >>> from river import feature_extraction
    >>> topics = feature_extraction.BagOfWords() | SpectralTopics(n_components=2)
    >>> for text in ["rain wind rain", "wind rain wind", "late goal", "goal late"] * 5:
    ...     topics.learn_one(text)
    >>> rain, wind, goal = (topics.predict_one(text) for text in ("rain", "wind", "a goal"))
    >>> rain == wind != goal
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        learner: str = DEFAULT_LEARNER,
        max_words: int = MAX_WORDS,
        learner_params: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.max_words = check_whole("max_words", max_words, 1)
        self.learner_params = learner_params
        self.seed = seed
        self.n_docs = 0
        self._words = Words(stop_words="english")
        self._ids: dict[Hashable, int] = {}
        self._totals: list[int] = []  # occurrences of each word since it was added
        n_topics = check_whole("n_components", n_components, 1)
        parameters = {"seed": seed, **(learner_params or {})}
        self._learner: Learner = create_learner(learner, n_topics, **parameters)

    @property
    def model(self) -> TopicModel:
        """The model of everything learned so far, over `vocabulary`."""
        return self._learner.model

    @property
    def vocabulary(self) -> list[Any]:
        """The words, or features, that are currently known."""
        return list(self._ids)

    def learn_one(self, x: Document) -> None:
        """Learn one document, as one step."""
        self._learn([self._count(x)])

    def learn_many(self, X: Any) -> None:
        """Learn several documents as one step: a data frame of counts, or a list of documents.

        Rows of a data frame are documents, its columns are words. This is faster than calling
        `learn_one` for each, with a slightly different result.
        """
        self._learn([self._count(x) for x in rows_of(X)])

    def transform_one(self, x: Document) -> dict[Any, float]:
        """Return the probability of each topic; unknown words are ignored."""
        posterior = self.model.posterior(self._known(x))
        return dict(enumerate(posterior[0].tolist()))

    def predict_one(self, x: Document) -> int:
        """Return the likeliest topic."""
        return int(self.model.posterior(self._known(x)).argmax())

    def score_one(self, x: Document) -> float:
        """Return the log-probability of the known words; higher is better.

        Called before `learn_one`, it is the prequential score of the learner.
        """
        return float(self._learner.predictive.log_prob(self._known(x))[0])

    def top_words(self, n: int = 10) -> list[list[Any]]:
        """Return the n most characteristic words of each topic, see `TopicModel.top_words`."""
        if not self._ids:
            return [[] for _ in range(self.model.n_topics)]
        return self.model.top_words(self.vocabulary, n)

    def to_state(self) -> dict[str, Any]:
        """Return the parameters and everything learned; words must be strings or integers."""
        parameters = {name: getattr(self, name) for name in PARAMETERS}
        return {
            **adapter_state(parameters, self._learner),
            "words": check_json("words to be saved", self.vocabulary),
            "totals": np.array(self._totals, np.int64),
            "n_docs": self.n_docs,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> SpectralTopics:
        """Return the topics that `to_state` described; raise `ValueError` for an invalid state."""
        parameters, learner = read_adapter(state, list(PARAMETERS))
        topics = cls(max_words=parameters["max_words"])  # its learner is replaced
        vars(topics).update(parameters)
        words = plain(state, "words", MAX_CHARACTERS)
        # Not booleans or floats: true and 1.0 equal 1, and would be the same key as that.
        if not isinstance(words, list) or not all(type(word) in (str, int) for word in words):
            raise ValueError("words must be a list of strings and integers")
        topics._ids = {word: i for i, word in enumerate(words)}
        topics._totals = integers(state, "totals", (len(topics._ids),), 0).tolist()
        check_same("words", max(1, len(topics._ids)), learner.n_words)
        topics._learner, topics.n_docs = learner, whole(state, "n_docs")
        return topics

    def _count(self, x: Any) -> Bag:
        if isinstance(x, str):
            return Counter(self._words(x))
        if isinstance(x, list | tuple):
            return Counter(x)
        if not isinstance(x, Mapping):
            kind = type(x).__name__
            raise TypeError(
                "a document must be a text, a list of tokens or a dictionary from words to counts, "
                f"got a {kind}"
            )
        # Counts as ``BagOfWords`` returns them are taken as they are, without a copy.
        counts = x.values() or (0,)
        if set(map(type, counts)) == {int} and 0 <= min(counts) <= max(counts) < MOST:
            return x
        check_weights(x)
        whole: dict[Any, int] = {}
        # Not a comprehension: the warning's stack level depends on it.
        for word, count in x.items():
            whole[word] = as_count(word, count)
        return whole

    def _learn(self, bags: list[Bag]) -> None:
        for bag in bags:
            self._add(bag)
        pairs = [self._pairs(bag) for bag in bags]
        # Learned before the totals are updated, so that a refused block does not count.
        self._learner.learn(pack(pairs, max(1, len(self._ids))))
        for i, count in chain.from_iterable(pairs):
            self._totals[i] += count
        self.n_docs += len(bags)
        # A quarter more than needed, because renumbering all words takes as long as many documents.
        if len(self._ids) > self.max_words + self.max_words // 4:
            self._settle()

    def _add(self, bag: Bag) -> None:
        """Add the new words of a document."""
        if not bag.keys() <= self._ids.keys():
            new = [word for word, count in bag.items() if count and word not in self._ids]
            # Sorted, so that the order of a dictionary does not matter.
            self._ids |= {word: len(self._ids) + i for i, word in enumerate(sorted(new, key=repr))}
            self._totals += [0] * len(new)

    def _pairs(self, bag: Bag) -> list[Pair]:
        """Return the sorted ids and counts of a document's known words."""
        ids = self._ids
        return sorted((ids[word], count) for word, count in bag.items() if count and word in ids)

    def _known(self, x: Document) -> Documents:
        return pack([self._pairs(self._count(x))], self._learner.n_words)

    def _settle(self) -> None:
        """Evict the least frequent words; of equally frequent ones, the newest."""
        totals = np.array(self._totals)
        kept, new_ids = choose_frequent(totals, self.max_words)
        self._learner.recode(new_ids, len(kept))
        # Dictionaries keep the order in which words were added, which is that of their ids.
        words = self.vocabulary
        self._ids = {words[old]: new for new, old in enumerate(kept.tolist())}
        self._totals = totals[kept].tolist()


def pack(documents: list[list[Pair]], n_words: int) -> Documents:
    """Return the block of documents given as sorted (id, count) pairs."""
    # Sorted and distinct by construction: validation would take longer than packing.
    indptr = np.array([0, *accumulate(map(len, documents))], np.int64)
    pairs = documents[0] if len(documents) == 1 else list(chain.from_iterable(documents))
    words, counts = zip(*pairs, strict=True) if pairs else ((), ())
    return Documents.trusted(
        indptr, np.array(words, np.int32), np.array(counts, np.float64), n_words
    )


def check_weights(bag: Bag) -> None:
    """Raise for tf-idf weights: fractional values with an L2 norm of 1."""
    numbers = [v for v in bag.values() if isinstance(v, float)]
    is_unit = abs(sum(v * v for v in numbers) - 1.0) < 1e-9
    # A document of a single word has the length 1, too.
    if is_unit and not all(v.is_integer() for v in numbers):
        raise ValueError(
            "the document is normalised to length 1, like tf-idf weights, but the model requires "
            "word counts; use BagOfWords instead of TFIDF"
        )


def as_count(word: Any, count: Any) -> int:
    """Return a count rounded to an integer, with a warning; raise `ValueError` if it is invalid."""
    try:
        whole = round(float(count))
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if not 0 <= whole < MOST or count < 0:
        raise ValueError(
            f"the word {word!r} has the count {count!r}; counts must be numbers of at least 0"
        )
    if whole != count:
        warnings.warn(
            "word counts must be integers: a fraction was rounded; use BagOfWords, not TFIDF",
            stacklevel=4,
        )
    return whole


def rows_of(X: Any) -> Iterable[Document]:
    """Return the documents of a data frame, a text column or another iterable."""
    if hasattr(X, "to_dicts"):  # Polars
        return list(X.to_dicts())
    if hasattr(X, "to_dict") and hasattr(X, "columns"):  # pandas
        return list(X.to_dict("records"))
    if isinstance(X, str | Mapping):
        raise TypeError("learn_many takes several documents; use learn_one for a single one")
    return cast("Iterable[Document]", X)
