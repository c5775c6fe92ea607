"""Checkpointing: save a model periodically and at the end, and resume from it."""

from __future__ import annotations

import glob
import os
import re
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import NamedTuple, final

from spectralleader import storage
from spectralleader.checks.paths import check_target
from spectralleader.errors import NotSavedError, ResumeError, StorageError
from spectralleader.jobs.options import LearnOptions, Progress
from spectralleader.learners import Unigram
from spectralleader.learners.protocol import Refits
from spectralleader.sources.options import Json
from spectralleader.sources.reader import Reader
from spectralleader.storage import Checkpoint
from spectralleader.storage.checkpoint import Losses, Run
from spectralleader.storage.lock import Lock
from spectralleader.topics.text_topics import TextTopics

INFINITY = float("inf")
OFTEN = "10min"  # default interval; saving a large model takes a second
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
LEFT_BEHIND = "[0-9a-f]" * 8  # suffix of temporary files, see `storage.atomic`
N_START = 16  # length of the magic bytes of saved files
FIRST = 10.0  # seconds to the first checkpoint; each delay is twice the last, up to the interval


class CheckpointInterval(NamedTuple):
    """The interval between checkpoints, in documents or in seconds."""

    n_docs: float = INFINITY
    seconds: float = INFINITY

    @classmethod
    def of(cls, wish: str | int | None) -> CheckpointInterval:
        """Parse a number of documents, or a time with its unit; None is the default.

        Examples
        --------
        >>> (
        ...     CheckpointInterval.of(100_000).n_docs,
        ...     CheckpointInterval.of("60s").seconds,
        ...     CheckpointInterval.of("5min").seconds,
        ... )
        (100000, 60.0, 300.0)
        """
        given = str(OFTEN if wish is None else wish).strip()
        found = re.fullmatch(r"(\d+)\s*(s|min|h)?", given)
        if found is None or not int(found[1]):
            raise ValueError(
                f"the checkpoint interval must be a number of documents or a time, such as 100000, "
                f"60s, 5min or 1h, got {wish!r}"
            )
        number, unit = int(found[1]), found[2]
        return cls(n_docs=number) if unit is None else cls(seconds=number * UNITS[unit])


@final
class Checkpoints:
    """The checkpoints of one pass, in one file that is locked inside a `with` block.

    If a checkpoint cannot be written, this is reported and learning continues; the file is
    unchanged, and the next attempt is at the next checkpoint. Only a failure of the last one is an
    error.

    With an interval of time, the first checkpoint is saved after `FIRST` seconds and the delays
    double up to the interval, so that a model exists soon after the start.
    """

    def __init__(
        self, path: str | os.PathLike[str], options: LearnOptions, progress: Progress
    ) -> None:
        self.path = check_target(path, options.source.files)
        self.n_saved: int | None = None  # documents in the last checkpoint
        self.position: Json | None = None  # of the last checkpoint written
        self.backup: Path | None = None  # backup of the file that existed before
        self._every = CheckpointInterval.of(options.checkpoint_every)
        self._options, self._progress = options, progress
        self._lock = Lock(path)
        self._tried = (0, monotonic())  # documents and time of the last attempt to save
        self._wait = min(FIRST, self._every.seconds)  # seconds until the next attempt
        self._failed = False  # whether the last attempt failed

    def __enter__(self) -> Checkpoints:
        if not self._lock.__enter__().is_held:
            self._progress.say(
                f"the file system cannot lock {self.path}: make sure that no other process learns "
                "into it"
            )
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__()

    def find(self) -> tuple[Checkpoint, Run] | None:
        """Return the saved checkpoint, or None to start from scratch.

        Raises
        ------
        ValueError
            If the file exists but learning cannot resume from it.
        """
        if self._options.fresh or not self.path.exists():
            return None
        return load_run(self.path, adopt=self._options.adopt)

    def resume(self, found: Checkpoint, run: Run, settings: dict[str, str]) -> None:
        """Resume from a checkpoint; raise if its settings differ."""
        check_settings(run.settings, settings, str(self.path))
        self.n_saved = found.topics.n_docs
        self._tried = (self.n_saved, monotonic())
        self._tidy()

    def make_room(self) -> None:
        """Rename an existing file to an unused backup name."""
        self.backup = back_up(self.path)
        if self.backup is not None:
            self._progress.say(f"starting over; the previous model is kept in {self.backup}")

    def _tidy(self) -> None:
        """Delete temporary files of processes that were killed while saving."""
        real = self.path.resolve()
        begin = read_start(real)
        for path in real.parent.glob(f".{glob.escape(real.name)}.{LEFT_BEHIND}"):
            # Another program's file may have such a name: only the beginning of a model is deleted.
            if begin.startswith(read_start(path)):
                path.unlink(missing_ok=True)

    def is_due(self, n_docs: int) -> bool:
        """Return whether a checkpoint is due after n documents."""
        n_tried, tried = self._tried
        if monotonic() - tried >= FIRST and (self._failed or self._is_missing):
            return True  # also if there is nothing new: the model may be in memory alone
        if n_docs == self.n_saved:  # nothing new since, as with a silent source
            return False
        if self._every.seconds == INFINITY:
            return n_docs - n_tried >= self._every.n_docs
        return monotonic() - tried >= self._wait

    @property
    def _is_missing(self) -> bool:
        """Whether the file that was saved is gone, so that the model is in memory alone."""
        return self.n_saved is not None and not os.path.exists(self.path)

    def save(self, checkpoint: Checkpoint) -> None:
        """Save between two steps; report a failure instead of raising it."""
        try:
            self._save(checkpoint)
        except StorageError as error:
            # Said once, not at every attempt: a full disk may stay full for hours.
            if not self._failed:
                self._progress.say(f"{error}; {self._describe_kept()}; learning continues")
            self._failed = True
            self._progress.not_saved(error)
        # After a failure, too: attempts at every step would slow learning down.
        self._tried = (checkpoint.topics.n_docs, monotonic())
        self._wait = min(2.0 * self._wait, self._every.seconds)

    def finish(self, checkpoint: Checkpoint) -> Path:
        """Save at the end if there is anything new; return the file."""
        try:
            if self.n_saved != checkpoint.topics.n_docs or self._is_missing:
                self._save(checkpoint)
        except StorageError as error:
            raise NotSavedError(f"{error}; {self._describe_kept()}") from error
        self._tidy()
        return self.path

    def _save(self, checkpoint: Checkpoint) -> None:
        with suppress(OSError):  # it was there at the start, and may have been deleted since
            self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
        began = monotonic()
        storage.save(checkpoint, self.path)
        self.n_saved, self.position = checkpoint.topics.n_docs, checkpoint.topics.position
        self._progress.saved(checkpoint, monotonic() - began)
        if self._failed:
            self._progress.say(f"saved again: {self.n_saved:,} documents in {self.path}")
        self._failed = False

    def _describe_kept(self) -> str:
        if self.n_saved is None:
            return "nothing has been saved yet"
        return f"the last good checkpoint has {self.n_saved:,} documents"


