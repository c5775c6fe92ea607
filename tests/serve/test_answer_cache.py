"""Answers that take long: who makes them, who waits, and when they are old."""

import asyncio
import threading

import pytest

from spectralleader import TextTopics
from spectralleader.serve import handlers as module
from spectralleader.serve.handlers import AnswerCache
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
    made = []

    def read(held):
        made.append(held)
        return n_docs(held)

    async def ask():
        answers = AnswerCache()
        first = [await answers.get("a", topics, read) for _ in range(3)]
        topics.learn(["rain and wind"] * 5)
        return first, await answers.get("a", topics, read)

    assert asyncio.run(ask()) == ([60, 60, 60], 65)
    assert len(made) == 2


def test_requests_at_the_same_time_compute_an_answer_once(topics):
    made = []

    def read(held):
        made.append(held)
        return n_docs(held)

    async def ask():
        answers = AnswerCache()
        return await asyncio.gather(*(answers.get("a", topics, read) for _ in range(5)))

    assert (asyncio.run(ask()), len(made)) == ([60] * 5, 1)


def test_learning_goes_on_and_others_take_the_old_answer_while_it_is_made_again(topics):
    begun, may_end = threading.Event(), threading.Event()

    def read_slowly(held):
        begun.set()
        assert may_end.wait(60)
        return n_docs(held)

    async def ask():
        answers = AnswerCache()
        await answers.get("a", topics, n_docs)
        topics.learn(["rain and wind"] * 5)
        slow = asyncio.create_task(answers.get("a", topics, read_slowly))
        assert await asyncio.to_thread(begun.wait, 60)
        topics.learn(["rain and wind"] * 5)  # would wait for ever if reading stopped it
        assert await answers.get("a", topics, read_slowly) == 60
        may_end.set()
        return await slow

    assert (asyncio.run(ask()), topics.n_docs) == (65, 70)


def test_an_answer_that_fails_is_made_by_the_next(topics):
    async def ask():
        answers = AnswerCache()
        with pytest.raises(ZeroDivisionError):
            await answers.get("a", topics, lambda held: 1 / 0)
        return await answers.get("a", topics, n_docs)

    assert asyncio.run(ask()) == 60
