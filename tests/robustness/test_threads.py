"""Threads that really run: kernels release the interpreter's lock."""

import copy
import pickle
import signal
import threading
import time

import numpy as np
import pytest

from spectralleader import LEARNERS, TextTopics, load, save
from tests.factories import texts

SECONDS = 2.0


def run_beside(learn, *others):
    """Run each of the others again and again while learn runs; return how often, or raise."""
    ended, counts, errors = threading.Event(), [0] * len(others), []

    def repeat(i, other):
        try:
            while not ended.is_set():
                other()
                counts[i] += 1
        except BaseException as error:  # whatever it is, the test shows it
            errors.append(error)

    threads = [threading.Thread(target=repeat, args=pair) for pair in enumerate(others)]
    for thread in threads:
        thread.start()
    try:
        learn()
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return counts


def learner_of(topics, lines):
    """A function that learns the lines in turn for some seconds."""

    def learn():
        end, start = time.perf_counter() + SECONDS, 0
        while time.perf_counter() < end:
            topics.learn(lines[start : start + 100])
            start = (start + 100) % len(lines)

    return learn


@pytest.mark.parametrize("vocabulary", [None, "given"])
def test_one_thread_learns_while_others_read_and_save(vocabulary, tmp_path):
    lines = [f"{text} rare{i % 2000}" for i, text in enumerate(texts(4000)[0])]
    words = None if vocabulary is None else sorted(set(" ".join(lines).lower().split()))
    topics, path = TextTopics(n_topics=5, vocabulary=words), tmp_path / "m"
    topics.learn(lines[:200])

    def read():
        posterior = topics.posterior(lines[:20])
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
        assert np.isfinite(topics.log_prob(lines[:20])).all()
        assert np.isfinite(topics.learner.predictive.log_prob(topics.count(lines[:5]))).all()

    def keep():
        save(topics, path)
        assert load(path).n_docs % 100 == 0

    def look_back():
        taken = topics.at("all")
        first = taken.posterior(lines[:20])
        time.sleep(0.01)
        assert (taken.posterior(lines[:20]) == first).all()
        assert len(taken.top_words(5)) == 5
        assert taken.model.n_words >= taken.vocabulary.n_words

    counts = run_beside(learner_of(topics, lines), read, keep, look_back)
    assert min(counts) >= 3
    assert topics.n_docs > 200


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_of_topics_between_two_steps(duplicate):
    lines = [f"{text} rare{i % 2000}" for i, text in enumerate(texts(4000)[0])]
    topics = TextTopics(n_topics=3, block_size=20)
    topics.learn(lines[:200])

    def use_a_copy():
        one = duplicate(topics)
        assert one.n_docs % 20 == 0
        assert one.posterior(lines[:20]).shape == (20, 3)
        one.learn(lines[:20])

    assert min(run_beside(learner_of(topics, lines), use_a_copy)) >= 3


def test_ctrl_c_reaches_a_thread_that_waits_for_another_ones_step():
    """The main thread must not be deaf while a slow tokenizer holds the lock."""
    topics, begun = TextTopics(n_topics=2, learner="unigram", words=str.split), threading.Event()

    def slow(text):
        begun.set()
        time.sleep(3)
        return text.split()

    topics.vectoriser.words = slow
    thread = threading.Thread(target=topics.learn, args=(["rain and wind"],))
    thread.start()
    begun.wait()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.1, signal.raise_signal, (signal.SIGINT,)).start()
        with pytest.raises(KeyboardInterrupt):
            topics.model  # noqa: B018  # reading it is the point
        assert thread.is_alive()
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert topics.n_docs == 1


def test_two_threads_that_learn_take_turns():
    lines = texts(400)[0]
    topics = TextTopics(n_topics=3)
    threads = [threading.Thread(target=topics.learn, args=(lines,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert topics.n_docs == 1600
    assert topics.model.topics.sum() == pytest.approx(3)


@pytest.mark.parametrize("name", [n for n in LEARNERS if n != "batch-em"])
def test_a_learner_can_be_read_and_saved_while_it_learns(name, tmp_path):
    lines = texts(400)[0]
    counting = TextTopics(n_topics=3, learner="unigram")
    counting.learn(lines)
    documents = counting.count(lines)
    learner = LEARNERS[name](3, n_words=documents.n_words)

    def learn():
        for start in range(0, 400, 20):
            learner.learn(documents[start : start + 20])
            time.sleep(0.01)

    def read():
        assert np.isfinite(learner.predictive.log_prob(documents[:10])).all()
        assert np.isfinite(learner.model.topics).all()

    def keep():
        save(learner, tmp_path / "m")
        load(tmp_path / "m")

    assert min(run_beside(learn, read, keep)) > 0
