"""Learn: one pass over files, topics out."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from spectralleader import storage
from spectralleader.jobs.interrupts import Interrupts
from spectralleader.jobs.judged import Judged
from spectralleader.jobs.source import Source, choose_vocabulary, choose_words
from spectralleader.jobs.watcher import Watcher
from spectralleader.learners import DEFAULT_LEARNER, Unigram
from spectralleader.learners.offline import Offline
from spectralleader.learners.registry import STORED
from spectralleader.streams.files import Reader
from spectralleader.streams.text.vocabulary import Vocabulary
from spectralleader.text_topics import TextTopics, find_learner


@dataclass
class Learned:
    """What was learned, and from what."""

    topics: TextTopics
    reader: Reader  # with what was guessed of the columns, and the problems met
    judged: Judged | None  # None for an offline learner, which has no model on the way
    unigram: Judged  # word frequencies alone, for comparison
    began: float = field(default_factory=perf_counter)
    seconds: float = 0.0  # of learning, so far
    stopped: bool = False  # by Ctrl-C
    saved: Path | None = None

    def step(self, texts: list[str]) -> None:
        """Judge a block, then learn it."""
        documents = self.topics.take_in(texts)
        for judged in filter(None, (self.judged, self.unigram)):
            judged.judge(documents)
        self.unigram.learn(documents)
        if self.judged is not None:
            self.judged.n_learned += documents.n_docs
        new_ids = self.topics.learn_documents(documents)
        if new_ids is not None:
            self.unigram.learner.recode(new_ids, self.topics.vocabulary.n_words)
        self.seconds = perf_counter() - self.began

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: some document had a known word."""
        return self.topics.n_docs > self.topics.n_empty

    @property
    def mean_loss(self) -> float | None:
        """L1, in nats a document; None if no document was judged."""
        return None if self.judged is None else self.judged.mean_loss

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return all of it as plain values, for machines; topics count from 1."""
        topics, vocabulary, problems = self.topics, self.topics.vocabulary, self.reader.problems
        return {
            "documents": topics.n_docs,
            "documents_without_known_words": topics.n_empty,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "learner": name_learner(topics),
            "vocabulary": {"words": vocabulary.n_words, "grows": vocabulary.grows},
            "L1": self.mean_loss,
            "perplexity": None if self.judged is None else self.judged.perplexity,
            "unigram_L1": self.unigram.mean_loss,
            "unigram_perplexity": self.unigram.perplexity,
            "topics": list_topics(topics, n_words),
            "guesses": list(self.reader.guesses),
            "problems": {
                kind: {"rows": count, "first": problems.places[kind]}
                for kind, count in problems.counts.items()
            },
            "saved": None if self.saved is None else str(self.saved),
        }


def learn(
    source: Source | str | os.PathLike[str],
    *,
    n_topics: int = 5,
    learner: str = DEFAULT_LEARNER,
    vocabulary: str | int | Vocabulary | None = None,
    stop_words: str = "english",
    seed: int = 0,
    save: str | os.PathLike[str] | None = None,
    watcher: Watcher | None = None,
) -> Learned:
    """Learn topics from files in one pass, judging each block before it is learned.

    Ctrl-C ends the pass, not the job: what was learned is saved, if asked, and returned. A file
    that cannot be read on is an error, after what was learned before it is saved.

    Parameters
    ----------
    source : Source or path
        What to read.
    n_topics, learner, seed
        See `TextTopics`.
    vocabulary : str, int or Vocabulary, optional
        See `choose_vocabulary`.
    stop_words : str
        "english", "none" or a file of words.
    save : path, optional
        File to save the `TextTopics` in.
    watcher : Watcher, optional
        Is told of every step.
    """
    source, watcher = Source.of(source), watcher or Watcher()
    if save is not None:
        storage.check_target(save)
        source.check_kept(save)
    find_learner(learner)  # before anything is read
    words = choose_words(stop_words)
    with source.open() as reader:
        for guess in reader.guesses:
            watcher.say(f"guessed: {guess}")
        known = choose_vocabulary(vocabulary, source, words, watcher)
        topics = TextTopics(
            n_topics,
            learner=learner,
            vocabulary=known,
            words=words,
            block_size=source.block,
            seed=seed,
        )
        result = _begin(topics, reader)
        try:
            _run(result, watcher)
        except (ValueError, OSError) as error:
            if save is None or not result.is_useful:
                raise
            storage.save(topics, save)
            raise ValueError(
                f"{error}; the {topics.n_docs:,} documents before are learned and saved in {save}"
            ) from error
    if save is not None:
        result.saved = storage.save(topics, save)
    return result


def _begin(topics: TextTopics, reader: Reader) -> Learned:
    n_words = None if topics.learner.grows else topics.learner.n_words
    judged = None if isinstance(topics.learner, Offline) else Judged(topics.learner)
    return Learned(topics, reader, judged, Judged(Unigram(1, n_words=n_words)))


def _run(result: Learned, watcher: Watcher) -> None:
    with Interrupts() as interrupts:
        try:
            for block in result.reader:
                with interrupts.held():
                    result.step(block.texts)
                watcher.stepped(result)
        except KeyboardInterrupt:
            result.stopped = True


def name_learner(topics: TextTopics) -> str:
    """Return the name that a learner has in the registry."""
    return next(n for n, entry in STORED.items() if type(topics.learner) is entry.learner)


def list_topics(topics: TextTopics, n_words: int) -> list[dict[str, Any]]:
    """Return the topics as plain values: number from 1, weight, words with probabilities."""
    model, known = topics.model, topics.top_words(n_words)
    ranked = -model.topics
    ranked.sort(axis=1)
    return [
        {
            "topic": k + 1,
            "weight": float(model.weights[k]),
            "words": [
                {"word": word, "probability": float(-p)}
                for word, p in zip(known[k], ranked[k], strict=False)
            ],
        }
        for k in range(model.n_topics)
    ]
