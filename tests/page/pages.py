"""A model with times and names, to make a page of."""

from datetime import UTC, datetime, timedelta
from functools import cache

from spectralleader import TextTopics
from tests.factories import texts


@cache
def written_topics() -> TextTopics:
    """Nine topics of texts of three, over some weeks."""
    topics = TextTopics(9, learner="hedged")
    start = datetime(2021, 11, 1, tzinfo=UTC)
    topics.learn(texts(900)[0], [start + timedelta(hours=i) for i in range(900)])
    topics.name(0, "the first")
    return topics
