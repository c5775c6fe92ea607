"""Vocabularies: given words, the most frequent words of a first pass, or growing."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import chain
from os import PathLike
from typing import Any, ClassVar, Self, cast, overload

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import whole
from spectralleader.documents import MAX_WORDS, Documents, check_n_words
from spectralleader.errors import NoWordsError
from spectralleader.runtime.interrupts import DEFER_SIGNALS
from spectralleader.text.counting import AT_ONCE, count_words
from spectralleader.text.texts import Strings, Texts, in_blocks_of, take_texts
from spectralleader.text.word_table import (
    Tables,
    WordTable,
    empty_table,
    look_up,
    make_table,
)
from spectralleader.text.words import Tokenizer, Words, read_words

MOST_COUNTED = 2_000_000  # distinct words counted in a first pass: bounds the memory


class Vocabulary(Sequence[str], Saved):
    """A fixed vocabulary: a sequence of words in order of their ids.

    Parameters
    ----------
    words : iterable of str
        Distinct words as the tokenizer returns them; those of `Words` are in lower case.

    Examples
    --------
    >>> vocabulary = Vocabulary(["topic", "model"])
    >>> vocabulary[1], vocabulary.find(["model", "other"]).tolist()
    ('model', [1, -1])
    """

    saved_as = "given"
    saved = fields(words=Strings)

    grows: ClassVar[bool] = False
    """Whether new words are added."""

    _table: WordTable
    _spelled = Strings()  # cache of the words as strings

    def __init__(self, words: Iterable[str]) -> None:
        self._table = make_table(list(words))
        if self.n_words == 0:
            raise ValueError("a given vocabulary needs words, got none")

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Vocabulary:
        """Return the vocabulary of the words in a file, one per line."""
        return Vocabulary(read_words(path))

    @staticmethod
    def most_frequent(
        texts: Texts, n_words: int, *, words: Tokenizer | None = None, min_count: int = 1
    ) -> Vocabulary:
        """Return the most frequent words of texts, in one pass.

        Words that occur less than `min_count` times are left out.

        Words are in order of decreasing frequency, ties in alphabetical order. Memory is bounded:
        beyond two million distinct words the rarest so far are evicted, with a warning, and an
        evicted word is counted from 0 if it occurs again.

        Raises
        ------
        ValueError
            If there are no words, or a text is missing.
        """
        check_n_words(n_words)
        check_whole("min_count", min_count, 1)
        counted = GrowingVocabulary(MOST_COUNTED)
        n_forgotten = 0
        tokenizer = Words() if words is None else words
        for block in in_blocks_of(texts, AT_ONCE, tokenizer):
            counted.count_texts(block, tokenizer)
            if (new_ids := counted.settle()) is not None:
                n_forgotten += int((new_ids < 0).sum())
        if n_forgotten:
            warnings.warn(
                f"the texts have more than {MOST_COUNTED:,} distinct words: {n_forgotten:,} of the "
                "rarest were forgotten on the way",
                stacklevel=2,
            )
        totals = dict(zip(counted, counted.totals.tolist(), strict=True))
        return Vocabulary.ranked(totals, n_words, min_count=min_count)

    @staticmethod
    def ranked(totals: Mapping[str, int], n_words: int, *, min_count: int = 1) -> Vocabulary:
        """Return the most frequent of counted words, in the order of `most_frequent`."""
        if not totals:
            raise NoWordsError(
                "the texts have no words: check the column, the language, the stop words"
            )
        # Equal counts in the order of the alphabet: every engine finds the same vocabulary.
        ranked = sorted((-n, word) for word, n in totals.items())
        # At least one word: a vocabulary of none would be an error about something else.
        ranked = [one for one in ranked if -one[0] >= min_count] or ranked[:1]
        return Vocabulary(word for _, word in ranked[:n_words])

    @property
    def n_words(self) -> int:
        """Number of words, d."""
        return int(self._table.size[0])

    @property
    def n_too_long(self) -> int:
        """Occurrences of words that were not added because they are longer than 512 bytes."""
        return int(self._table.size[1])

    def find(self, words: Iterable[str]) -> Ints:
        """Return the ids of words; -1 for unknown ones."""
        return look_up(self._table, list(words))

    def count_texts(self, texts: Texts, words: Tokenizer) -> Documents:
        """Return the word counts of texts; a growing vocabulary adds new words."""
        return self.count_known(texts, words)

    def count_known(self, texts: Texts, words: Tokenizer) -> Documents:
        """Return the counts of known words of texts, without adding new ones."""
        texts, tables = take_texts(texts, words), Tables(self._table, self._table)
        return count_words(texts, words, tables, min_count=0)[0]

    def frozen(self, n_words: int | None = None) -> Vocabulary:
        """Return an immutable vocabulary of the first n_words words (default: all)."""
        return self

    def settle(self) -> Ints | None:
        """Return None: a fixed vocabulary evicts no words. See `GrowingVocabulary.settle`."""
        return None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that vocabularies must share to be united."""
        return {"vocabulary": self.saved_as}

    def unite(self, others: Sequence[Vocabulary]) -> tuple[Self, list[Ints]]:
        """Return the union with other vocabularies, and the new ids of the words of each.

        Returns
        -------
        Vocabulary
            All words, this vocabulary's first. A growing one is pruned if necessary.
        list of arrays
            For this one and each of the others: the new id of each word, -1 if evicted.
        """
        parts: list[Vocabulary] = [self, *others]
        united = type(self)(dict.fromkeys(word for one in parts for word in one))
        return united, [united.find(part) for part in parts]

    def __len__(self) -> int:
        return self.n_words

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.find([word])[0] >= 0)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> list[str]: ...
    def __getitem__(self, which: int | slice) -> str | list[str]:
        return list(self.words[which]) if isinstance(which, slice) else self.words[which]

    @property
    def words(self) -> Strings:
        """All words."""
        if len(self._spelled) != self.n_words:
            self._spelled = self._table.words()
        return self._spelled

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_words={self.n_words})"


