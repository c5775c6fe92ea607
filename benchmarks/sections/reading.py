"""Reading: do topics stay, how likely they make the corpus, and what many of them cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import probe
from benchmarks.bench import Bench
from benchmarks.rows import Row
from benchmarks.stream import data_folder
from benchmarks.synthetic import zipf_source
from spectralleader import BatchEM, Documents, HedgedLeader, TopicModel
from spectralleader.arrays import Ints
from spectralleader.evaluation.metrics import coherence
from spectralleader.models.model import first_of
from study.sources.corpora import find_files
from study.sources.counted import count_corpus

CHURN, LIKELIHOOD, GROWTH = "reading: churn", "reading: likelihood", "reading: growth"
MEMORY, WORDS = "reading: memory", "reading: words"
CORPORA = ("news_headlines", "election_tweets", "health_tweets")
TOPICS = (5, 20)
N_WORDS, BLOCK = 5000, 100
FIXED = 2000  # documents whose topic is watched
EVERY, AFTER = 2000, 20_000  # documents between two looks, and before the first that counts
OURS, LDA, BATCH = "HedgedLeader", "scikit-learn LDA", "BatchEM, best of 5"
GROWTHS = ((5, 5000), (20, 5000), (50, 5000), (100, 5000), (200, 5000), (20, 500), (20, 50_000))
N_GROWTH = 20_000  # documents of 12 words
ORDERS = {"by probability": 1.0, "at relevance 0.6": 0.6, "as shown": None}


def run(bench: Bench) -> None:
    """Measure all of it on the corpora that are here."""
    there = [name for name in CORPORA if find_corpus_files(name)]
    for name in set(CORPORA) - set(there):
        bench.results.left_out[f"reading on {name}"] = f"not in {data_folder()}"
    advance = bench.bar("reading", 2 * len(there) * len(TOPICS) + len(GROWTHS) + 2)
    for name in there:
        folder = data_folder() if find_files(name, data_folder()) else None
        documents = count_corpus(name, folder, n_words=N_WORDS, n_docs=120_000, min_words=1)
        for n_topics in TOPICS:
            watch(bench, name, documents.documents, n_topics, advance)
    if "news_headlines" in there:
        compare(bench, "news_headlines")
    advance()
    for n_topics, n_words in GROWTHS:
        grow(bench, n_topics, n_words)
        advance()
    memory = {"n_docs": 20_000, "n_words": 50_000, "n_topics": 100, "reservoir_size": 50_000}
    answer = probe.ask("memory", learner=OURS, **memory)
    bench.results.rows.append(Row(MEMORY, OURS, (answer["above"],), 20_000, unit="MB"))
    advance()


def find_corpus_files(name: str) -> bool:
    """Return whether a corpus is in the data folder or in the cache."""
    return find_files(name, data_folder()) is not None or find_files(name) is not None


def watch(
    bench: Bench, name: str, documents: Documents, n_topics: int, advance: Callable[[], None]
) -> None:
    """Add the churn of ours and of scikit-learn's LDA, and the words that ours shows."""
    n = documents.n_docs
    fixed = documents[np.linspace(0, n - 1, FIXED).astype(np.int64)]
    learner = HedgedLeader(n_topics, n_words=documents.n_words)
    section, rows = f"{CHURN}: {name}, K = {n_topics}", bench.results.rows
    moved = churn(assignments_of_ours(learner, documents, fixed))
    late = [event for event in learner.events if event.topics and event.n_docs > n // 2]
    rows.append(Row(section, OURS, tuple(moved), n, unit="churn"))
    rows.append(Row(section, OURS, (float(len(late)),), n, unit="events"))
    whole = float(learner.model.log_prob(documents).mean())
    rows.append(Row(f"{LIKELIHOOD}: {name}, K = {n_topics}", OURS, (whole,), n, unit="nats"))
    for order, relevance in ORDERS.items():
        value = coherence(documents, shown_words(learner.model, relevance))
        rows.append(Row(f"{WORDS}: {name}, K = {n_topics}", order, (value,), n, unit="NPMI"))
    advance()
    theirs = churn(assignments_of_lda(n_topics, documents, fixed))
    rows.append(Row(section, LDA, tuple(theirs), n, unit="churn"))
    advance()


def shown_words(model: TopicModel, relevance: float | None, n: int = 10) -> list[list[int]]:
    """Return the words of each topic by ``u_kw / u_w ** (1 - relevance)``, or as they are shown.

    That is the order of Sievert & Shirley (2014); a relevance of 1 is that of the probabilities.
    """
    if relevance is None:
        return [[int(word) for word in words] for words in model.top_words(n=n)]
    mean = np.maximum(model.weights @ model.topics, np.finfo(float).tiny)
    return [first_of(row, n) for row in model.topics / mean ** (1.0 - relevance)]


def churn(assignments: Iterator[Ints]) -> list[float]:
    """Return the share of documents that changed their topic, from each look to the next."""
    before, out = None, []
    for now in assignments:
        if before is not None:
            out.append(float((now != before).mean()))
        before = now
    return out


def assignments_of_ours(
    learner: HedgedLeader, documents: Documents, fixed: Documents
) -> Iterator[Ints]:
    """Learn documents; yield the likeliest topic of the fixed ones at each look."""
    for n, block in enumerate(documents.blocks(BLOCK), start=1):
        learner.learn(block)
        if n * BLOCK >= AFTER and n * BLOCK % EVERY == 0:
            yield learner.model.posterior(fixed).argmax(axis=1)


def assignments_of_lda(n_topics: int, documents: Documents, fixed: Documents) -> Iterator[Ints]:
    """Do the same with scikit-learn's LDA."""
    lda = LatentDirichletAllocation(n_topics, total_samples=documents.n_docs, random_state=0)
    counts, watched = as_matrix(documents), as_matrix(fixed)
    for first in range(0, documents.n_docs, BLOCK):
        lda.partial_fit(counts[first : first + BLOCK])
        n = first + BLOCK
        if n >= AFTER and n % EVERY == 0:
            yield lda.transform(watched).argmax(axis=1)


def as_matrix(documents: Documents) -> sp.csr_matrix:
    """Return counts as scikit-learn wants them."""
    arrays = (documents.counts, documents.words, documents.indptr)
    return sp.csr_matrix(arrays, shape=(documents.n_docs, documents.n_words))


def compare(bench: Bench, name: str) -> None:
    """Add the likelihood of a corpus under batch EM's best of five starts."""
    counted = count_corpus(name, data_folder(), n_words=N_WORDS, n_docs=120_000, min_words=1)
    documents, n_topics = counted.documents, TOPICS[-1]
    method = BatchEM(
        n_topics, n_words=N_WORDS, n_restarts=5, n_iterations=100, tolerance=1e-3, smoothing=1e-5
    )
    best: TopicModel = method.fit(documents).model
    section = f"{LIKELIHOOD}: {name}, K = {n_topics}"
    value = float(best.log_prob(documents).mean())
    bench.results.rows.append(Row(section, BATCH, (value,), documents.n_docs, unit="nats"))


def grow(bench: Bench, n_topics: int, n_words: int) -> None:
    """Add the time of ours, and of the first 1,000 documents."""
    rng = np.random.default_rng(0)
    source = zipf_source(n_topics, n_words, exponent=0.5, seed=0)
    documents = source.draw(np.full(N_GROWTH, 12), rng)
    learner, begin, first = HedgedLeader(n_topics, n_words=n_words), perf_counter(), 0.0
    for n, block in enumerate(documents.blocks(BLOCK), start=1):
        learner.learn(block)
        if n * BLOCK == 1000:
            first = perf_counter() - begin
    seconds = perf_counter() - begin
    where = f"{GROWTH}: K = {n_topics}, {n_words:,} words"
    rows = bench.results.rows
    rows.append(Row(where, OURS, (1e6 * seconds / N_GROWTH,), N_GROWTH))
    rows.append(Row(where, OURS, (first,), 1000, unit="s"))
