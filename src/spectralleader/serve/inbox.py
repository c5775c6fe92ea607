"""Inbox: posted documents are stored on disk until they are learned, each exactly once.

A request is acknowledged when its lines are in the file ``MODEL.inbox`` on the disk. Learning
follows that file as it follows any other (`InboxSource`), and the model file holds the position in
it: what was acknowledged is learned after a crash too, and nothing is learned twice.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

import msgspec

from spectralleader.sources.live.file_position import find_position

decode_object = msgspec.json.Decoder(dict[str, Any]).decode
KIND = "inbox"  # of positions
FULL = 256 * 2**20  # bytes of documents that wait at most
LONG = 64 * 2**20  # bytes after which a new file is begun; the one before it is kept
TRY_AGAIN = 5.0  # seconds after which a disk that failed is tried again
N_TRIAL = 2**20  # bytes of that
N_IDS = 200_000  # requests remembered at most
N_COPIED = 2**20  # bytes copied at once
REMEDIES = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room on the disk",
    errno.EMFILE: "raise the limit on open files (ulimit -n, or LimitNOFILE in systemd)",
    errno.ENFILE: "the whole system has too many open files; raise fs.file-max",
}


class FullError(Exception):
    """Raised if the inbox is full."""


class OtherContentError(Exception):
    """Raised if an id was used before for other documents."""


class ClosedError(Exception):
    """Raised while the service is stopping."""


class Known(NamedTuple):
    """The documents of a request that are on the disk: all, unless a crash cut it short."""

    n: int = 0
    n_all: int | None = None  # documents of the whole request
    digest: bytes = b""  # of the n documents, without their times

    def with_more(self, documents: Sequence[dict[str, Any]], n_all: int | None) -> Known:
        """Return what is known after the next documents of the request."""
        digest = self.digest
        for one in documents:
            found = one.get("text", one.get("tokens"))
            content = found if isinstance(found, str) else json.dumps(found, sort_keys=True)
            digest = hashlib.blake2b(digest + content.encode(), digest_size=16).digest()
        return Known(self.n + len(documents), n_all, digest)

    def is_part_of(self, documents: Sequence[dict[str, Any]]) -> bool:
        """Return whether these documents match the stored part of the request."""
        if self.n_all not in (None, len(documents)) or self.n > len(documents):
            return False
        return Known().with_more(documents[: self.n], None).digest == self.digest


class Accepted(NamedTuple):
    """The result of a request."""

    n_new: int  # documents
    n_known: int  # documents that an earlier request of the same id brought


class Inbox:
    """The file of documents to be learned; any thread may add to it.

    Parameters
    ----------
    path : path
        The file; opening creates it if it does not exist. Only who has locked the model opens it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._older = path.with_name(f"{path.name}.1")
        self._lock = threading.Lock()
        self._ids: OrderedDict[str, Known] = OrderedDict()
        self._saved: dict[str, Any] | None = None  # the position of the last checkpoint
        self.is_new = True  # whether it held nothing when it was opened
        self.is_missing = True  # whether it did not even exist
        self._file: IO[bytes] | None = None
        self._older_file: IO[bytes] | None = None  # open while a restart may need it
        self.n_restored = 0  # files that were deleted or replaced, and written again
        self._problem = ""  # why the last request could not be stored
        self._tried = 0.0  # when that was

    def open(self) -> None:
        """Read the ids of stored documents, and open the file for new ones."""
        found = [one for one in (self._older, self.path) if one.exists()]
        self.is_new = not any(one.stat().st_size for one in found)
        self.is_missing = not found
        for one in found:
            self._read_ids(one)
        self._file = self._create()
        if self._older in found:
            self._older_file = open_for_both(self._older)

    @property
    def is_open(self) -> bool:
        """Whether documents can be added."""
        return self._file is not None

    @property
    def _handle(self) -> IO[bytes]:
        assert self._file is not None
        return self._file

    def _read_ids(self, path: Path) -> None:
        """Read the ids in a file; a truncated last line was never acknowledged.

        A damaged line has no id; the reader of the documents reports and counts it.
        """
        with path.open("r+b") as file:
            end = 0
            for line in file:
                if not line.endswith(b"\n"):
                    file.truncate(end)
                    break
                end += len(line)
                found = _parse(line)
                if isinstance(id := found.get("id"), str):
                    n_all = found.get("of")
                    self._note(id, [found], n_all if isinstance(n_all, int) else None)

    def _create(self) -> IO[bytes]:
        file = open_for_both(self.path)
        sync_folder(self.path.parent)
        return file

    def _note(self, id: str, documents: Sequence[dict[str, Any]], n_all: int | None) -> None:
        known = self._ids.pop(id, Known())
        if known.n == known.n_all:  # it was forgotten in the meantime, and came again
            known = Known()
        self._ids[id] = known.with_more(documents, n_all)
        while len(self._ids) > N_IDS:
            self._ids.popitem(last=False)

    def add(self, documents: Sequence[dict[str, Any]], id: str | None) -> Accepted:
        """Write documents to disk, except those already stored under the same id.

        Raises
        ------
        OtherContentError
            If other documents came before under the same id.
        FullError
            If too many documents wait.
        ClosedError
            If it is closed.
        OSError
            If the disk is full, or fails; then nothing was added.
        """
        with self._lock:
            if self._file is None:
                raise ClosedError
            known = Known() if id is None else self._ids.get(id, Known())
            if known.n and not known.is_part_of(documents):
                raise OtherContentError
            n_known, new = known.n, documents[known.n :]
            mark = {} if id is None else {"id": id, "of": len(documents)}
            lines = [json.dumps({**mark, **one}, ensure_ascii=True) + "\n" for one in new]
            try:
                if new and self.n_waiting > FULL:
                    raise FullError
                self._store("".join(lines).encode())
            except OSError as error:
                self._problem, self._tried = describe_error(error), monotonic()
                raise
            if not new:
                return Accepted(0, n_known)
            self._problem = ""
            if id is not None:
                self._note(id, new, len(documents))
            return Accepted(len(new), n_known)

    def _store(self, data: bytes) -> None:
        """Have the file hold all that was acknowledged, and this too."""
        self._restore_if_lost()  # before a rotation, which would rename another file
        if not data:
            return
        self._rotate_if_long()
        before = os.fstat(self._handle.fileno()).st_size
        try:
            view = memoryview(data)
            while view:
                view = view[self._handle.write(view) :]
            os.fsync(self._handle.fileno())
            self._restore_if_lost()
        except OSError:
            os.ftruncate(self._handle.fileno(), before)  # half a request must not be learned
            raise

    def _restore_if_lost(self) -> None:
        """Write files again that were deleted or replaced; what they held is still open.

        The older one is needed until a checkpoint has a position in the current one.
        """
        self._file = self._restored(self.path, self._handle)
        if self._older_file is None:
            return
        if self._is_saved_here():
            self._older_file.close()
            self._older_file = None
        else:
            self._older_file = self._restored(self._older, self._older_file)

    def _restored(self, path: Path, held: IO[bytes]) -> IO[bytes]:
        """Return the open file of a path, copied there if the path is no longer that file.

        The copy has the same bytes at the same offsets, so that positions stay valid.
        """
        if is_at(path, held):
            return held
        copy = path.with_name(f"{path.name}.copy")
        copy.unlink(missing_ok=True)
        with ExitStack() as stack:
            file = stack.enter_context(open_for_both(copy))
            offset = 0
            while data := os.pread(held.fileno(), N_COPIED, offset):
                offset += file.write(data)
            os.fsync(file.fileno())
            copy.replace(path)  # as a whole: the reader never sees a part of it
            sync_folder(path.parent)
            stack.pop_all()
        held.close()
        self.n_restored += 1
        return file

    def problem(self) -> str:
        """Return why posts cannot be stored, "" if they can.

        Who is not ready gets no posts: so after a failure the disk is tried again from time to
        time, with a file that is deleted at once. A file that was lost is restored.
        """
        self._restore_between_posts()
        if self._problem and monotonic() - self._tried > TRY_AGAIN:
            self._tried, trial = monotonic(), self.path.with_name(f"{self.path.name}.trial")
            try:
                with trial.open("wb") as file:
                    file.write(bytes(N_TRIAL))
                    file.flush()
                    os.fsync(file.fileno())
                self._problem = ""
            except OSError as error:
                self._problem = describe_error(error)
            finally:
                trial.unlink(missing_ok=True)
        return self._problem

    def _restore_between_posts(self) -> None:
        """Restore a file that was lost, unless a post does so already."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._file is not None:
                self._restore_if_lost()
        except OSError as error:
            self._problem, self._tried = describe_error(error), monotonic()
        finally:
            self._lock.release()

    def _rotate_if_long(self) -> None:
        """Start a new file if this one is long and the previous one is learned and saved."""
        if os.fstat(self._handle.fileno()).st_size < LONG or not self._is_saved_here():
            return
        self.path.replace(self._older)
        try:
            new = self._create()
        except OSError:
            self._older.replace(self.path)
            raise
        if self._older_file is not None:
            self._older_file.close()
        self._older_file, self._file = self._file, new

    def _is_saved_here(self) -> bool:
        """Return whether the last checkpoint has a position in the current file."""
        if self._saved is None:
            return False
        return self._saved["offset"] > 0 and find_position(self._saved, [self.path]) is not None

    def note_saved(self, position: Any) -> None:
        """Record the position of a checkpoint that was written to disk."""
        if isinstance(position, dict) and position.get("kind") == KIND:
            self._saved = position["at"]

    @property
    def n_waiting(self) -> int:
        """Bytes that no checkpoint has learned yet, at most."""
        size = os.fstat(self._handle.fileno()).st_size
        if self._saved is None:
            return size
        return size - self._saved["offset"] if self._is_saved_here() else size + LONG

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            for file in (self._file, self._older_file):
                if file is not None:
                    file.close()
            self._file = self._older_file = None


def _parse(line: bytes) -> dict[str, Any]:
    """Return the object in a line, empty if it is damaged."""
    try:
        return decode_object(line)
    except (ValueError, RecursionError):
        return {}


def open_for_both(path: Path) -> IO[bytes]:
    """Open a file to append to and to read from, for this user only; create it if it is missing."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    return os.fdopen(descriptor, "a+b", buffering=0)


def is_at(path: Path, file: IO[bytes]) -> bool:
    """Return whether an open file is the one at a path, which a restart would find."""
    mine = os.fstat(file.fileno())
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return (there.st_ino, there.st_dev) == (mine.st_ino, mine.st_dev)


def describe_error(error: OSError) -> str:
    """Return why nothing can be stored, and what to do."""
    what = error.strerror or str(error)
    return f"{what}; {REMEDIES.get(error.errno or 0, 'check the disk and the folder')}"


def sync_folder(folder: Path) -> None:
    """Sync the directory entries of a folder to disk, if the platform supports it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