class GrowingVocabulary(Vocabulary):
    """A vocabulary that grows with the stream, and evicts the least frequent words if necessary.

    New words get the next ids. Between blocks the owner calls `settle`, and must recode everything
    that is indexed by word id if it returns new ids.

    Parameters
    ----------
    max_words : int
        Size to which the vocabulary is pruned once it is exceeded by a quarter.
    words : iterable of str
        Distinct words to start with.
    min_count : int
        An unknown word is added by the first text before which it occurred at least
        ``min_count - 1`` times; the first 1,000 words are added at once. Defaults to 1.

    Examples
    --------
    >>> vocabulary = GrowingVocabulary(max_words=2)
    >>> block = vocabulary.count_texts(["to be or not to be"], Words())
    >>> list(vocabulary), vocabulary.totals.tolist()
    (['to', 'be', 'or', 'not'], [2, 2, 1, 1])
    >>> vocabulary.settle().tolist()
    [0, 1, -1, -1]
    >>> list(vocabulary)
    ['to', 'be']
    """

    saved_as = "growing"
    saved = fields(
        max_words=field(whole, least=1, most=MAX_WORDS),
        min_count=field(whole, least=1),
        _table=WordTable,
        _rare=WordTable,
    )

    grows = True

    def __init__(self, max_words: int, *, words: Iterable[str] = (), min_count: int = 1) -> None:
        self.max_words = check_n_words(max_words)
        self.min_count = check_whole("min_count", min_count, 1)
        self._table, self._rare = make_table(list(words)), empty_table()

    def count_texts(self, texts: Texts, words: Tokenizer) -> Documents:
        """Return the word counts of texts, and add new words."""
        texts, tables = take_texts(texts, words), Tables(self._table, self._rare)
        with DEFER_SIGNALS:
            documents, tables = count_words(texts, words, tables, min_count=self.min_count)
            self._table, self._rare = tables
        return documents

    @property
    def totals(self) -> Ints:
        """Occurrences of each word since it was added, shape (n_words,)."""
        return self._table.totals[: self.n_words].copy()

    def frozen(self, n_words: int | None = None) -> Vocabulary:
        """Return an immutable vocabulary of the first n_words words (default: all)."""
        if n_words is None or n_words >= self.n_words:
            return _Frozen(deepcopy(self._table), self.words)
        words = Strings(self.words[:n_words])
        return _Frozen(make_table(words), words)

    def settle(self) -> Ints | None:
        """Evict the least frequent words if there are too many.

        The others keep their order; of equally frequent words, the oldest stay.

        Returns
        -------
        (n_words before,) array of int, or None
            The new id of each old id, -1 for an evicted word; None if nothing changed.
        """
        most = self.max_words + self.max_words // 4
        if int(self._rare.size[0]) > most:
            self._set_rare(*self._rare_words())
        if self.n_words <= most:
            return None
        kept, new_ids = choose_frequent(self.totals, self.max_words)
        words = self.words
        self._restore([words[i] for i in kept], self.totals[kept])
        return new_ids

    def _rare_words(self) -> tuple[list[str], Ints]:
        """Return the words that are not added yet, and their totals."""
        words = self._rare.words()
        is_rare = self.find(words) < 0
        totals = self._rare.totals[: len(words)][is_rare]
        return [words[i] for i in np.flatnonzero(is_rare)], totals

    def _set_rare(self, words: list[str], totals: Ints) -> None:
        """Remember the most frequent of these words; of equally frequent ones, the newest."""
        order = np.lexsort([-np.arange(len(words)), -totals])
        kept = np.sort(order[: self.max_words])
        self._rare = make_table([words[i] for i in kept], totals[kept])

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that vocabularies must share to be united."""
        own = {"max_words": self.max_words, "min_count": self.min_count}
        return {**super().settings, **own}

    def unite(self, others: Sequence[Vocabulary]) -> tuple[Self, list[Ints]]:
        """Return the union, with the counts added; see `Vocabulary.unite`."""
        parts = [self, *cast("Sequence[Self]", others)]  # of the same settings
        united = type(self)(self.max_words, min_count=self.min_count)
        totals = Counter[str](dict.fromkeys(chain.from_iterable(parts), 0))  # known words first
        n_known = len(totals)
        for one in parts:
            for words, counts in ((one, one.totals), one._rare_words()):
                totals.update(dict(zip(words, counts.tolist(), strict=True)))
        # Rare words may be frequent enough together.
        known = [w for i, (w, n) in enumerate(totals.items()) if i < n_known or n >= self.min_count]
        united._restore(known, np.array([totals[word] for word in known], np.int64))
        rare = [word for word in totals if word not in united]
        united._set_rare(rare, np.array([totals[word] for word in rare], np.int64))
        united.settle()
        return united, [united.find(part) for part in parts]

    def _restore(self, words: list[str], totals: Ints) -> None:
        n_too_long, self._table = self.n_too_long, make_table(words, totals)
        self._table.size[1], self._spelled = n_too_long, Strings(words)


def choose_frequent(totals: Ints, n_words: int) -> tuple[Ints, Ints]:
    """Return the ids of the most frequent words, and the new id of each word, -1 if it is evicted.

    The words keep their order; of equally frequent words, the oldest stay.
    """
    kept = np.sort(np.argsort(-totals, kind="stable")[:n_words])
    new_ids = np.full(len(totals), -1)
    new_ids[kept] = np.arange(len(kept))
    return kept, new_ids


class _Frozen(Vocabulary):
    """The words of a growing vocabulary at one moment; may be empty."""

    def __init__(self, table: WordTable, words: Strings) -> None:
        self._table, self._spelled = table, words


VOCABULARIES: dict[str, type[Vocabulary]] = {
    one.saved_as: one for one in (Vocabulary, GrowingVocabulary)
}
