"""Merging: what several `TextTopics` learned, as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spectralleader.learners.registry import merge_learners
from spectralleader.models import TopicModel
from spectralleader.reading.surprise import Surprise
from spectralleader.reading.timeline import merge_timelines
from spectralleader.text.vocabulary import Vocabulary
from spectralleader.topics.text_topics import TextTopics, TopicAnnotations


def merge_topics(shards: Sequence[TextTopics], rng: np.random.Generator) -> TextTopics:
    """Return what shards of the same settings learned, which changes them; see `merge`."""
    vocabulary = _unite_vocabularies(shards)
    is_named = any(shard.annotations.names.given for shard in shards)
    models = [shard.model for shard in shards] if is_named else []  # before they are merged
    topics = TextTopics(
        learner=merge_learners([shard.learner for shard in shards], rng),
        vocabulary=vocabulary,
        words=shards[0].vectoriser.words,
        block_size=shards[0].block_size,
        timeline=merge_timelines([shard.timeline for shard in shards], rng),
    )
    topics.annotations = _merge_annotations(shards, models, topics)
    topics.n_docs = sum(shard.n_docs for shard in shards)
    topics.n_empty = sum(shard.n_empty for shard in shards)
    return topics


def _unite_vocabularies(shards: Sequence[TextTopics]) -> Vocabulary:
    """Return the words of all shards, by which their learners now number words."""
    vocabulary, new_ids = shards[0].vocabulary.unite([shard.vocabulary for shard in shards[1:]])
    for shard, ids in zip(shards, new_ids, strict=True):
        # A shard may have counted words that its learner has not met yet.
        shard.learner.recode(None, max(shard.learner.n_words, len(ids)))
        if len(ids):
            shard.learner.recode(ids, vocabulary.n_words)
    return vocabulary


def _merge_annotations(
    shards: Sequence[TextTopics], models: Sequence[TopicModel], topics: TextTopics
) -> TopicAnnotations:
    """Return the first shard's tree and names, and the names of others where a topic is alike."""
    united = TopicAnnotations()
    first = next((shard for shard in shards if shard.n_docs), shards[0])
    united.is_auto = all(shard.annotations.is_auto for shard in shards)
    united.levels, united.names = first.annotations.levels, shards[0].annotations.names
    for shard, theirs in zip(shards[1:], models[1:], strict=False):
        united.names.adopt(shard.annotations.names, theirs, topics.model)
    united.surprise = Surprise.merged([shard.annotations.surprise for shard in shards])
    return united