def check_settings(before: dict[str, str], now: dict[str, str], name: str) -> None:
    """Raise if any setting differs, naming all that do."""
    if differing := [key for key in {**before, **now} if before.get(key) != now.get(key)]:
        told = "; ".join(
            f"{key} was {before.get(key, 'not set'):.60}, is {now.get(key, 'not set'):.60}"
            for key in differing
        )
        raise ResumeError(
            f"{name} was learned with other settings: {told}", "use the same settings"
        )


def back_up(path: Path) -> Path | None:
    """Rename a file to an unused backup name and return that; None if there is no file."""
    if not path.exists():
        return None
    # Of a link, the file is renamed that it points to: the link is the user's.
    number, real = 1, path.resolve()
    backup = real.with_name(f"{real.name}.bak")
    while backup.exists():
        number += 1
        backup = real.with_name(f"{real.name}.bak{number}")
    return real.rename(backup)


def load_run(path: Path, *, adopt: bool = False) -> tuple[Checkpoint, Run]:
    """Return the checkpoint and run saved by `learn --save`.

    With `adopt`, saved topics of any origin are returned as a checkpoint, with a new run if they
    have none.
    """
    try:
        found = storage.load_as_saved(path)
    except StorageError as error:
        raise ResumeError(str(error)) from error
    if isinstance(found, TextTopics):
        found = Checkpoint(found)
    if not (isinstance(found, Checkpoint) and isinstance(found.topics, TextTopics)):
        raise ResumeError(f"{path} contains a {type(found).__name__}, not topics")
    if adopt:
        return found, found.run or first_run(found.topics, {"topics": "?"})
    # Topics that learned from Python since: their position no longer tells what they know.
    if found.run is None or found.run.n_docs != found.topics.n_docs:
        raise ResumeError(
            f"the topics in {path} learned other documents than those of learn --save"
        )
    return found, found.run


def position_in(found: Checkpoint, reader: Reader, options: LearnOptions) -> Json | None:
    """Return the position from which a source is resumed; None to read it from its start.

    Raises
    ------
    ValueError
        If the model was learned from a source of another kind, whose position would be lost.
    """
    position, source = found.topics.position, options.source
    kind = position.get("kind") if isinstance(position, dict) else None
    pipe = None if source.is_live else source.once_only
    if kind == reader.kind and pipe is None:
        return position
    before = f"a source of the kind {kind!r:.20}" if kind not in (None, "files") else "files"
    if options.adopt:
        # Topics that were learned from a pipe or from Python have no position to lose.
        if position is None or options.give_up_position:
            return None
        raise ValueError(
            f"the model was learned from {before}, and learning from another source would lose "
            "the position there, so that it could not be resumed; name that source with --learn, "
            "use --read-only to only answer, or --adopt (best on a copy of the model) to give the "
            "position up"
        )
    # A pipe has no position, and what it still holds has not been learned.
    if pipe is not None:
        if n_more := len(source.files) - 1:
            raise ResumeError(
                f"resuming with {pipe} and {n_more} more files would learn the files again",
                "read only the pipe",
            )
        return None
    before = "a pipe, or from a file that was deleted," if kind is None else before
    raise ResumeError(
        f"the model was learned from {before} and has no position in "
        f"{'a live source' if source.is_live else 'files'}",
        "resume with the former",
    )


def first_run(topics: TextTopics, settings: dict[str, str]) -> Run:
    """Return a new run, without any losses."""
    learner = topics.learner
    # An offline learner has no model before the end, from which to predict.
    losses = None if isinstance(learner, Refits) else Losses()
    unigram = Unigram(1, n_words=None if learner.grows else learner.n_words)
    return Run(settings, topics.n_docs, 0.0, losses, Losses(), unigram)


def read_start(path: Path) -> bytes:
    """Return the magic bytes of a saved file, or fewer if it is truncated."""
    with path.open("rb") as file:
        return file.read(N_START)
