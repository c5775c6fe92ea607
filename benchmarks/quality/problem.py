"""Problem: a corpus, counted and split, in the orders that it is learned in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.corpora import Corpus
from spectralleader import Documents, Tokens, Vectoriser, Vocabulary, Words
from spectralleader.arrays import Ints
from spectralleader.text.words import Tokenizer

N_WORDS = 5_000  # of the counted vocabulary
HELD_OUT = 0.1  # share of the documents that nobody learns
SEED = 0  # of the split and of the shuffles, which are the same for everybody


@dataclass(frozen=True)
class Problem:
    """A corpus as every learner gets it.

    All figures are of the documents with a word of the counted vocabulary, `judged`, so that they
    are of the same documents whatever the vocabulary.
    """

    texts: list[Any]  # strings, or lists of tokens
    labels: NDArray[Any] | None  # (n_texts,)
    words: Tokenizer
    vocabulary: Vocabulary  # the counted one
    documents: Documents  # the texts, counted; some may be empty
    learned: Ints  # rows, in the given order
    judged: Ints  # rows
    held_out: Ints  # rows, some of those that are judged

    def orders(self, n_shuffles: int) -> list[Ints]:
        """Return the rows to learn in the given order, then in shuffles of it."""
        shuffled = [
            np.random.default_rng([SEED, i]).permutation(self.learned) for i in range(n_shuffles)
        ]
        return [self.learned, *shuffled]


def prepare(corpus: Corpus, most: int) -> Problem:
    """Read the first documents of a corpus, count their words and hold out a random tenth."""
    texts, labels = corpus.load(most)
    words: Tokenizer = Tokens() if corpus.tokens else Words(stop_words="english")
    vocabulary = Vocabulary.most_frequent(texts, N_WORDS, words=words)
    documents = Vectoriser(vocabulary, words).count(texts)
    judged = np.flatnonzero(documents.lengths > 0)
    n_held_out = round(HELD_OUT * len(judged))
    held_out = np.sort(np.random.default_rng(SEED).choice(judged, n_held_out, replace=False))
    learned = np.setdiff1d(np.arange(len(texts)), held_out)
    return Problem(texts, labels, words, vocabulary, documents, learned, judged, held_out)
