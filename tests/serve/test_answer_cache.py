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
    monkeypatch.setattr(module, "PAUSE", 0.0)  # old at once
    found = TextTopics(2)
    found.learn(texts(60)[0])
    return found


def n_docs(held, level):
    return held.full.n_docs


def test_an_answer_is_made_again_only_if_there_are_newer_documents(topics):
    made = []

    def show(held, level):
        made.append(held)
        return n_docs(held, level)

    async def ask():
        answers = AnswerCache(topics.read)
        first = [await answers.get(show, None) for _ in range(3)]
        topics.learn(["rain and wind"] * 5)
        return first, await answers.get(show, None)

    assert asyncio.run(ask()) == ([60, 60, 60], 65)
    assert len(made) == 2


def test_requests_at_the_same_time_compute_an_answer_once(topics):
    made = []

    def show(held, level):
        made.append(held)
        return n_docs(held, level)

    async def ask():
        answers = AnswerCache(topics.read)
        return await asyncio.gather(*(answers.get(show, None) for _ in range(5)))

    assert (asyncio.run(ask()), len(made)) == ([60] * 5, 1)


def test_others_take_the_old_answer_while_it_is_made_again(topics):
    begun, may_end = threading.Event(), threading.Event()

    def show_slowly(held, level):
        if held.full.n_docs > 60:
            begun.set()
            assert may_end.wait(60)
        return n_docs(held, level)

    async def ask():
        answers = AnswerCache(topics.read)
        await answers.get(show_slowly, None)
        topics.learn(["rain and wind"] * 5)
        slow = asyncio.create_task(answers.get(show_slowly, None))
        assert await asyncio.to_thread(begun.wait, 60)
        assert await answers.get(show_slowly, None) == 60
        may_end.set()
        return await slow

    assert asyncio.run(ask()) == 65


def test_an_answer_that_fails_is_made_by_the_next(topics):
    def fail(held, level):
        raise ZeroDivisionError

    async def ask():
        answers = AnswerCache(topics.read)
        with pytest.raises(ZeroDivisionError):
            await answers.get(fail, None)
        return await answers.get(n_docs, None)

    assert asyncio.run(ask()) == 60
