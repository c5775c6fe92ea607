"""End to end: text to topics as people use it, against scikit-learn's pipeline, in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.stream import data_folder
from spectralleader import TextTopics, Vocabulary
from study.sources.corpora import find_files, open_corpus

CORPORA = ("news_headlines", "election_tweets")
PREFIX = "end to end"
OURS, PIPELINE = "TextTopics", "CountVectorizer + LDA.partial_fit"
N_WORDS = 5000
BLOCK = 100
SIZES = (2_000, 20_000, 120_000)  # documents
TOPICS = (5, 20, 50, 100)
BOUNDS = dict(zip(SIZES, (1.0, 3.0, 4.0), strict=True))  # target speed-ups
WARM = 2_500  # documents that load the kernels from their cache
FIRST = 1_000  # documents whose time is shown, too
Learn = Callable[[list[str]], object]


def section_name(corpus: str, n_topics: int) -> str:
    """Return the section of a corpus and a number of topics."""
    return f"{PREFIX}: {corpus.replace('_', ' ')}, K = {n_topics}"


def run(bench: Bench) -> None:
    """Time both pipelines on the first documents of both corpora; kernels are warm."""
    there = [name for name in CORPORA if find_files(name, data_folder()) is not None]
    for name in set(CORPORA) - set(there):
        bench.results.left_out[f"end to end on {name}"] = f"not in {data_folder()}"
    n_most = min(max(SIZES), bench.sizes.n_docs * 2)
    topics = TOPICS if bench.sizes.rounds > 1 else TOPICS[:1]
    advance = bench.bar("end to end", 2 * len(there) * len(topics))
    for name in there:
        texts = read(name, n_most)
        vectorizer = CountVectorizer(stop_words="english", max_features=N_WORDS).fit(texts)
        words = vectorizer.get_feature_names_out().tolist()
        for n_topics in topics:
            warm = ours(words, n_topics)
            for i in range(0, WARM, BLOCK):
                warm(texts[i : i + BLOCK])
            for who, learn in (
                (PIPELINE, theirs(vectorizer, n_topics, len(texts))),
                (OURS, ours(words, n_topics)),
            ):
                for n, seconds in times(learn, texts):
                    section = section_name(name, n_topics)
                    value = 1e6 * seconds / n
                    bench.results.rows.append(Row(section, who, (value,), n))
                advance()


def read(name: str, n_docs: int) -> list[str]:
    """Return the first texts of a corpus."""
    texts: list[str] = []
    with open_corpus(name, data_folder()) as reader:
        for block in reader:
            texts += block.texts
            if len(texts) >= n_docs:
                break
    return texts[:n_docs]


def ours(words: list[str], n_topics: int) -> Learn:
    """Return what learns a block of texts, the model read after it."""
    topics = TextTopics(n_topics, vocabulary=Vocabulary(words), block_size=BLOCK)

    def learn(texts: list[str]) -> object:
        topics.learn(texts)
        return topics.model

    return learn


def theirs(vectorizer: CountVectorizer, n_topics: int, n_docs: int) -> Learn:
    """Return the same by scikit-learn."""
    lda = LatentDirichletAllocation(n_topics, total_samples=n_docs, random_state=0)

    def learn(texts: list[str]) -> object:
        lda.partial_fit(vectorizer.transform(texts))
        return lda.components_

    return learn


def times(learn: Learn, texts: list[str]) -> Iterator[tuple[int, float]]:
    """Yield the seconds that the first documents take, in blocks, at every size."""
    sizes, begin = {FIRST, *SIZES, len(texts)}, perf_counter()
    for first in range(0, len(texts), BLOCK):
        learn(texts[first : first + BLOCK])
        n = min(first + BLOCK, len(texts))
        if n in sizes:
            yield n, perf_counter() - begin
