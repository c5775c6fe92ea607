"""Topics of a level stay as the stream goes on: the churn of fixed documents is bounded."""

import numpy as np

from spectralleader import TextTopics
from tests.factories import texts


def test_documents_keep_their_topic_at_a_level_from_one_block_to_the_next():
    written, _ = texts(6000)
    topics, before, moved = TextTopics(9, learner="hedged"), None, []
    for first in range(0, 6000, 500):
        topics.learn(written[first : first + 500])
        now = topics.at(3).posterior(written[:500]).argmax(axis=1)
        if before is not None and first >= 2000:
            moved.append(float((now != before).mean()))
        before = now
    # three topics that differ: only documents between two of them move
    assert np.mean(moved) < 0.01
    assert max(moved) < 0.03
