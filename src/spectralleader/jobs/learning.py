"""Learn: one pass over files, topics out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from spectralleader.documents import Documents
from spectralleader.jobs.judged import Judged
from spectralleader.jobs.keeping import OFTEN, Every, Keeper
from spectralleader.jobs.settings import Settings
from spectralleader.jobs.source import Source, choose_words
from spectralleader.jobs.trail import Trail, check_pipe, retrace
from spectralleader.jobs.watcher import Watcher
from spectralleader.learners import DEFAULT_LEARNER, Unigram
from spectralleader.learners.lookup import name_of
from spectralleader.learners.offline import Offline
from spectralleader.runtime.interrupts import Interrupts, Terminated, look
from spectralleader.sources.files import Reader, TextBlock
from spectralleader.storage.checkpoint import Checkpoint, Sums
from spectralleader.text.topics import TextTopics, compile_for, narrow
from spectralleader.text.vocabulary import Vocabulary


@dataclass
class Learned:
    """What was learned, and from what."""

    topics: TextTopics
    reader: Reader  # with what was guessed of the columns, and the problems met
    judged: Judged | None  # None for an offline learner, which has no model on the way
    frequencies: Unigram  # word frequencies alone, for comparison
    unigram: Judged  # the same, judged
    trail: Trail | None = None  # of the documents learned; None for a pipe
    began: float = field(default_factory=perf_counter)
    seconds: float = 0.0  # of learning, so far
    n_before: int = 0  # documents that an earlier pass had learned
    n_saved: int | None = None  # documents in the file that is kept, so far
    stopped: bool = False  # by Ctrl-C, or a request to end
    terminated: bool = False  # by a request to end
    saved: Path | None = None
    backup: Path | None = None  # where what was there before is kept

    def step(self, texts: list[str]) -> None:
        """Judge a block, then learn it; if that fails, nothing has changed."""
        judges, block, n_known = self._judges, list[Documents](), self.topics.vocabulary.n_words
        found: list[Sums] = []

        def judge(documents: Documents) -> None:
            block.append(documents)
            found.extend(judge.predict(documents) for judge in judges)

        try:
            new_ids = self.topics.step(texts, judge)
        except BaseException:
            narrow(self.frequencies, max(1, n_known))
            raise
        self.unigram.learn(block[0])
        for one, sums in zip(judges, found, strict=True):
            one.add(sums)
        if self.judged is not None:
            self.judged.n_learned += block[0].n_docs
        if new_ids is not None:
            self.frequencies.recode(new_ids, self.topics.vocabulary.n_words)
        if self.trail is not None:
            self.trail.add(texts)
        self.seconds = perf_counter() - self.began

    @property
    def _judges(self) -> list[Judged]:
        return [one for one in (self.judged, self.unigram) if one is not None]

    def stop(self, reason: KeyboardInterrupt) -> None:
        """Take note that somebody wants it to end."""
        self.stopped = True
        self.terminated = isinstance(reason, Terminated)

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
            "documents_learned_before": self.n_before,
            "documents_without_known_words": topics.n_empty,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "learner": name_of(topics.learner),
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
            "backup": None if self.backup is None else str(self.backup),
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
    checkpoint_every: str | int = OFTEN,
    fresh: bool = False,
    watcher: Watcher | None = None,
) -> Learned:
    """Learn topics from files in one pass, judging each block before it is learned.

    With `save`, it goes on where an earlier pass over the same input ended, whether that was
    stopped, killed or through: no document is skipped or learned twice, and the result is that of
    one pass, to the bit. A file may have grown since. What a pipe brings is taken as new.

    Ctrl-C, or SIGTERM where something is saved, ends the pass, not the job: what was learned is
    saved and returned. A file that cannot be read on is an error, after what was learned before it
    is saved. A checkpoint that cannot be written leaves the last one as it was.

    Parameters
    ----------
    source : Source or path
        What to read.
    n_topics, learner, seed
        See `TextTopics`.
    vocabulary : str, int or Vocabulary, optional
        See `choose_vocabulary`; one that was saved is gone on with.
    stop_words : str
        "english", "none" or a file of words.
    save : path, optional
        File to save a `Checkpoint` in, which is a `TextTopics`; locked while learning.
    checkpoint_every : int or str
        How often to save on the way: documents, or a time such as "60s", "5min", "1h".
    fresh : bool
        Start anew; what is saved already is renamed to a backup.
    watcher : Watcher, optional
        Is told of every step.

    Raises
    ------
    ValueError
        If what is saved has other settings, or other documents were learned.
    NotSavedError
        If what was learned could not be saved at the end.
    """
    source, watcher = Source.of(source), watcher or Watcher()
    settings = Settings(n_topics, learner, vocabulary, choose_words(stop_words), seed)
    keeper, signals = None, [signal.SIGINT]
    if save is not None:
        keeper = Keeper(save, Every.of(checkpoint_every), watcher, fresh=fresh)
        source.check_kept(save)
        signals.append(signal.SIGTERM)
    with Interrupts(*signals) as interrupts, keeper or nullcontext(), source.open() as reader:
        for guess in reader.guesses:
            watcher.say(f"guessed: {guess}")
        result, blocks = _prepare(source, reader, settings, keeper, watcher)
        compile_for(result.topics)
        look()
        interrupts.at_stake = True
        _run(result, blocks, keeper, watcher)
    return result


def _prepare(
    source: Source, reader: Reader, settings: Settings, keeper: Keeper | None, watcher: Watcher
) -> tuple[Learned, Iterator[TextBlock]]:
    """Begin, or go on with what was kept; return it, and the blocks to be learned."""
    if keeper is not None:
        found = keeper.find(settings.names(source, reader))
        if found is not None:
            return _go_on(found, source, reader, watcher)
    topics = settings.make_topics(source, watcher)
    backup = None if keeper is None else keeper.make_room()
    n_words = None if topics.learner.grows else topics.learner.n_words
    trail = Trail() if source.once_only is None else None
    result = _make_result(topics, reader, Unigram(1, n_words=n_words), trail)
    result.backup = backup
    return result, reader


def _go_on(
    found: Checkpoint, source: Source, reader: Reader, watcher: Watcher
) -> tuple[Learned, Iterator[TextBlock]]:
    progress, trail, blocks = found.progress, None, iter(reader)
    if source.once_only is not None:
        check_pipe(source)
        watcher.say(f"goes on after {found.n_docs:,} documents; what the pipe brings is new")
    else:
        watcher.say(f"goes on after {found.n_docs:,} documents; reading up to there")
        trail, blocks = retrace(reader, progress, source.block, watcher)
    result = _make_result(
        found.topics, reader, progress.frequencies, trail, progress.judged, progress.unigram
    )
    result.n_before = result.n_saved = found.n_docs
    result.seconds = progress.seconds
    result.began -= progress.seconds
    return result, blocks


def _make_result(
    topics: TextTopics,
    reader: Reader,
    frequencies: Unigram,
    trail: Trail | None,
    sums: Sums | None = None,
    frequencies_sums: Sums | None = None,
) -> Learned:
    is_offline = isinstance(topics.learner, Offline)
    judged = None if is_offline else Judged(topics.learner, sums)
    return Learned(
        topics, reader, judged, frequencies, Judged(frequencies, frequencies_sums), trail
    )


def _run(
    result: Learned,
    blocks: Iterator[TextBlock],
    keeper: Keeper | None,
    watcher: Watcher,
) -> None:
    """Learn the blocks and keep them."""
    try:
        for block in blocks:
            look()
            result.step(block.texts)
            if keeper is not None:
                keeper.tend(result)
            watcher.stepped(result)
        look()
    except KeyboardInterrupt as reason:
        result.stop(reason)
    except (ValueError, OSError) as error:
        if keeper is None or not result.is_useful:
            raise
        keeper.finish(result)
        if keeper.n_saved is None:
            raise
        raise ValueError(
            f"{error}; the {keeper.n_saved:,} documents before are learned and saved in "
            f"{keeper.path}"
        ) from error
    if keeper is not None:
        keeper.finish(result)


def list_topics(topics: TextTopics, n_words: int) -> list[dict[str, Any]]:
    """Return the topics as plain values: number from 1, weight, words with probabilities."""
    model = topics.model
    return [
        {
            "topic": k + 1,
            "weight": float(model.weights[k]),
            "words": [
                {"word": word, "probability": float(model.topics[k, i])}
                for word, i in zip(words, topics.vocabulary.find(words).tolist(), strict=True)
            ],
        }
        for k, words in enumerate(topics.top_words(n_words))
    ]
