"""SpectralTopics for scikit-learn: a transformer from word counts to topic probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.states import check_same, part, whole
from spectralleader.documents import Documents
from spectralleader.documents.csr import check_matrix
from spectralleader.documents.rounding import as_whole
from spectralleader.errors import missing_extra
from spectralleader.learners import DEFAULT_LEARNER, Learner
from spectralleader.learners.registry import create_learner
from spectralleader.models import TopicModel
from spectralleader.models.model import WordNames
from spectralleader.storage.kinds import adapter_state, read_adapter
from spectralleader.text import Tokens, Vocabulary
from spectralleader.text.texts import Strings

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data
except ModuleNotFoundError as error:
    raise ImportError(missing_extra("spectralleader.sklearn", "sklearn")) from error

TYPES = [np.float64, np.float32, np.int64, np.int32]  # dtypes of counts that are not converted


class SpectralTopics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Single-topic model learned online, in one pass, as a scikit-learn transformer.

    A document has one topic, and its words are drawn from that topic; `transform` returns the
    probability of each topic. Use it after a ``CountVectorizer(stop_words="english", min_df=2)``,
    which counts about the words that `TextTopics` does: words that all documents share, or that
    occur once, make topics worse. Tf-idf weights and relative frequencies are rejected, other
    fractional counts are rounded, with a warning. Lists of tokens (strings) and dictionaries of
    counts are accepted, too; the first call determines which tokens are known, all of them.

    Save it with `spectralleader.save` or ``joblib.dump``. Loading a file of the former executes no
    code from it.

    Parameters
    ----------
    n_components : int
        Number of topics, K.
    learner : str
        One of `spectralleader.LEARNERS`, by name.
    batch_size : int
        Documents per step of `fit`. `partial_fit` learns all its documents in one step.
    learner_params : dict, optional
        Further parameters of the learner, such as ``{"reservoir_size": 10_000}``.
    random_state : int, RandomState or None
        Random seed of the learner. None is equivalent to 0, so that results are reproducible.

    Attributes
    ----------
    components_ : (K, n_features_in_) array
        Word distribution of each topic; every row sums to 1.
    weights_ : (K,) array
        Probability of each topic.
    model_ : TopicModel
        The model: weights and topics.
    learner_ : Learner
        The underlying learner.
    n_samples_seen_ : int
        Number of documents learned.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : (n_features_in_,) array
        Names of the words, if documents were given as a data frame.
    vocabulary_ : Vocabulary
        The known tokens, if documents were given as lists or dictionaries; other tokens are
        ignored. `TextTopics` and the river adapter accept new tokens at any time.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> topics = make_pipeline(CountVectorizer(), SpectralTopics(n_components=2))
    >>> rain, wind, goal = topics.fit_predict(["rain wind rain", "wind rain wind", "late goal"])
    >>> bool(rain == wind != goal)
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        learner: str = DEFAULT_LEARNER,
        batch_size: int = 100,
        learner_params: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.batch_size = batch_size
        self.learner_params = learner_params
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the documents from scratch, in order, in mini-batches of `batch_size`.

        Parameters
        ----------
        X : (n_docs, n_words) array, sparse matrix or data frame
            Word counts.
        y : ignored
        """
        # Checked here, not in the constructor, as scikit-learn asks of its estimators.
        size = check_whole("batch_size", self.batch_size, 1)
        documents = self._take(X, reset=True)
        self._begin()
        for block in documents.blocks(size):
            self._learn(block)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Continue learning, with these documents as one mini-batch; see `fit`."""
        # The first call determines the number of words, as everywhere in scikit-learn.
        begins = not self.__sklearn_is_fitted__()
        documents = self._take(X, reset=begins)
        if begins:
            self._begin()
        self._learn(documents)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Ints:
        """Learn the documents with `fit`, and return the likeliest topic of each."""
        return self.fit(X, y).predict(X)

    def transform(self, X: Any) -> Floats:
        """Return P(topic | document), shape (n_docs, K)."""
        return self._posterior(X)

    def predict(self, X: Any) -> Ints:
        """Return the likeliest topic of each document, shape (n_docs,)."""
        topics: Ints = self._posterior(X).argmax(axis=1)
        return topics

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-probability of the documents; higher is better."""
        return float(self.model_.log_prob(self._take(X, reset=False)).mean())

    def perplexity(self, X: Any) -> float:
        """Return exp(-mean log-probability per word); lower is better."""
        documents = self._take(X, reset=False)
        n_words = max(float(documents.lengths.sum()), 1.0)
        return float(np.exp(-self.model_.log_prob(documents).sum() / n_words))

    def top_words(self, n: int = 10, feature_names: WordNames | None = None) -> list[list[str]]:
        """Return the n words that describe each topic best, see `TopicModel.top_words`.

        Parameters
        ----------
        n : int
            Words per topic.
        feature_names : sequence or dict, optional
            Words by column, such as `CountVectorizer.get_feature_names_out()` or `vocabulary_`.
            Defaults to the known tokens or the column names of the data frame that was learned,
            and to column numbers if there are none.

        Examples
        --------
        >>> documents = [["rain", "wind", "rain"], ["goal", "late", "goal"]] * 20
        >>> topics = SpectralTopics(n_components=2).fit(documents)
        >>> sorted(sorted(words) for words in topics.top_words(2))
        [['goal', 'late'], ['rain', 'wind']]
        """
        check_is_fitted(self)
        if feature_names is None:
            known = getattr(self, "vocabulary_", None)
            feature_names = getattr(self, "feature_names_in_", known)
        return self.model_.top_words(feature_names, n)

    @property
    def model_(self) -> TopicModel:
        """The model of everything learned so far."""
        check_is_fitted(self)
        return self.learner_.model

    @property
    def components_(self) -> Floats:
        """Word distribution of each topic, shape (K, n_features_in_)."""
        return self.model_.topics

    @property
    def weights_(self) -> Floats:
        """Probability of each topic, shape (K,)."""
        return self.model_.weights

    @property
    def _n_features_out(self) -> int:
        return self.learner_.n_topics

    def _begin(self) -> None:
        # None is a new seed each time to scikit-learn; here results are reproducible by default.
        seed = self.random_state
        if seed is None:
            seed = 0
        elif not isinstance(seed, int | np.integer):
            # scikit-learn's custom: a generator is asked for a seed.
            seed = int(check_random_state(seed).randint(2**31 - 1))
        n_topics = check_whole("n_components", self.n_components, 1)
        given = {"n_words": self.n_features_in_, "seed": seed, **(self.learner_params or {})}
        self.learner_: Learner = create_learner(self.learner, n_topics, **given)
        self.n_samples_seen_ = 0

    def _learn(self, block: Documents) -> None:
        self.learner_.learn(block)
        self.n_samples_seen_ += block.n_docs

    def _posterior(self, X: Any) -> Floats:
        check_is_fitted(self)
        counts = self._check(X, reset=False)
        posterior = self.model_.posterior(Documents.from_matrix(as_whole(counts)))
        # Transformers of scikit-learn keep the dtype of what they are given.
        return posterior.astype(np.float32) if counts.dtype == np.float32 else posterior

    def _take(self, X: Any, *, reset: bool) -> Documents:
        return Documents.from_matrix(as_whole(self._check(X, reset=reset)))

    def _check(self, X: Any, *, reset: bool) -> Any:
        """Return counts validated by scikit-learn; `reset` records number and names of words."""
        if holds_tokens(X):
            X = self._count_tokens(X, reset=reset)
        # Learned from scratch from a matrix, whose columns are other words.
        elif reset and hasattr(self, "vocabulary_"):
            del self.vocabulary_
        # scikit-learn trusts index arrays, and drops masks.
        return validate_data(
            self,
            check_matrix(X),
            reset=reset,
            accept_sparse="csr",
            dtype=TYPES,
            ensure_non_negative=True,
        )

    def _count_tokens(self, X: Any, *, reset: bool) -> Any:
        """Return the counts of tokens as a matrix; `reset` determines the vocabulary."""
        if reset:
            self.vocabulary_ = Vocabulary(sorted(set(Tokens().flatten(X).tokens)))
        if not hasattr(self, "vocabulary_"):
            raise ValueError(
                "the topics were learned from a matrix of counts, not from tokens; pass a matrix"
            )
        return self.vocabulary_.count_known(X, Tokens()).to_matrix()

    def to_state(self) -> dict[str, Any]:
        """Return the parameters and everything learned, as arrays and plain values."""
        check_is_fitted(self)
        state = adapter_state(self.get_params(), self.learner_)
        state["n_samples_seen"] = self.n_samples_seen_
        if hasattr(self, "feature_names_in_"):
            state["feature_names"] = Strings(self.feature_names_in_).to_state()
        if hasattr(self, "vocabulary_"):
            state["vocabulary"] = self.vocabulary_.to_state()
        return state

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> SpectralTopics:
        """Return the topics that `to_state` described; raise `ValueError` for an invalid state."""
        parameters, learner = read_adapter(state, list(cls().get_params()))
        topics = cls(**parameters)
        topics.learner_, topics.n_features_in_ = learner, learner.n_words
        topics.n_samples_seen_ = whole(state, "n_samples_seen")
        if "feature_names" in state:
            names = Strings.from_state(part(state, "feature_names"))
            topics.feature_names_in_ = np.array(names, object)
            check_same("feature_names", len(topics.feature_names_in_), learner.n_words)
        if "vocabulary" in state:
            topics.vocabulary_ = Vocabulary.from_state(part(state, "vocabulary"))
            check_same("vocabulary", len(topics.vocabulary_), learner.n_words)
        return topics

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def holds_tokens(X: Any) -> bool:
    """Return whether documents are lists of strings or dictionaries of counts, not a matrix."""
    if hasattr(X, "shape") or not isinstance(X, list | tuple):
        return False
    # Lists of lists of numbers are matrices, which scikit-learn converts.
    return any(
        isinstance(x, Mapping) or (isinstance(x, list | tuple) and x and isinstance(x[0], str))
        for x in X
    )
