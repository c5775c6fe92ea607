"""Export of topics and documents to other tools, as plain dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.models import TopicModel
from spectralleader.models.word_names import WordNames, in_order


def pyldavis(model: TopicModel, documents: Documents, vocabulary: WordNames) -> dict[str, Any]:
    """Return the arguments of `pyLDAvis.prepare`: call ``prepare(**pyldavis(...), mds=place)``.

    `place` computes the map coordinates. pyLDAvis's default produces complex numbers if two topics
    are equal, and then writes an empty file.

    pyLDAvis numbers topics by size, starting at 1; ``sort_topics=False`` keeps the model's order.
    Words that do not occur in the documents and documents without words are dropped, because
    pyLDAvis divides by word frequencies and document lengths. Topics are renormalised over the
    remaining words.

    Parameters
    ----------
    model : TopicModel
    documents : Documents
        The documents to show, over the model's vocabulary.
    vocabulary : sequence or dictionary
        The words, see `TopicModel.top_words`.

    Returns
    -------
    dict
        topic_term_dists (K, d) and doc_topic_dists (n_docs, K), whose rows sum to 1;
        doc_lengths (n_docs,), vocab (d,) and term_frequency (d,); all of them lists.

    Raises
    ------
    ValueError
        If no document has words, or the model has only one topic.

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
        raise ValueError("pyLDAvis shows distances between topics and needs at least 2, got 1")
    documents = documents[documents.lengths > 0]
    if documents.n_docs == 0:
        raise ValueError("no document has a word of the vocabulary, so there is nothing to show")
    posterior = model.posterior(documents)
    frequency = np.bincount(documents.words, documents.counts, minlength=model.n_words)
    used = np.flatnonzero(frequency)
    # Ids of -1 are dropped by `recode`, which also renormalises the topics.
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
    """Return two coordinates per topic, (K, 2).

    These are the principal coordinates of the Jensen-Shannon divergences, as in pyLDAvis, but from
    a symmetric eigensolver, so that they stay real if topics are equal.

    Examples
    --------
    >>> place(np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]))[:, 0].round(2).tolist()
    [0.12, 0.12, -0.25]
    """
    rows = np.maximum(np.asarray(topics, float), np.finfo(float).tiny)
    entropies = -(rows * np.log(rows)).sum(axis=1)
    means = (rows[:, None] + rows[None]) / 2.0
    both = -(means * np.log(means)).sum(axis=2)
    # Jensen-Shannon divergences; for equal topics rounding can make them negative.
    distances = np.maximum(both - (entropies[:, None] + entropies[None]) / 2.0, 0.0)
    # Classical scaling: eigenvectors of the doubly centred squared distances.
    centring = np.eye(len(rows)) - 1.0 / len(rows)
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2.0)
    return np.asarray(np.sqrt(np.maximum(values[:-3:-1], 0.0)) * vectors[:, :-3:-1])
