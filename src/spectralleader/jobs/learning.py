"""Learn: one pass over an input, with checkpoints, and its result."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from spectralleader.evaluation import Judged
from spectralleader.jobs.checkpointing import Checkpoints, first_run, position_in
from spectralleader.jobs.options import LearnOptions, Progress, Source
from spectralleader.jobs.predicting import Emitter, open_emitter, rows_of
from spectralleader.learners.registry import name_of
from spectralleader.reading.snapshot import list_topics
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.runtime.locks import changing
from spectralleader.sources.files.text_block import TextBlock
from spectralleader.sources.reader import Reader
from spectralleader.storage import Checkpoint
from spectralleader.storage.checkpoint import LossCurve, Losses, Run
from spectralleader.topics.first_use import compile_for
from spectralleader.topics.text_topics import TextTopics

UNKNOWN = 0.1  # share of new documents without known words from which a warning is printed


@dataclass(frozen=True, kw_only=True)
class LearnedTopics:
    """What every way of learning returns: the topics, and where they were saved."""

    topics: TextTopics
    seconds: float  # spent learning, including earlier passes
    engine: str | None = None  # on which it was learned; None of a pass
    saved: Path | None = None
    backup: Path | None = None  # backup of the file that existed before
    stopped: KeyboardInterrupt | None = None  # why it ended early: Ctrl-C, or `Terminated`

    @property
    def n_docs(self) -> int:
        """Number of documents learned."""
        return self.topics.n_docs

    @property
    def is_useful(self) -> bool:
        """Whether anything was learned: at least one document had a known word."""
        return self.n_docs > self.topics.n_empty

    @property
    def rate(self) -> float:
        """The throughput in documents per second."""
        return self.n_docs / max(self.seconds, 1e-9)

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON; topics count from 1."""
        topics, vocabulary = self.topics, self.topics.vocabulary
        return {
            "documents": topics.n_docs,
            "documents_without_known_words": topics.n_empty,
            "seconds": self.seconds,
            "vocabulary": {"words": vocabulary.n_words, "grows": vocabulary.grows},
            "topics": list_topics(topics.at(), n_words),
            "saved": self.saved and str(self.saved),
            "backup": self.backup and str(self.backup),
            **({} if self.engine is None else {"engine": self.engine}),
        }


@dataclass(frozen=True, kw_only=True)
class LearnResult(LearnedTopics):
    """The result of a pass."""

    reader: Reader  # with the guessed columns and the problems found
    losses: Losses | None  # None for an offline learner, which has no intermediate model
    unigram_losses: Losses  # of the unigram baseline
    n_before: int  # documents learned by earlier passes
    n_empty_before: int  # of these without known words
    n_saved: int | None = None  # documents in the last checkpoint
    curve: LossCurve = field(default_factory=LossCurve)  # losses over the stream

    @property
    def n_unknown(self) -> int | None:
        """How many new documents a fixed vocabulary misses; None if not clearly more than before.

        That is more than a tenth of them, and more than twice the share of earlier passes: a sign
        that the stream has new subjects, which the words of the first pass cannot show.
        """
        n_new = self.n_docs - self.n_before
        n_empty = self.topics.n_empty - self.n_empty_before
        if self.topics.vocabulary.grows or not self.n_before or not n_new:
            return None
        usual = max(UNKNOWN, 2 * self.n_empty_before / self.n_before)
        return n_empty if n_empty > usual * n_new else None

    @property
    def mean_loss(self) -> float | None:
        """L1, in nats per document; None if no document was predicted."""
        return self.losses and self.losses.mean_loss

    def summary(self, n_words: int = 10) -> dict[str, Any]:
        """Return everything as plain values, for JSON; topics count from 1."""
        topics, problems = self.topics, self.reader.problems
        return {
            **super().summary(n_words),
            "documents_learned_before": self.n_before,
            "stopped": self.stopped is not None,
            "learner": name_of(topics.learner),
            "L1": self.mean_loss,
            "perplexity": self.losses and self.losses.perplexity,
            "unigram_L1": self.unigram_losses.mean_loss,
            "unigram_perplexity": self.unigram_losses.perplexity,
            "suggested_level": topics.level() if topics.annotations.is_auto else None,
            "guesses": list(self.reader.guesses),
            "problems": {
                kind: {"rows": count, "first": problems.places[kind]}
                for kind, count in problems.counts.items()
            },
        }


def learn(
    source: Source | str | os.PathLike[str], *, progress: Progress | None = None, **options: Any
) -> LearnResult:
    """Learn topics from files in one pass; see `run`. `options` are fields of `LearnOptions`."""
    return run(LearnOptions(Source.of(source), **options), progress)


def run(
    options: LearnOptions, progress: Progress | None = None, reader: Reader | None = None
) -> LearnResult:
    """Learn topics in one pass, predicting each block before it is learned.

    With `save`, an earlier pass over the same input is resumed, whether it was stopped, killed or
    complete: no document is skipped or learned twice, and the result equals that of one pass bit
    for bit. Files may have grown since. Everything read from a pipe counts as new.

    Ctrl-C, and SIGTERM if `save` is set, end the pass early: the model is saved and returned. If
    the input becomes unreadable, the model is saved before the error is raised. If a checkpoint
    cannot be written, the previous one is unchanged.

    A `reader` of your own, which is not open yet, is read instead of opening the source.

    Raises
    ------
    ValueError
        If the saved model has other settings or learned other documents.
    NotSavedError
        If the model could not be saved at the end.
    """
    progress, signals, checkpoints = progress or Progress(), [signal.SIGINT], None
    if options.save is not None:
        checkpoints = Checkpoints(options.save, options, progress)
        # Without a file to save to there is nothing to wait for, and SIGTERM ends the process.
        signals.append(signal.SIGTERM)
    with (
        Interrupts(*signals) as interrupts,
        checkpoints or nullcontext(),
        reader or options.source.open(progress) as reader,
        open_emitter(options, progress) as emitter,
    ):
        job = _prepare(options, reader, checkpoints, progress)
        # Before the first block, so that no signal has to wait for the compiler in a step.
        compile_for(job.topics)
        raise_if_interrupted()
        interrupts.at_stake = True
        return job.run(emitter)


