"""The spectral method on Dask bags, data frames and arrays, with any `distributed` client.

Texts or counts are converted to documents once, which stay on the workers. Every pass sends a small
task to them and sums the partial results in a tree. These have the size of the vocabulary times K,
whatever the number of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from functools import partial, reduce
from typing import Any

from spectralleader.errors import missing_extra

try:
    import dask
    import distributed
except ImportError as error:
    raise ImportError(missing_extra("spectralleader.engines.dask", "dask")) from error

from spectralleader.documents import Documents
from spectralleader.engines import shared
from spectralleader.engines.shared import Progress, VocabularyRequest
from spectralleader.learners.passes import Solution, solve
from spectralleader.learners.summaries import Summary, Task, add
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.text.words import Tokenizer, as_words
from spectralleader.topics.text_topics import TextTopics

FAN_IN = 8  # summaries summed by one task of the reduction tree
ATTEMPTS = 3  # attempts at a pass, which fails if the workers that held its task are lost


def learn_texts(
    texts: Any,
    n_topics: int,
    *,
    column: str | None = None,
    vocabulary: VocabularyRequest = shared.MOST_FREQUENT,
    words: Tokenizer | None = None,
    client: distributed.Client | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> TextTopics:
    """Learn topics from texts; return the model that `SpectralMethod` fits to all of them.

    Parameters
    ----------
    texts : Bag of str, Series, DataFrame, Array or list of Delayed
        The texts; each delayed value is a list or Series of texts.
    n_topics : int
        Number of topics, K.
    column : str, optional
        Text column of a DataFrame.
    vocabulary : int, Vocabulary or iterable of str
        The vocabulary, or its size: the most frequent words are then found in a first pass.
    words : Words or callable, optional
        The tokenizer. Defaults to `Words` without English stop words.
    client : distributed.Client, optional
        Where to run. Defaults to the current client, else to a temporary local cluster.
    progress : callable, optional
        Called with the name of the pass, the parts done and the total number of parts.
    **settings
        Passed to `spectralleader.learners.passes`: `seed`, `n_polish`, ...
    """
    if column is not None:
        texts = texts[column]
        shared.check_texts(column, str(texts.dtype))
    parts = _parts(texts)
    words = as_words(words)
    with connected(client) as found:
        engine = Engine(found, progress)

        def count_most(n_words: int) -> Vocabulary:
            counted = [dask.delayed(shared.tally, pure=False)(part, words) for part in parts]
            total = engine.reduce("words", found.compute(counted), shared.join)
            return Vocabulary.ranked(total or {}, n_words)

        known = shared.choose_vocabulary(vocabulary, count_most)
        sent = dask.delayed(partial(known.count_known, words=words), pure=False)
        documents = DaskDocuments(engine, [sent(part) for part in parts], known.n_words)
        return shared.as_text_topics(solve(documents, n_topics, **settings), known, words)


def learn_counts(
    counts: Any,
    n_topics: int,
    *,
    n_words: int | None = None,
    client: distributed.Client | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Solution:
    """Learn topics from counts; return the solution that `SpectralMethod` finds on all of them.

    `counts` is an Array or DataFrame, documents x words, or a Bag or list of Delayed whose elements
    are `Documents` or matrices; these require `n_words`. See `learn_texts` for the rest.
    """
    if hasattr(counts, "rechunk"):
        counts = counts.rechunk({1: -1})  # a part needs all words of its documents
    if n_words is None and not hasattr(counts, "columns") and not hasattr(counts, "rechunk"):
        raise ValueError("n_words is required for counts in a bag or in delayed parts")
    d = counts.shape[1] if n_words is None else n_words
    parts = [dask.delayed(shared.as_documents, pure=False)(part, d) for part in _parts(counts)]
    with connected(client) as found:
        documents = DaskDocuments(Engine(found, progress), parts, d)
        return solve(documents, n_topics, **settings)


class Engine:
    """A client with a progress callback."""

    def __init__(self, client: distributed.Client, progress: Progress | None = None) -> None:
        self.client, self.progress = client, progress

    def reduce(self, name: str, futures: list[Any], merge: Callable[[list[Any]], Any]) -> Any:
        """Return all results merged in a tree, in order, or None if there are none."""
        level, n = futures, len(futures)
        if self.progress is not None:
            for done, _ in enumerate(distributed.as_completed(futures), start=1):
                self.progress(name, done, n)
        while len(level) > 1:
            # Neighbours, not whichever is ready: rounding must not depend on scheduling.
            groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            level = [self.client.submit(merge, group, pure=False) for group in groups]
        return level[0].result() if level else None


class DaskDocuments:
    """Documents on the workers of a cluster, in parts."""

    def __init__(self, engine: Engine, parts: list[Any], n_words: int) -> None:
        self.n_words, self._engine = n_words, engine
        self.parts = engine.client.compute(parts)  # stay on the workers while this object lives

    def total(self, task: Task) -> Summary:
        """Return the sum of the task's summaries over all parts."""
        for _ in range(ATTEMPTS - 1):
            with suppress(CancelledError):  # the last worker with a copy of the task was lost
                return self._total(task)
        return self._total(task)

    def _total(self, task: Task) -> Summary:
        client, name = self._engine.client, shared.name_of(task)
        sent = client.scatter([task], broadcast=True, hash=False)[0]
        summaries = client.map(_run, self.parts, task=sent, pure=False)
        total: Summary | None = self._engine.reduce(name, summaries, _merge)
        return task(Documents.empty(self.n_words)) if total is None else total


def _run(documents: Documents, task: Task) -> Summary:
    return task(documents)


def _merge(summaries: list[Summary]) -> Summary:
    return reduce(add, summaries)


def _parts(source: Any) -> list[Any]:
    """Return the parts of a collection as delayed values."""
    parts = source.to_delayed() if hasattr(source, "to_delayed") else source
    return list(parts.ravel() if hasattr(parts, "ravel") else parts)


@contextmanager
def connected(client: distributed.Client | str | None) -> Iterator[distributed.Client]:
    """Yield the given client, a client for an address, the current one, or a temporary cluster.

    The temporary cluster runs on this machine, with one process per core.
    """
    with ExitStack() as own:
        if isinstance(client, str):
            client = own.enter_context(distributed.Client(client))
        elif client is None:
            # A notebook may have connected before.
            try:
                client = distributed.default_client()
            except ValueError:
                # One thread each, because Python splits texts one at a time; any free port, as a
                # dashboard may run already.
                cluster = distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0")
                client = own.enter_context(distributed.Client(own.enter_context(cluster)))
        yield client
