"""Checkpointing: what is learned is saved now and then and at the end, and found again."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from time import monotonic
from typing import NamedTuple, final

from spectralleader import storage
from spectralleader.errors import NotSavedError, StorageError
from spectralleader.jobs.options import LearnOptions, check_same
from spectralleader.jobs.progress import Progress
from spectralleader.learners import Unigram
from spectralleader.learners.offline import Offline
from spectralleader.storage import Checkpoint, load_checkpoint
from spectralleader.storage.checkpoint import Losses, Run
from spectralleader.storage.lock import Lock
from spectralleader.text.topics import TextTopics

INFINITY = float("inf")
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
LEFT_BEHIND = "[a-z0-9_]{8}"  # how the name of a temporary file ends
N_START = 16  # bytes that all saved files have in common
FIRST = 10.0  # seconds to the first checkpoint; each wait is twice the last, up to the interval
FRESH = "start over with --fresh, which keeps it as a backup"


class Every(NamedTuple):
    """How often to save: after so many documents, or seconds."""

    n_docs: float = INFINITY
    seconds: float = INFINITY

    @classmethod
    def of(cls, wish: str | int) -> Every:
        """Read a wish: documents, or a time with its unit.

        Examples
        --------
        >>> Every.of(100_000).n_docs, Every.of("60s").seconds, Every.of("5min").seconds
        (100000, 60.0, 300.0)
        """
        found = re.fullmatch(r"(\d+)\s*(s|min|h)?", str(wish).strip())
        if found is None or not int(found[1]):
            raise ValueError(
                f"checkpoints come every so many documents or seconds, such as 100000, 60s, 5min "
                f"or 1h, not {wish!r}"
            )
        number, unit = int(found[1]), found[2]
        return cls(n_docs=number) if unit is None else cls(seconds=number * UNITS[unit])


@final
class Checkpoints:
    """The checkpoints of one pass, in one file, locked while this is entered.

    A checkpoint that cannot be written is reported, and tried again when the next one is due: the
    file stays as it was, and learning goes on. Only the last one must be written.

    If checkpoints come at an interval of time, the first comes 10 seconds after the start, and the
    waits double up to the interval: whoever looks at the model, or a crash, finds something soon.
    """

    def __init__(
        self, path: str | os.PathLike[str], options: LearnOptions, progress: Progress
    ) -> None:
        self.path = storage.check_target(path)
        options.source.check_kept(path)
        self.n_saved: int | None = None  # documents of the last checkpoint
        self.backup: Path | None = None  # of the file that was there before
        self._every, self._fresh = Every.of(options.checkpoint_every), options.fresh
        self._adopt = options.adopt
        self._progress = progress
        self._lock = Lock(path)
        self._tried = (0, monotonic())  # documents and time of the last checkpoint, written or not
        self._wait = min(FIRST, self._every.seconds)  # seconds from there to the next
        self._failed = False  # the last one

    def __enter__(self) -> Checkpoints:
        if not self._lock.__enter__().is_held:
            self._progress.say(
                f"{self.path} cannot be locked there: see to it that nobody else learns it"
            )
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__()

    def find(self) -> tuple[Checkpoint, Run] | None:
        """Return what was saved before, None to begin with nothing.

        Raises
        ------
        ValueError
            If there is a file that cannot be resumed.
        """
        if self._fresh or not self.path.exists():
            return None
        return adopt_run(self.path) if self._adopt else load_run(self.path)

    def resume(self, found: Checkpoint, run: Run, settings: dict[str, str]) -> None:
        """Go on with what was found, if its settings are these."""
        check_same(run.settings, settings, str(self.path))
        self.n_saved = found.topics.n_docs
        self._tried = (self.n_saved, monotonic())
        self._tidy()

    def make_room(self) -> None:
        """Rename a file that is there to a name that is free, its backup."""
        self.backup = back_up(self.path)
        if self.backup is not None:
            self._progress.say(f"starting over; the previous model is kept in {self.backup}")

    def _tidy(self) -> None:
        """Delete what processes that were killed while they saved have left behind."""
        real = self.path.resolve()
        begin = read_start(real)
        for path in real.parent.glob(f".{glob.escape(real.name)}.*"):
            is_temporary = re.fullmatch(LEFT_BEHIND, path.name[len(real.name) + 2 :])
            if is_temporary and begin.startswith(read_start(path)):
                path.unlink(missing_ok=True)

    def is_due(self, n_docs: int) -> bool:
        """Whether it is time to save, with n documents learned."""
        n_tried, tried = self._tried
        if n_docs == self.n_saved:  # a silent source brings nothing new
            return False
        if self._every.seconds == INFINITY:
            return n_docs - n_tried >= self._every.n_docs
        return monotonic() - tried >= self._wait

    def save(self, checkpoint: Checkpoint) -> None:
        """Save on the way, between steps; if that fails, report it and keep the last one."""
        try:
            self._save(checkpoint)
        except StorageError as error:
            if not self._failed:
                self._progress.say(f"{error}; {self._say_kept()}, and learning goes on")
            self._failed = True
            self._progress.not_saved(error)
        self._tried = (checkpoint.topics.n_docs, monotonic())
        self._wait = min(2.0 * self._wait, self._every.seconds)

    def finish(self, checkpoint: Checkpoint) -> Path:
        """Save what is new at the end; return the file."""
        try:
            if self.n_saved != checkpoint.topics.n_docs:
                self._save(checkpoint)
        except StorageError as error:
            raise NotSavedError(f"{error}; {self._say_kept()}") from error
        self._tidy()
        return self.path

    def _save(self, checkpoint: Checkpoint) -> None:
        storage.save(checkpoint, self.path)
        self.n_saved = checkpoint.topics.n_docs
        self._progress.saved(checkpoint)
        if self._failed:
            self._progress.say(f"saved again, {self.n_saved:,} documents, in {self.path}")
        self._failed = False

    def _say_kept(self) -> str:
        if self.n_saved is None:
            return "nothing is saved yet"
        return f"the last good checkpoint has {self.n_saved:,} documents"


def back_up(path: Path) -> Path | None:
    """Rename a file, if it is there, to a name that is free; return that."""
    if not path.exists():
        return None
    number, real = 1, path.resolve()
    backup = real.with_name(f"{real.name}.bak")
    while backup.exists():
        number += 1
        backup = real.with_name(f"{real.name}.bak{number}")
    return real.rename(backup)


def load_run(path: Path) -> tuple[Checkpoint, Run]:
    """Return what `learn --save` saved; errors say what to do."""
    try:
        found = load_checkpoint(path)
    except StorageError as error:
        raise StorageError(f"{error}; {FRESH}") from error
    if found.run is None or found.position.offset != found.topics.n_docs:
        raise StorageError(
            f"{path} holds topics that learned other documents than those of learn --save; {FRESH}"
        )
    return found, found.run


def adopt_run(path: Path) -> tuple[Checkpoint, Run]:
    """Return topics that were saved in whatever way, with a run to continue them by."""
    try:
        found = storage.load_as_saved(path)
    except StorageError as error:
        raise StorageError(f"{error}; {FRESH}") from error
    if isinstance(found, TextTopics):
        found = Checkpoint(found)
    if not isinstance(found, Checkpoint):
        raise StorageError(f"{path} holds a {type(found).__name__}, not topics; {FRESH}")
    return found, first_run(found.topics, {"topics": "?"}) if found.run is None else found.run


def is_position_of(found: Checkpoint, kind: str) -> bool:
    """Return whether what was learned ends at a position in a live source of this kind."""
    position = found.topics.position
    return position is not None and position.get("kind") == kind


def check_position(found: Checkpoint, kind: str, *, give_up: bool) -> None:
    """Raise if learning from a live source would lose the position in what was learned before.

    Topics that learned a pipe, or in a program of one's own, have no position to lose.
    """
    position = found.topics.position
    if give_up or is_position_of(found, kind) or (position or found.position.digest) is None:
        return
    before = "files" if position is None else f"a source of the kind {position.get('kind')!r:.20}"
    raise ValueError(
        f"the model learned {before}, and to learn anything else would lose the position there, so "
        "that it could not be resumed; name the source by --learn, say --read-only to learn "
        "nothing, or --adopt (best with a copy of the model) to give that position up"
    )


def first_run(topics: TextTopics, settings: dict[str, str]) -> Run:
    """Return the run to begin with: nothing is judged yet."""
    learner = topics.learner
    losses = None if isinstance(learner, Offline) else Losses()
    unigram = Unigram(1, n_words=None if learner.grows else learner.n_words)
    return Run(settings, 0.0, losses, Losses(), unigram)


def read_start(path: Path) -> bytes:
    """Return what all files that are saved here begin with; less of one that is cut short."""
    with path.open("rb") as file:
        return file.read(N_START)
