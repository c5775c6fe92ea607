import math

import pytest

from spectralleader import StorageError, TextTopics, Unigram, load, save
from spectralleader.sources.position import Position
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
    assert (again.position, again.run.settings) == (made.position, made.run.settings)


def test_load_returns_the_topics_of_a_checkpoint(tmp_path):
    made = make()
    path = save(made, tmp_path / "m")
    assert same_state(load(path).to_state(), made.topics.to_state())
    assert load_checkpoint(path).position == made.position
    save(load(path), path)
    with pytest.raises(StorageError, match="contains a TextTopics without a position in its input"):
        load_checkpoint(path)


def test_batches_have_a_position_and_no_run(tmp_path):
    path = save(Checkpoint(make().topics, Position(8)), tmp_path / "m")
    found = load_checkpoint(path)
    assert (found.position.offset, found.run) == (8, None)


WRONG = {
    "settings must be printable strings": ("run", "settings", {"topics": "\x1b[31m"}),
    "offset must be an integer": ("position", "offset", -1),
    "digest must be a line of text": ("position", "digest", 7),
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
