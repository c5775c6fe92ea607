"""Text to counts: ours against scikit-learn's, the same words over the same vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from benchmarks.bench import Bench
from benchmarks.contenders.registry import VECTORIZER
from benchmarks.rows import Row
from benchmarks.timing import Trial, interleave
from spectralleader import Documents, GrowingVocabulary, Vectoriser, Vocabulary, Words
from spectralleader.text.words import EVERYTHING

SECTION = "text to counts"
OURS = "Vectoriser"
GROWING = "Vectoriser, growing vocabulary"
HASHING = "HashingVectorizer.transform"  # which knows no words: for information
WARM_UP = 50  # texts


def run(bench: Bench) -> None:
    """Check that ours and CountVectorizer's counts are equal, then time them in turn."""
    texts, names = bench.stream.texts, bench.stream.vectorizer.get_feature_names_out()
    words, theirs = Words(keep=EVERYTHING), CountVectorizer(vocabulary=names)
    ours = Vectoriser(Vocabulary(names.tolist()), words)
    if ours.count(texts) != Documents.from_matrix(theirs.transform(texts)):
        raise RuntimeError("the counts are not CountVectorizer's: nothing to compare")

    def grow(texts: list[str]) -> Documents:
        return Vectoriser(GrowingVocabulary(len(names)), words).count(texts)

    contenders: dict[str, Callable[[list[str]], Any]] = {
        OURS: ours.count,
        GROWING: grow,
        VECTORIZER: theirs.transform,
        HASHING: HashingVectorizer(alternate_sign=False, norm=None).transform,
    }
    for count in contenders.values():
        count(texts[:WARM_UP])
    time_all(contenders, texts, bench)


def time_all(contenders: dict[str, Callable[..., Any]], texts: list[str], bench: Bench) -> None:
    """Time every contender over all texts and add its row."""
    rounds = bench.sizes.rounds
    advance = bench.bar(SECTION, total=len(contenders) * rounds)
    starters = [
        (name, partial(Trial, partial(count, texts), len(texts)))
        for name, count in contenders.items()
    ]
    for name, (values, n_docs) in interleave(starters, rounds, advance).items():
        bench.results.rows.append(Row(SECTION, name, tuple(values), n_docs))
