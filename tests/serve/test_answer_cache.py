"""Answers that take long: who makes them, who waits, and when they are old."""

import threading

import pytest

from spectralleader import TextTopics
from spectralleader.serve import answers as module
from spectralleader.serve.answers import AnswerCache
from tests.factories import texts


@pytest.fixture
def topics(monkeypatch):
    for name in ("RENEW", "SHARE", "PAUSE"):
        monkeypatch.setattr(module, name, 0.0)  # old at once
    found = TextTopics(2)
    found.learn(texts(60)[0])
    return found


def n_docs(held):
    return held.full.n_docs


def test_an_answer_is_made_again_only_if_there_are_newer_documents(topics):
    answers, made = AnswerCache(), []

    def read(held):
        made.append(held)
        return n_docs(held)

    assert [answers.get("a", topics, read) for _ in range(3)] == [60, 60, 60]
    topics.learn(["rain and wind"] * 5)
    assert not answers.has("a", topics)
    assert (answers.get("a", topics, read), len(made)) == (65, 2)


def test_learning_goes_on_and_others_take_the_old_answer_while_it_is_made_again(topics):
    answers, begun, may_end, got = AnswerCache(), threading.Event(), threading.Event(), []

    def read_slowly(held):
        begun.set()
        assert may_end.wait(60)
        return n_docs(held)

    answers.get("a", topics, n_docs)
    topics.learn(["rain and wind"] * 5)
    slow = threading.Thread(target=lambda: got.append(answers.get("a", topics, read_slowly)))
    slow.start()
    assert begun.wait(60)
    topics.learn(["rain and wind"] * 5)  # would wait for ever if reading stopped it
    assert answers.get("a", topics, read_slowly) == 60
    may_end.set()
    slow.join(60)
    assert (got, topics.n_docs) == ([65], 70)


def test_an_answer_that_fails_is_made_by_the_next(topics):
    answers = AnswerCache()
    with pytest.raises(ZeroDivisionError):
        answers.get("a", topics, lambda held: 1 / 0)
    assert answers.get("a", topics, n_docs) == 60
