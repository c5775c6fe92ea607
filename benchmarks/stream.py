"""The stream that everybody learns from: headlines, or a stand-in of their shape."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.sizes import N_TOPICS, SEED
from benchmarks.synthetic import zipf_source
from spectralleader import Documents

FILE = "news_headlines.csv.gz"
VARIABLE = "SPECTRALLEADER_DATA"
N_WORDS = 500
LEAST_WORDS = 3
TEXT_WORDS = 35  # of a headline with its blurb, on average, in the vocabulary or not

# of the headlines: how many in a thousand have 3, 4, 5, ... words of the vocabulary
LENGTHS = (81, 99, 108, 109, 108, 98, 85, 72, 59, 46, 35, 27, 20, 15, 11, 8, 5, 4, 3, 2, 1, 1, 1)
EXPONENT = 0.53  # and how their frequencies fall with rank


@dataclass(frozen=True)
class Stream:
    """Documents as counts and as text."""

    documents: Documents
    texts: list[str]
    vectorizer: CountVectorizer  # the one that turns these texts into these counts
    origin: str


def load(n_docs: int) -> Stream:
    """Return the headlines where their file is, and the stand-in where it is not."""
    path = data_folder() / FILE
    if path.is_file():
        return headlines(path, n_docs)
    made = stand_in(n_docs)
    advice = f"{FILE} was not found; say in {VARIABLE} which folder it is in"
    return replace(made, origin=f"{made.origin}: {advice}")


def data_folder() -> Path:
    """Return where the corpora are: in SPECTRALLEADER_DATA, or beside the checkout."""
    beside_the_checkout = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get(VARIABLE, beside_the_checkout))


def headlines(path: Path, n_docs: int) -> Stream:
    """Return the first headlines with at least 3 of the 500 most frequent words."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    vectorizer = CountVectorizer(stop_words="english", max_features=N_WORDS)
    counts = vectorizer.fit_transform(texts)
    rows = np.flatnonzero(counts.sum(axis=1).A1 >= LEAST_WORDS)[:n_docs]
    origin = f"the first {len(rows):,} headlines with at least {LEAST_WORDS} of the {N_WORDS} "
    origin += "most frequent words, English stop words removed"
    documents = Documents.from_matrix(counts[rows])
    return Stream(documents, [texts[row] for row in rows], vectorizer, origin)


def stand_in(n_docs: int) -> Stream:
    """Return synthetic documents with the headlines' lengths and word frequencies."""
    rng = np.random.default_rng(SEED)
    chances = np.array(LENGTHS) / sum(LENGTHS)
    lengths = LEAST_WORDS + rng.choice(len(LENGTHS), size=n_docs, p=chances)
    source = zipf_source(N_TOPICS, N_WORDS, exponent=EXPONENT, seed=SEED)
    documents = source.draw(lengths, rng)
    texts = [_text(document, rng) for document in documents.blocks(1)]
    vectorizer = CountVectorizer(vocabulary=[f"word{i}" for i in range(N_WORDS)])
    origin = f"SYNTHETIC STAND-IN, {n_docs:,} documents of the headlines' shape"
    return Stream(documents, texts, vectorizer, origin)


def _text(document: Documents, rng: np.random.Generator) -> str:
    """Spell a document out, among other words up to the length of a headline."""
    known = np.repeat(document.words, document.counts.astype(np.int64))
    others = rng.integers(100_000, size=max(TEXT_WORDS - len(known), 0))
    return " ".join([*(f"word{i}" for i in known), *(f"other{i}" for i in others)])
