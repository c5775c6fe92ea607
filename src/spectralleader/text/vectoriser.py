"""Vectoriser: texts in, counts of their words out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spectralleader.arrays import Ints
from spectralleader.checks.states import part
from spectralleader.documents import Documents
from spectralleader.text.texts import Texts, take_texts
from spectralleader.text.tokens import Tokens
from spectralleader.text.vocabulary import (
    GrowingVocabulary,
    Vocabulary,
    vocabulary_from_state,
    vocabulary_to_state,
)
from spectralleader.text.words import Tokenizer, Words, as_words, words_settings

MAX_WORDS = 50_000  # words that a growing vocabulary is pruned to, by default


class Vectoriser:
    """Turns texts into documents, block by block, over one vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
        Given, the most frequent words of a first pass, or growing with the stream.
    words : Words, Tokens or callable, optional
        What counts as a word. With `Tokens`, documents are lists or counts of tokens instead of
        texts. A tokenizer of your own is called with each text and returns its words, which is
        slower.

    Examples
    --------
    >>> vectoriser = Vectoriser(Vocabulary(["rain", "sun"]))
    >>> block = vectoriser.count(["Rain, rain, go away!", "No such words.", "Sun after rain"])
    >>> block.to_matrix().toarray().tolist()
    [[2, 0], [0, 0], [1, 1]]
    """

    def __init__(self, vocabulary: Vocabulary, words: Tokenizer | None = None) -> None:
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(f"vocabulary must be a Vocabulary, got {vocabulary!r:.60}")
        self.vocabulary = vocabulary
        self.words: Tokenizer = Words() if words is None else words

    @classmethod
    def of(
        cls, vocabulary: Vocabulary | Iterable[str] | None, words: Tokenizer | str | None
    ) -> Vectoriser:
        """Make one of a vocabulary, words or None (it grows), and of what counts as a word."""
        if isinstance(vocabulary, str | int):
            raise TypeError(f"vocabulary must be a Vocabulary or words, got {vocabulary!r}")
        if vocabulary is None:
            vocabulary = GrowingVocabulary(MAX_WORDS)
        elif not isinstance(vocabulary, Vocabulary):
            vocabulary = Vocabulary(vocabulary)
        return cls(vocabulary, as_words(words))

    @property
    def settings(self) -> dict[str, Any]:
        """What two must have in common to be merged; given words may differ."""
        return {**self.vocabulary.settings, **words_settings(self.words)}

    def count(self, texts: Texts) -> Documents:
        """Count the words of each text; a text without any is an empty document.

        Texts may be a list, tuple or iterator of strings, a Series of Polars or pandas, or an
        array of NumPy or Arrow. A growing vocabulary takes in new words.

        Raises
        ------
        TypeError
            If a single string is given.
        ValueError
            If a text is missing or no string; the message names its position.
        """
        return self.vocabulary.count_texts(take_texts(texts, self.words), self.words)

    def count_known(self, texts: Texts) -> Documents:
        """Count as `count` does, but take in no new words: nothing changes."""
        return self.vocabulary.count_known(take_texts(texts, self.words), self.words)

    def settle(self) -> Ints | None:
        """Let a growing vocabulary drop its lightest words; see `GrowingVocabulary.settle`."""
        return self.vocabulary.settle()

    def __repr__(self) -> str:
        return f"Vectoriser({self.vocabulary!r})"

    def to_state(self) -> dict[str, Any]:
        """Return the state, as arrays and plain values; no function can be among them."""
        if not isinstance(self.words, Words | Tokens):
            raise TypeError(
                f"the tokenizer {self.words!r} cannot be saved; save the vocabulary's state, and "
                'make the vectoriser anew (instead of str.split, Tokens(split="whitespace") can be '
                "saved)"
            )
        return {
            "vocabulary": vocabulary_to_state(self.vocabulary),
            "words": self.words.to_state(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Vectoriser:
        """Return what `to_state` described."""
        vocabulary = vocabulary_from_state(part(state, "vocabulary"))
        words = part(state, "words")
        # only tokens have a kind: `Words` came first, and its states have none
        kind = Tokens if "kind" in words else Words
        return cls(vocabulary, kind.from_state(words))
