"""Small fixed streams for testing learners."""

from __future__ import annotations

import numpy as np

from spectralleader.documents import Documents

# Degenerate documents over 5 words, by description.
DEGENERATE: dict[str, list[list[int]]] = {
    "an empty document": [[]],
    "one word": [[0]],
    "two words": [[0, 1]],
    "one document": [[0, 1, 2]],
    "one word only": [[2] * 50] * 20,
    "all documents equal": [[0, 1, 2]] * 20,
    "one word per document": [[i % 5] for i in range(20)],
    "as many topics as words": [[i % 5] * 3 for i in range(20)],
    "every word once": [[0, 1, 2, 3, 4]],
}


def documents(n_docs: int = 30, n_words: int = 6, *, seed: int = 0) -> Documents:
    """Return documents of 0 to 8 words from two overlapping topics."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.ones(n_words), size=2)
    chosen = topics[rng.integers(2, size=n_docs)]
    sizes = rng.integers(0, 9, size=n_docs)
    return Documents.from_tokens(
        [rng.choice(n_words, size=n, p=p) for n, p in zip(sizes, chosen, strict=True)], n_words
    )


def growing(whole: Documents, size: int) -> list[Documents]:
    """Return blocks with words numbered in order of appearance, each over the words so far."""
    words, first = np.unique(whole.words, return_index=True)
    ids = np.full(whole.n_words, -1)
    ids[words[np.argsort(first)]] = np.arange(len(words))
    ids[ids < 0] = np.arange(len(words), whole.n_words)
    stream, n_words = [], 1
    for block in whole.recode(ids, whole.n_words).blocks(size):
        n_words = max(n_words, int(block.words.max(initial=0)) + 1)
        stream.append(Documents(block.indptr, block.words, block.counts, n_words))
    return stream


def fixed_streams() -> list[list[Documents]]:
    """Return streams over 5 words: empty, with empty blocks, degenerate, of several block sizes."""
    odd = [Documents.from_tokens(tokens, 5) for tokens in DEGENERATE.values()]
    sizes = [list(documents(40, 5, seed=size).blocks(size)) for size in (1, 7, 40)]
    return [[], [Documents.empty(5), documents(9, 5)], odd, *sizes]


def growing_streams() -> list[list[Documents]]:
    """Return streams with growing vocabularies, and with blocks over fewer words than before."""
    up_and_down = [documents(6, n_words, seed=n_words) for n_words in (3, 1, 25, 8)]
    wide = [Documents.empty(4), *growing(documents(40, 20), 7)]
    return [[], up_and_down, growing(documents(60, 12), 5), wide]
