import math

import pytest

from spectralleader import StorageError, TextTopics, Unigram, load, save
from spectralleader.storage import Checkpoint, load_checkpoint
from tests.factories import checkpoint, same_state, texts


def make(**options):
    topics = TextTopics(2, learner="stepwise-em", **options)
    topics.learn(texts(50)[0])
    return checkpoint(topics)


def test_a_checkpoint_comes_back_as_it_was():
    made = make()
    again = Checkpoint.from_state(made.to_state())
    assert same_state(again.to_state(), made.to_state())
    assert (again.run.n_docs, again.run.settings) == (50, made.run.settings)


def test_load_returns_the_topics_of_a_checkpoint(tmp_path):
    made = make()
    path = save(made, tmp_path / "m")
    assert same_state(load(path).to_state(), made.topics.to_state())
    assert load_checkpoint(path).run.n_docs == 50
    save(load(path), path)
    with pytest.raises(StorageError, match="contains a TextTopics and no run of learn --save"):
        load_checkpoint(path)


WRONG = {
    "settings must be printable strings": ("run", "settings", {"topics": "\x1b[31m"}),
    "n_docs must be an integer .* got -1": ("run", "n_docs", -1),
    "seconds must be a number": ("run", "seconds", math.nan),
    "loss must be a number .* got inf": ("run", "unigram_losses", {"loss": math.inf}),
    "n_docs must be an integer .* got '3'": ("run", "losses", {"n_docs": "3"}),
    "n_words must be a number .* got a huge number": ("run", "losses", {"n_words": 10**400}),
    "the learner is over 3 words": ("run", "unigram", Unigram(1, n_words=3).to_state()),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_checkpoint_that_cannot_be_is_refused(message):
    state = make(vocabulary=["rain", "wind"]).to_state()
    part, name, value = WRONG[message]
    is_part = isinstance(value, dict) and name != "settings"
    state[part][name] = {**state[part][name], **value} if is_part else value
    with pytest.raises(ValueError, match=message):
        Checkpoint.from_state(state)


def test_a_learner_has_its_position_beside_it_and_topics_have_their_own(tmp_path):
    path = save(Checkpoint(Unigram(1, n_words=3), position={"batch": 8}), tmp_path / "m")
    assert load_checkpoint(path).position == {"batch": 8}
    state = Checkpoint(make().topics).to_state() | {"position": "8"}
    with pytest.raises(ValueError, match="topics have a position of their own"):
        Checkpoint.from_state(state)
