"""Keeping: what is learned saved now and then and at the end, and found again."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from spectralleader import storage
from spectralleader.errors import NotSavedError, StorageError
from spectralleader.jobs.settings import check_same
from spectralleader.jobs.watcher import Watcher
from spectralleader.storage.checkpoint import Checkpoint, Progress
from spectralleader.storage.lock import Lock

if TYPE_CHECKING:
    from spectralleader.jobs.learning import Learned

OFTEN = "10min"  # between checkpoints, if nobody says
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
LEFT_BEHIND = "[a-z0-9_]{8}"  # how the name of a temporary file ends
N_START = 16  # bytes that all saved files have in common
FRESH = "start anew with --fresh, which keeps it as a backup"


class Every(NamedTuple):
    """How often to save: after so many documents, or seconds."""

    n_docs: float = float("inf")
    seconds: float = float("inf")

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


class Keeper:
    """Keeps one model file, alone while it is entered.

    A checkpoint that cannot be written is said, and tried again when the next one is due: the file
    stays as it was, and learning goes on. Only the last one must be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: Every,
        watcher: Watcher,
        *,
        fresh: bool = False,
    ) -> None:
        self.path = storage.check_target(path)
        self.n_saved: int | None = None  # documents learned, as far as the file knows
        self._settings: dict[str, str] = {}
        self._every, self._watcher, self._fresh = every, watcher, fresh
        self._lock = Lock(path)
        self._tried = (0, monotonic())  # documents and time of the last checkpoint, written or not
        self._failed = False  # the last one

    def __enter__(self) -> Keeper:
        if not self._lock.__enter__().is_held:
            self._watcher.say(
                f"{self.path} cannot be locked there: see to it that nobody else learns it"
            )
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.__exit__()

    def find(self, settings: dict[str, str]) -> Checkpoint | None:
        """Return what was saved before with the same settings, None to begin with nothing.

        Raises
        ------
        ValueError
            If there is a file that cannot be gone on with.
        """
        self._settings = settings
        if self._fresh or not self.path.exists():
            return None
        found = load_checkpoint(self.path)
        check_same(found.progress.settings, settings, str(self.path))
        self._tried = (found.n_docs, monotonic())
        self.n_saved = found.n_docs
        self._tidy()
        return found

    def make_room(self) -> Path | None:
        """Rename a file that is there to a name that is free; return that."""
        backup = back_up(self.path)
        if backup is not None:
            self._watcher.say(f"starts anew; what was learned before is kept in {backup}")
        return backup

    def _tidy(self) -> None:
        """Delete what processes that were killed while they saved have left behind."""
        real = self.path.resolve()
        begin = read_start(real)
        for path in real.parent.glob(f".{glob.escape(real.name)}.*"):
            is_temporary = re.fullmatch(LEFT_BEHIND, path.name[len(real.name) + 2 :])
            if is_temporary and begin.startswith(read_start(path)):
                path.unlink(missing_ok=True)

    def tend(self, result: Learned) -> None:
        """Save if a checkpoint is due; between steps."""
        n_docs, now = result.topics.n_docs, monotonic()
        is_due = n_docs - self._tried[0] >= self._every.n_docs
        if not (is_due or now - self._tried[1] >= self._every.seconds):
            return
        try:
            self._save(result)
        except StorageError as error:
            if not self._failed:
                self._watcher.say(f"{error}; {self._say_kept()}, and learning goes on")
            self._failed = True
        self._tried = (n_docs, monotonic())

    def finish(self, result: Learned) -> None:
        """Save what is new."""
        try:
            if self.n_saved != result.topics.n_docs:
                self._save(result)
        except StorageError as error:
            raise NotSavedError(f"{error}; {self._say_kept()}") from error
        if self.n_saved is not None:
            result.saved = self.path
            self._tidy()

    def _save(self, result: Learned) -> None:
        storage.save(make_checkpoint(result, self._settings), self.path)
        self.n_saved = result.n_saved = result.topics.n_docs
        if self._failed:
            self._watcher.say(f"saved again, {self.n_saved:,} documents, in {self.path}")
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


def load_checkpoint(path: Path) -> Checkpoint:
    """Return what `learn` saved."""
    try:
        found = storage.load(path)
    except StorageError as error:
        raise StorageError(f"{error}; {FRESH}") from error
    if not isinstance(found, Checkpoint):
        raise StorageError(
            f"{path} holds a {type(found).__name__} that learn --save has not written, so nobody "
            f"knows how far it is in the input; {FRESH}"
        )
    if found.progress.n_docs != found.n_docs:
        raise StorageError(
            f"{path} has learned {found.n_docs:,} documents, of which learn --save knows "
            f"{found.progress.n_docs:,}; {FRESH}"
        )
    return found


def make_checkpoint(result: Learned, settings: dict[str, str]) -> Checkpoint:
    """Return what was learned with how far it is, as it is between steps."""
    trail = result.trail
    progress = Progress(
        settings,
        result.topics.n_docs,
        None if trail is None else trail.digest,
        None if trail is None else trail.before,
        result.seconds,
        None if result.judged is None else result.judged.sums,
        result.unigram.sums,
        result.frequencies,
    )
    return Checkpoint.of(result.topics, progress)


def read_start(path: Path) -> bytes:
    """Return what all files that are saved here begin with; less of one that is cut short."""
    with path.open("rb") as file:
        return file.read(N_START)
