"""First use of texts: the kernels that learning needs, compiled before anything is learned."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics
from spectralleader.learners import LEARNERS
from spectralleader.moments.pair_operator import pair_operator
from spectralleader.runtime.first_use import use_first
from spectralleader.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from spectralleader.topics.text_topics import TextTopics


def compile_for(topics: TextTopics) -> None:
    """Compile whatever learning needs, if that was not done on this machine, or be interrupted."""
    for name, learner in LEARNERS.items():
        if type(topics.learner) is learner:
            compile_learning(name, topics.vocabulary.grows)


@cache
def compile_learning(learner: str, grows: bool) -> None:  # noqa: FBT001  # `cache` is fastest so
    """Compile what a learner of that name needs, see `compile_for`."""
    # Kernels of a learner that is not ours are compiled as they are called.
    if learner not in LEARNERS:
        return
    use_first(try_learning, learner, grows)


def try_learning(learner: str, grows: bool) -> None:  # noqa: FBT001  # as above
    """Learn a few made-up texts, judged before and read after."""
    from spectralleader.topics.text_topics import TextTopics  # which imports this module

    # 80 texts reach every kernel and take 9 ms once these are cached
    texts = sample_texts(80)
    vocabulary = None if grows else Vocabulary.most_frequent(texts, 100)
    topics = TextTopics(2, learner=learner, vocabulary=vocabulary)
    for start in range(0, len(texts), 20):
        topics.step(topics.take_in(texts[start : start + 20]))
        topics.learner.predictive.log_prob(topics.count(texts))
    topics.posterior(texts)
    topics.posterior(texts[:1])  # few words are looked up in another way
    topics.vocabulary.find(["word1"])  # as tokens are
    topics.tree()
    # topics are reopened where documents can fill more than are open
    some = topics.count(texts).take(np.arange(20))
    Statistics.zero(1, some.n_words).add(some, np.ones((20, 1)))
    # pairs are summed where documents are many and words few, as in a race of common words
    pair_operator(Documents.from_tokens(np.zeros((60, 8), np.int64), 1))


def sample_texts(n_docs: int) -> list[str]:
    """Return texts of two topics and 200 words, some of them long: every kernel has work."""
    rng = np.random.default_rng(0)
    words = [f"wörd{i}" if i == 7 else f"word{i}" for i in range(200)]
    lengths = np.where(rng.random(n_docs) < 0.1, 60, 6)
    return [
        " ".join(words[i % 2 * 100 + w] for w in rng.integers(100, size=n) // rng.integers(1, 9))
        for i, n in enumerate(lengths.tolist())
    ]
