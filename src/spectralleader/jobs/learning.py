"""Learn: one pass over an input, with checkpoints."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from spectralleader.jobs.checkpointing import (
    Checkpoints,
    check_position,
    first_run,
    is_position_of,
)
from spectralleader.jobs.emitting import emitting
from spectralleader.jobs.learn_result import LearnResult
from spectralleader.jobs.learning_pass import Pass
from spectralleader.jobs.options import LearnOptions
from spectralleader.jobs.progress import Progress
from spectralleader.jobs.source import AnyReader, Source
from spectralleader.runtime.interrupts import Interrupts, raise_if_interrupted
from spectralleader.sources.files import Reader, TextBlock
from spectralleader.sources.live import LiveReader
from spectralleader.sources.live.folder import FolderReader
from spectralleader.sources.position import LearnedInput
from spectralleader.storage import Checkpoint
from spectralleader.text.first_use import compile_for


def learn(
    source: Source | str | os.PathLike[str], *, progress: Progress | None = None, **options: Any
) -> LearnResult:
    """Learn topics from files in one pass; see `run`. `options` are fields of `LearnOptions`."""
    return run(LearnOptions(Source.of(source), **options), progress)


def run(options: LearnOptions, progress: Progress | None = None) -> LearnResult:
    """Learn topics in one pass, predicting each block before it is learned.

    With `save`, an earlier pass over the same input is resumed, whether it was stopped, killed or
    complete: no document is skipped or learned twice, and the result equals that of one pass bit
    for bit. Files may have grown since. Everything read from a pipe counts as new.

    Ctrl-C, and SIGTERM if `save` is set, end the pass early: the model is saved and returned. If
    the input becomes unreadable, the model is saved before the error is raised. If a checkpoint
    cannot be written, the previous one is unchanged.

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
        signals.append(signal.SIGTERM)
    with (
        Interrupts(*signals) as interrupts,
        checkpoints or nullcontext(),
        options.source.open(progress) as reader,
        emitting(options, progress) as emitter,
    ):
        job, blocks = _prepare(options, reader, checkpoints, progress)
        compile_for(job.topics)
        raise_if_interrupted()
        interrupts.at_stake = True
        return job.run(blocks, emitter)


def _prepare(
    options: LearnOptions, reader: AnyReader, checkpoints: Checkpoints | None, progress: Progress
) -> tuple[Pass, Iterator[TextBlock]]:
    """Start, or resume from the checkpoint; return the pass and the blocks to learn."""
    found = checkpoints and checkpoints.find()
    live = None if isinstance(reader, Reader) else reader
    if live is not None:
        _start(live, found and found[0], options, progress)
    for guess in reader.guesses:
        progress.say(f"guessed: {guess}")
    learned, is_placed = None, False
    if found is not None and checkpoints is not None:
        settings = found[1].settings if options.adopt else options.stored(reader.columns)
        checkpoints.resume(*found, settings)
        if isinstance(reader, Reader):
            learned = _find_place(found[0], options, reader, progress)
        else:
            is_placed = is_position_of(found[0], reader.kind) or reader.starts_alike
    else:
        topics = options.make_topics(reader.columns, progress)
        if checkpoints is not None:
            checkpoints.make_room()
        found = Checkpoint(topics), first_run(topics, options.stored(reader.columns))
        if isinstance(reader, Reader) and options.source.once_only is None:
            learned = reader.learned()
    job = Pass(*found, reader, learned, checkpoints, progress)
    if live is None:
        return job, iter(reader)
    if not is_placed:
        job.note_position(live.position)
    return job, until_end(live)


def _start(
    reader: LiveReader | FolderReader,
    found: Checkpoint | None,
    options: LearnOptions,
    progress: Progress,
) -> None:
    """Start a live source, at the position of the checkpoint if there is one."""
    if found is None:
        reader.start(None)
        return
    if options.adopt and not is_position_of(found, reader.kind):
        check_position(found, reader.kind, give_up=options.give_up_position)
        reader.start(None)
        return
    if found.topics.position is None:
        raise ValueError(
            "the model was learned from files or a pipe and has no position in a live source; "
            "resume with those, or start over with --fresh"
        )
    try:
        reader.start(found.topics.position)
    except ValueError as error:
        raise ValueError(f"{error}; the model is unchanged") from error
    progress.say(f"resuming after {found.topics.n_docs:,} documents; {reader.describe()}")


def _find_place(
    found: Checkpoint, options: LearnOptions, reader: Reader, progress: Progress
) -> LearnedInput | None:
    """Go to the position of the checkpoint; return the learned documents (None for a pipe)."""
    source, position = options.source, found.position
    resuming = f"resuming after {found.topics.n_docs:,} documents"
    if source.once_only is not None:
        if len(source.files) > 1:
            raise ValueError(
                f"resuming with {source.once_only} and {len(source.files) - 1} more files would "
                "learn the files again; read only the pipe, or start over with --fresh"
            )
        progress.say(f"{resuming}; the input of a pipe is new")
        return None
    if position.digest is None:
        raise ValueError(
            "the model was learned from a pipe, or from a file that was deleted, and has no "
            "position in files; resume with a pipe, or start over with --fresh"
        )
    if position.start:
        progress.say(f"{resuming}; the first {position.start:,} are skipped if they are the same")
    else:
        progress.say(f"{resuming}; checking that the input is the same")
    learned = reader.resume(position, lambda n_docs: progress.counted(n_docs, "read again"))
    if not learned.has_same_end(position):
        progress.say(
            f"document {position.offset:,}, the last one learned, has changed since: probably an "
            "incomplete line; it stays as it was learned"
        )
    return learned


def until_end(reader: LiveReader | FolderReader) -> Iterator[TextBlock]:
    """Yield the blocks of a live source, and empty blocks while it has nothing new."""
    while True:
        try:
            block = reader.next_or_idle()
        except StopIteration:
            return
        yield block
