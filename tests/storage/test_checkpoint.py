import math

import pytest

from spectralleader import TextTopics, Unigram
from spectralleader.storage.checkpoint import Checkpoint
from tests.factories import checkpoint, same_state, texts


def make(**options):
    topics = TextTopics(2, learner="stepwise-em", **options)
    topics.learn(texts(50)[0])
    return checkpoint(topics)


def test_a_checkpoint_is_its_topics_with_the_progress():
    made = make()
    again = Checkpoint.from_state(made.to_state())
    assert same_state(again.to_state(), made.to_state())
    assert again.progress.settings == made.progress.settings
    again.learn(["rain"])  # the topics are not copied, their counts are
    assert (again.n_docs, again.progress.n_docs) == (51, 50)


WRONG = {
    "settings must be lines of text": {"settings": {"topics": "\x1b[31m"}},
    "n_docs must be a count": {"n_docs": -1},
    "a digest must be text": {"digest": 7},
    "seconds must be finite": {"seconds": math.nan},
    "loss of a judge must be a finite sum, got inf": {"unigram": {"loss": math.inf}},
    "n_docs of a judge must be a finite sum, got '3'": {"judged": {"n_docs": "3"}},
    "n_words of a judge must be a finite sum, got 1000": {"judged": {"n_words": 10**400}},
    "frequencies are over 3 words": {"frequencies": Unigram(1, n_words=3).to_state()},
}


@pytest.mark.parametrize("message", WRONG)
def test_a_progress_that_cannot_be_is_refused(message):
    state = make(vocabulary=["rain", "wind"]).to_state()
    for name, value in WRONG[message].items():
        whole = state["progress"][name]
        is_part = isinstance(whole, dict) and name != "settings"
        state["progress"][name] = {**whole, **value} if is_part else value
    with pytest.raises(ValueError, match=message):
        Checkpoint.from_state(state)
