"""Pass: one pass over an input as it runs, with its losses, clock and checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from spectralleader.documents import Documents
from spectralleader.evaluation import Prequential
from spectralleader.jobs.checkpointing import (
    Checkpoints,
)
from spectralleader.jobs.emitting import Emitter, rows_of
from spectralleader.jobs.learn_result import LearnResult
from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import AnyReader
from spectralleader.runtime.interrupts import Terminated, raise_if_interrupted
from spectralleader.sources.files import TextBlock
from spectralleader.sources.live import LiveReader
from spectralleader.sources.position import LearnedInput, Position
from spectralleader.storage import Checkpoint
from spectralleader.storage.checkpoint import Losses, LossPoint, Run


class Pass:
    """A running pass: the topics, their losses, and the time spent."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        run: Run,
        reader: AnyReader,
        learned: LearnedInput | None,
        checkpoints: Checkpoints | None,
        progress: Progress,
    ) -> None:
        self.topics, self.n_before = checkpoint.topics, checkpoint.topics.n_docs
        self._n_empty_before = checkpoint.topics.n_empty
        self._reader, self._learned = reader, learned
        self._checkpoints, self._progress = checkpoints, progress
        self._settings = run.settings
        self._frequencies, self._curve = run.unigram, run.curve
        self._unigram = Prequential(run.unigram, run.unigram_losses)
        self._judged = None if run.losses is None else Prequential(self.topics.learner, run.losses)
        self._emitter: Emitter | None = None
        self._is_emitted = True  # whether the topics of all learned documents were written
        self._began = perf_counter() - run.seconds
        self._seconds = run.seconds

    def run(self, blocks: Iterator[TextBlock], emitter: Emitter | None = None) -> LearnResult:
        """Learn the blocks, saving checkpoints; return the result."""
        self._emitter = emitter
        reason = None
        self._progress.begun(self.result())
        try:
            for block in blocks:
                raise_if_interrupted()
                if len(block):
                    self._progress.reading(block)
                    self.step(block)
                    self._emit(block)
                self._save_if_due()
                self._progress.stepped(self.result())
            raise_if_interrupted()
        except KeyboardInterrupt as interrupt:
            reason = interrupt
        except (ValueError, OSError) as error:
            if self._checkpoints is None or not (self.result().is_useful and self._is_emitted):
                raise
            path = self._finish()
            raise ValueError(
                f"{error}; the {self.topics.n_docs:,} documents before it were learned and saved "
                f"to {path}"
            ) from error
        saved = self._finish() if self._is_emitted else None
        return self.result(
            saved=saved, stopped=reason is not None, terminated=isinstance(reason, Terminated)
        )

    def step(self, block: TextBlock) -> None:
        """Predict a block, then learn it."""
        found = list[tuple[Documents, Losses, Losses | None]]()

        def predict(documents: Documents) -> None:
            losses = None if self._judged is None else self._judged.predict(documents)
            found.append((documents, self._unigram.predict(documents), losses))

        new_ids = self.topics.step(block.texts, predict, block.times, position=block.position)
        [(documents, unigram_losses, losses)] = found
        self._unigram.learn(documents, unigram_losses)
        if self._judged is not None and losses is not None:
            self._judged.losses += losses
            both = (losses.loss, unigram_losses.loss)
            self._curve.add(LossPoint(losses.n_docs, losses.n_words, *both))
        if new_ids is not None:
            self._frequencies.recode(new_ids, self.topics.vocabulary.n_words)
        if self._learned is not None:
            self._learned.add(block.texts)
        self._seconds = perf_counter() - self._began

    def _emit(self, block: TextBlock) -> None:
        """Write the topics of a block; if this fails, the block must not be saved as learned."""
        if self._emitter is not None:
            self._is_emitted = False
            # of all topics: a level would be refined again after every block
            shown = self.topics.snapshot()
            documents = shown.count(block.texts)
            posterior = shown.model.posterior(documents)
            self._emitter.write(rows_of(block, posterior, documents.lengths))
            self._is_emitted = True

    def note_position(self, position: Any) -> None:
        """Save the initial position in a live source, so that a crash does not lose it."""
        self.topics.position = position
        if self._checkpoints is not None and position is not None:
            self._checkpoints.save(self.checkpoint())

    def _save_if_due(self) -> None:
        if self._checkpoints is not None and self._checkpoints.is_due(self.topics.n_docs):
            if self._emitter is not None:
                self._emitter.flush()
            self._checkpoints.save(self.checkpoint())
            self._tell()

    def _finish(self) -> Path | None:
        if self._emitter is not None:
            self._emitter.flush()
        path = self._checkpoints and self._checkpoints.finish(self.checkpoint())
        self._tell()
        return path

    def _tell(self) -> None:
        """Send the saved position to the broker, for monitors."""
        is_saved = self._checkpoints and self._checkpoints.n_saved == self.topics.n_docs
        if is_saved and isinstance(self._reader, LiveReader):
            self._reader.tell(self.topics.position)

    @property
    def _losses(self) -> Losses | None:
        return None if self._judged is None else self._judged.losses

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the state between two steps."""
        position = Position(self.topics.n_docs)
        if self._learned is not None:
            position = self._learned.position
        losses = (self._losses, self._unigram.losses)
        run = Run(self._settings, self._seconds, *losses, self._frequencies, self._curve)
        return Checkpoint(self.topics, position, run)

    def result(self, **ended: Any) -> LearnResult:
        """Return the result so far."""
        return LearnResult(
            self.topics,
            self._reader,
            self._losses,
            self._unigram.losses,
            self._seconds,
            self.n_before,
            self._checkpoints and self._checkpoints.n_saved,
            backup=self._checkpoints and self._checkpoints.backup,
            curve=self._curve,
            n_empty_before=self._n_empty_before,
            **ended,
        )
