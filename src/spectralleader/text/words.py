"""Words: the default tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, cast

from spectralleader.checks.states import part, take, whole
from spectralleader.text.texts import Strings
from spectralleader.text.tokens import Tokens

Tokenizer = Callable[[str], Iterable[str]] | Tokens

# English stop words: they hold sentences together and say little of their subject. Lower case, and
# cut where `Words` cuts: "don't" leaves "don", "we'll" leaves "ll". "won" is not among them, as
# who won is news more often than "won't" is.
ENGLISH = frozenset(
    word
    for line in Path(__file__).with_name("english.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for word in line.split()
)

URL = r'(?:https?://|www\.)[^\s<>"]*'
MENTION = r"@\w+"
WORD = r"(\w+)"
EVERYTHING = frozenset({"urls", "mentions", "numbers"})


@dataclass(frozen=True)
class Words:
    r"""A tokenizer: runs of ``\w`` in the lower-cased text, except those listed below.

    URLs, @mentions and numbers are skipped unless kept; the word of a #tag and words that contain
    digits are words. Call it to tokenise a text; a `Vectoriser` finds the same words faster.

    Parameters
    ----------
    min_length : int
        Minimum number of characters of a word.
    stop_words : "english", a file, or words, optional
        Words to ignore; a file has one word per line. They are tokenised like texts: "don't"
        ignores "don" and "t".
    keep : collection of str
        Any of "urls" (their words: http, www, com, ...), "mentions" (without the @) and "numbers"
        (words of decimal digits only). With `EVERYTHING` kept, words are those of scikit-learn's
        CountVectorizer.

    Examples
    --------
    >>> words = Words(stop_words="english")
    >>> words("The COVID19 vaccine: 95% effective, says @user #health https://example.org/x?y")
    ['covid19', 'vaccine', 'effective', 'says', 'health']
    """

    saved_as: ClassVar[str] = "words"
    min_length: int = 2
    stop_words: Iterable[str] | str | PathLike[str] | None = None  # a frozenset once made
    keep: Collection[str] = frozenset()

    def __post_init__(self) -> None:
        if isinstance(self.min_length, bool) or not isinstance(self.min_length, int):
            raise ValueError(f"min_length must be an integer, got {self.min_length!r}")
        if self.min_length < 1:
            raise ValueError(f"min_length must be at least 1, got {self.min_length}")
        object.__setattr__(self, "keep", _check_keep(self.keep))
        object.__setattr__(self, "stop_words", _as_stop_words(self.stop_words))

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, in order. The kernel `scan` is tested against this."""
        found = self._pattern.findall(text.lower())
        return [word for word in found if self._counts(word)]

    def _counts(self, word: str) -> bool:
        if len(word) < self.min_length or word in self.stops:
            return False
        return "numbers" in self.keep or not word.isdecimal()

    @property
    def stops(self) -> frozenset[str]:
        """The stop words as a set."""
        return cast("frozenset[str]", self.stop_words)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        skipped = {"urls": URL, "mentions": MENTION}  # match first, without a group: empty words
        parts = [pattern for name, pattern in skipped.items() if name not in self.keep]
        return re.compile("|".join([*parts, WORD]))

    def to_state(self) -> dict[str, Any]:
        """Return the state, as arrays and plain values."""
        return {
            "kind": self.saved_as,
            "min_length": self.min_length,
            "stop_words": Strings(sorted(self.stops)).to_state(),
            "keep": sorted(self.keep),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Words:
        """Return what `to_state` described."""
        min_length, keep = whole(state, "min_length", 1, 2**31), take(state, "keep")
        if not isinstance(keep, list) or not all(isinstance(name, str) for name in keep):
            raise ValueError(f"keep must be a list of names, got {keep!r:.60}")
        return cls(min_length, Strings.from_state(part(state, "stop_words")), keep)


def as_words(given: Tokenizer | str | None) -> Tokenizer:
    """Return the tokenizer; defaults to `Words` without English stop words."""
    if given is None:
        return Words(stop_words="english")
    if isinstance(given, str):
        if given != "tokens":
            raise ValueError(f'words must be Words, Tokens, a function or "tokens", got {given!r}')
        return Tokens()
    return given


def words_settings(words: Tokenizer) -> dict[str, Any]:
    """Return the settings of a tokenizer as plain values; a custom one is returned itself."""
    if isinstance(words, Words | Tokens):
        return {"tokenizer": type(words).__name__, **asdict(words)}
    return {"tokenizer": words}


def read_words(path: str | PathLike[str]) -> list[str]:
    """Return the words in a file, one per line; empty lines are ignored."""
    with Path(path).open(encoding="utf-8-sig") as file:
        return [word for line in file if (word := line.strip())]


def _check_keep(keep: Collection[str]) -> frozenset[str]:
    names = {keep} if isinstance(keep, str) else set(keep)
    if unknown := sorted(names - EVERYTHING):
        raise ValueError(f"keep must name some of {sorted(EVERYTHING)}, got {unknown}")
    return frozenset(names)


def _as_stop_words(given: Iterable[str] | str | PathLike[str] | None) -> frozenset[str]:
    if given is None:
        return frozenset()
    if given == "english":
        return ENGLISH
    if isinstance(given, str | PathLike):
        if not Path(given).is_file():
            raise ValueError(f"stop_words must be 'english', a file or words; no file {given!r}")
        given = read_words(given)
    return frozenset(part for word in given for part in _cut(word))


def _cut(stop_word: Any) -> list[str]:
    if not isinstance(stop_word, str) or len(stop_word.split()) > 1:
        raise ValueError(f"a stop word must be one word, got {stop_word!r}")
    return re.findall(WORD, stop_word.lower())
