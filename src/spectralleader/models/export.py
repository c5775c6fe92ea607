"""Export: topics and documents in the form that other tools take, as plain dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.models.naming import WordNames, in_order


def pyldavis(model: TopicModel, documents: Documents, vocabulary: WordNames) -> dict[str, Any]:
    """Return what `pyLDAvis.prepare` takes: ``prepare(**pyldavis(...), mds=place)``.

    `place` puts topics on the map. pyLDAvis's own way ends in complex numbers where topics are
    equal, and then in an empty file.

    pyLDAvis numbers topics by their size, from 1 on; with ``sort_topics=False`` they stay in order.
    Words that do not occur in the documents, and documents without words, are left out, because
    pyLDAvis divides by how often and how long they are. Topics are over the words that are left.

    Parameters
    ----------
    model : TopicModel
    documents : Documents
        Those to picture, over the model's words.
    vocabulary : sequence or dictionary
        The words, see `TopicModel.top_words`.

    Returns
    -------
    dict
        topic_term_dists (K, d) and doc_topic_dists (n_docs, K), rows of which sum to 1;
        doc_lengths (n_docs,), vocab (d,) and term_frequency (d,); lists all of them.

    Raises
    ------
    ValueError
        If no document has words, or there is one topic only: pyLDAvis pictures distances.

    Examples
    --------
    >>> model = TopicModel([0.5, 0.5], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    >>> block = Documents.from_tokens([[0, 0, 1], [], [1]], n_words=3)
    >>> data = pyldavis(model, block, ["rain", "sun", "snow"])
    >>> data["vocab"], data["term_frequency"], data["doc_lengths"]
    (['rain', 'sun'], [2, 2], [3, 1])
    """
    words = in_order(vocabulary, model.n_words)
    if model.n_topics < 2:
        raise ValueError("pyLDAvis pictures how far topics are from each other: 1 is too few")
    documents = documents[documents.lengths > 0]
    if documents.n_docs == 0:
        raise ValueError("no document has words: there is nothing to picture")
    posterior = model.posterior(documents)
    frequency = np.bincount(documents.words, documents.counts, minlength=model.n_words)
    used = np.flatnonzero(frequency)
    new_ids = np.full(model.n_words, -1)
    new_ids[used] = np.arange(len(used))
    return {
        "topic_term_dists": model.recode(new_ids, len(used)).topics.tolist(),
        "doc_topic_dists": posterior.tolist(),
        "doc_lengths": documents.lengths.astype(np.int64).tolist(),
        "vocab": [words[i] for i in used.tolist()],
        "term_frequency": frequency[used].astype(np.int64).tolist(),
    }


def place(topics: Any) -> Floats:
    """Return two coordinates of each topic, (K, 2), real also where topics are equal.

    Principal coordinates of the Jensen-Shannon divergences, as pyLDAvis computes them, by a solver
    for symmetric matrices.

    Examples
    --------
    >>> place(np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])).round(2).tolist()
    [[0.12, 0.0], [0.12, 0.0], [-0.25, 0.0]]
    """
    rows = np.maximum(np.asarray(topics, float), np.finfo(float).tiny)
    entropies = -(rows * np.log(rows)).sum(axis=1)
    means = (rows[:, None] + rows[None]) / 2.0
    both = -(means * np.log(means)).sum(axis=2)
    distances = np.maximum(both - (entropies[:, None] + entropies[None]) / 2.0, 0.0)
    centring = np.eye(len(rows)) - 1.0 / len(rows)
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2.0)
    return np.asarray(np.sqrt(np.maximum(values[:-3:-1], 0.0)) * vectors[:, :-3:-1])