def _prepare(
    options: LearnOptions, reader: Reader, checkpoints: Checkpoints | None, progress: Progress
) -> Pass:
    """Open the source, at the position of the checkpoint if there is one; return the pass."""
    found = checkpoints and checkpoints.find()
    if found is not None:
        found[0].topics.check_learns()
    position = found and position_in(found[0], reader, options)
    reader.open(position)
    for guess in reader.guesses:
        progress.say(f"guessed: {guess}")
    if found is not None and checkpoints is not None:
        # A service resumes with the settings in its file, whatever it was started with.
        settings = found[1].settings if options.adopt else options.stored(reader.columns)
        checkpoints.resume(*found, settings)
        progress.say(f"resuming after {found[0].topics.n_docs:,} documents; {reader.describe()}")
        reader.catch_up(lambda n_docs: progress.counted(n_docs, "read again"))
    else:
        topics = options.make_topics(reader.columns, progress)
        if checkpoints is not None:
            checkpoints.make_room()
        found = Checkpoint(topics), first_run(topics, options.stored(reader.columns))
    job = Pass(*found, reader, checkpoints, progress)
    if position is None:
        job.topics.position = reader.at
        # A crash before the first checkpoint would lose where a source that grows was started.
        if checkpoints is not None and not (reader.at is None or reader.starts_alike):
            checkpoints.save(job.checkpoint())
    return job


class Pass:
    """A running pass: the topics, their losses, and the time spent."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        run: Run,
        reader: Reader,
        checkpoints: Checkpoints | None,
        progress: Progress,
    ) -> None:
        self.topics, self.n_before = checkpoint.topics, checkpoint.topics.n_docs
        self._n_empty_before = checkpoint.topics.n_empty
        self._reader = reader
        self._checkpoints, self._progress = checkpoints, progress
        self._run = run
        self._judged = Judged(self.topics, run)
        self._emitter: Emitter | None = None
        self._is_emitted = True  # whether the topics of all learned documents were written
        self._began = perf_counter() - run.seconds
        self._seconds = run.seconds

    def run(self, emitter: Emitter | None = None) -> LearnResult:
        """Learn what is read, saving checkpoints; return the result."""
        self._emitter = emitter
        reason = None
        self._progress.begun(self.result())
        try:
            # With empty blocks while there is nothing new: a checkpoint may fall due meanwhile.
            for block in iter(self._reader.next_or_idle, None):
                raise_if_interrupted()
                if len(block):
                    self.step(block)
                self._save_if_due()
                self._progress.stepped(self.result())
            raise_if_interrupted()
        except KeyboardInterrupt as interrupt:
            reason = interrupt
        except (ValueError, OSError) as error:
            # What came before a damaged file is kept, unless its topics could not be written: on
            # resuming, these are learned and written again.
            if self._checkpoints is None or not (self.result().is_useful and self._is_emitted):
                raise
            path = self._finish()
            raise ValueError(
                f"{error}; the {self.topics.n_docs:,} documents before it were learned and saved "
                f"to {path}"
            ) from error
        saved = self._finish() if self._is_emitted else None
        return self.result(saved=saved, stopped=reason)

    def step(self, block: TextBlock) -> None:
        """Predict a block, then learn it, and write its topics."""
        counted = self.topics.take_in(block.texts, block.times, block.at)
        # The vocabulary knows the words of the block, so that it is learned or nothing is saved.
        with changing(self.topics):
            self._progress.reading(counted)
            documents = self._judged.step(counted)
        self._seconds = perf_counter() - self._began
        if self._emitter is not None:
            # If this fails, the block must not be saved as learned.
            self._is_emitted = False
            # of all topics: a level would be refined again after every block
            self._emitter.write(rows_of(block, self.topics.classify(documents)))
            self._is_emitted = True

    def _save_if_due(self) -> None:
        if self._checkpoints is not None and self._checkpoints.is_due(self.topics.n_docs):
            # Before the checkpoint: a crash in between writes topics twice, but loses none.
            if self._emitter is not None:
                self._emitter.flush()
            self._checkpoints.save(self.checkpoint())
            # A monitor of the broker must not see more than a crash would leave.
            self._reader.tell(self._checkpoints.position)

    def _finish(self) -> Path | None:
        if self._emitter is not None:
            self._emitter.flush()
        if self._checkpoints is None:
            return None
        path = self._checkpoints.finish(self.checkpoint())
        self._reader.tell(self._checkpoints.position)
        return path

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the state between two steps."""
        judged = self._judged
        run = replace(
            self._run,
            n_docs=self.topics.n_docs,
            seconds=self._seconds,
            losses=judged.losses,
            unigram_losses=judged.baseline_losses,
        )
        return Checkpoint(self.topics, run)

    def result(self, **ended: Any) -> LearnResult:
        """Return the result so far."""
        return LearnResult(
            topics=self.topics,
            reader=self._reader,
            losses=self._judged.losses,
            unigram_losses=self._judged.baseline_losses,
            seconds=self._seconds,
            n_before=self.n_before,
            n_empty_before=self._n_empty_before,
            n_saved=self._checkpoints and self._checkpoints.n_saved,
            backup=self._checkpoints and self._checkpoints.backup,
            curve=self._run.curve,
            **ended,
        )
