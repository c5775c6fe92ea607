"""Inbox: posted documents are stored in SQLite until they are learned, each exactly once.

A request is acknowledged once its transaction is on the disk, in ``MODEL.inbox``. Learning reads
the rows in order, as it reads any live source, and the model file holds the number of the last row
that was learned: what was acknowledged is learned after a crash too, and nothing is learned twice.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

import msgspec

from spectralleader.serve.messages import RequestError, stopping, try_again
from spectralleader.sources.files.columns import Columns
from spectralleader.sources.live.decoding import MessageFormat
from spectralleader.sources.live.protocol import LiveSource, MessageBatch
from spectralleader.sources.live.reader import LiveReader
from spectralleader.sources.options import Json, Say, SourceOptions, ignore
from spectralleader.storage.atomic import sync_folder

FULL = 256 * 2**20  # bytes of stored documents from which no more are accepted
N_IDS = 200_000  # requests remembered at most
AT_ONCE = 8 * 2**20  # bytes of documents after which no more are read at once
WAIT = 0.1  # seconds between looks for documents: steps of one document each would slow posts
TRY_AGAIN = 5.0  # seconds after which a disk that failed is tried again
# What is stored to find out whether the disk takes it, and deleted again.
TRIAL = ("INSERT INTO trials VALUES (zeroblob(1048576))", "DELETE FROM trials")
# An exclusive lock needs no shared memory, and keeps other processes from adding rows. With FULL,
# a commit returns once the log is synced to disk; with less, a power failure loses requests. A log
# that has grown, as while the disk was full, is truncated again.
SETTINGS = """
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA journal_size_limit = 8388608;
CREATE TABLE IF NOT EXISTS documents (row INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS requests
    (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS trials (content BLOB NOT NULL);
"""
N_BYTES = """
SELECT (page_count - freelist_count) * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""
FORGET_IDS = "DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?"
LOST = "MODEL.inbox was deleted or replaced; restart the service, which saves what it has learned"
OTHER = (
    "other documents came before as {!r:.60}, and these were not accepted; give each request an id "
    "of its own, and change nothing to send it again"
)
REMEDIES = {
    sqlite3.SQLITE_FULL: "make room on the disk",
    sqlite3.SQLITE_NOTADB: "rename MODEL.inbox, which an earlier version may have written",
    sqlite3.SQLITE_BUSY: "end the process that has opened MODEL.inbox",
}


class Post(NamedTuple):
    """A request that waits to be stored."""

    contents: list[bytes]  # its documents
    id: str | None
    digest: bytes
    receipt: Future[tuple[int, int]]  # how many documents are new, and known


class Inbox(LiveSource):
    """The database of documents to be learned, a live source; any thread may add to it.

    Parameters
    ----------
    path : path
        The file; opening creates it if it does not exist. Only the process with the lock of the
        model opens it.
    """

    kind, unit, name = "inbox", "documents", "the inbox"
    starts_alike = True  # at the first document

    def __init__(self, path: Path) -> None:
        self.path = path
        self.say: Say = ignore  # called with messages for the user
        self._lock = threading.Lock()  # of the connection
        self._posts: deque[Post] = deque()  # that wait to be stored
        self._connection: sqlite3.Connection | None = None
        self._files: list[tuple[int, int]] = []  # which files the connection has opened
        self._last = self._taken = 0  # rows that were stored last, and taken to be learned
        self.n_accepted = self.n_known = 0  # documents that were stored, and that were known
        self._problem = ""  # why the last request could not be stored
        self._tried = 0.0  # when that was

    # adding documents

    def add(self, documents: Sequence[dict[str, Any]], id: str | None) -> tuple[int, int]:
        """Write documents to disk, unless the request of that id did; return how many did which.

        Raises
        ------
        RequestError
            If other documents came before under the same id (409), too many documents wait (429),
            or it is closed (503).
        OSError
            If the disk is full, or fails; then nothing was added.
        """
        contents = list(map(msgspec.json.encode, documents))
        post = Post(contents, id, digest_of(documents), Future())
        self._posts.append(post)
        with self._lock:
            # The thread with the lock stores all waiting requests: they share one sync of the disk.
            posts = [self._posts.popleft() for _ in range(len(self._posts))]
            if posts:
                self._store_all(posts)
        return post.receipt.result()

    def _store_all(self, posts: list[Post]) -> None:
        """Store requests in one transaction, and set the receipt of each."""
        last, receipts = self._last, list[tuple[int, int] | Exception]()
        try:
            with self._writing() as connection:
                receipts += [self._store(connection, post) for post in posts]
        except Exception as error:  # nothing was stored, of any of them
            self._last, receipts = last, [error] * len(posts)
        for post, receipt in zip(posts, receipts, strict=True):
            if isinstance(receipt, Exception):
                post.receipt.set_exception(receipt)
            else:
                self.n_accepted += receipt[0]
                self.n_known += receipt[1]
                post.receipt.set_result(receipt)

    def _store(self, connection: sqlite3.Connection, post: Post) -> tuple[int, int] | RequestError:
        """Add the rows of a request; return how many are new and known, or why it is refused."""
        query = "SELECT digest FROM requests WHERE id = ?"
        known = connection.execute(query, (post.id,)).fetchone()  # no id equals NULL
        if known is not None:
            same = known[0] == post.digest
            return (0, len(post.contents)) if same else RequestError(409, OTHER.format(post.id))
        # A request that comes again was accepted, however full it is by now.
        if connection.execute(N_BYTES).fetchone()[0] > FULL:
            return try_again(429, "too many documents wait to be learned", 10)
        rows = enumerate(post.contents, self._last + 1)
        connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)
        if post.id is not None:
            insert = "INSERT INTO requests (id, digest) VALUES (?, ?)"
            connection.execute(insert, (post.id, post.digest))
        self._last += len(post.contents)
        return len(post.contents), 0

    def forget(self, position: Any) -> None:
        """Delete the documents up to the position of a checkpoint that was written to disk."""
        if not isinstance(position, dict) or position.get("kind") != self.kind:
            return
        # What cannot be deleted now is deleted after a later checkpoint.
        with suppress(OSError, RequestError), self._lock, self._writing() as connection:
            connection.execute("DELETE FROM documents WHERE row <= ?", (position["at"],))
            connection.execute(FORGET_IDS, (N_IDS,))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Commit at the end, which syncs to disk, or roll back after an error."""
        # What is written to deleted files is gone when the process ends.
        if lost := self._why_lost():
            raise OSError(lost)
        with self._reading() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
        self._problem = ""

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Raise errors of the database as `OSError`, and note them for `problem`."""
        if self._connection is None:
            raise stopping()
        try:
            yield self._connection
        except (sqlite3.Error, OSError) as error:
            self._problem, self._tried = describe_error(error), monotonic()
            raise OSError(self._problem) from error

    def _find_files(self) -> list[tuple[int, int]]:
        """Return which files are at the paths of the database and of SQLite's log."""
        found = []
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(FileNotFoundError):
                status = path.stat()
                found.append((status.st_dev, status.st_ino))
        return found

    def _why_lost(self) -> str:
        """Return why the open files are not those at the paths, "" if they are."""
        try:
            is_same = self._connection is None or self._find_files() == self._files
        except OSError as error:
            return describe_error(error)
        return "" if is_same else LOST

    def problem(self) -> str:
        """Return why posts cannot be stored, "" if they can.

        A service that is not ready receives no posts, so after a failure the disk is probed every
        few seconds.
        """
        if lost := self._why_lost():
            return lost
        if self._problem and monotonic() - self._tried > TRY_AGAIN:
            with suppress(OSError, RequestError), self._lock:
                # Two transactions: what one stores and deletes is never written to the disk.
                for statement in TRIAL:
                    with self._writing() as connection:
                        connection.execute(statement)
        return self._problem

    def n_bytes(self) -> int | None:
        """Return the bytes of what is stored; None if the database cannot tell."""
        with suppress(OSError, RequestError), self._lock, self._reading() as connection:
            return int(connection.execute(N_BYTES).fetchone()[0])
        return None

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    # the live source, see `LiveSource`

    def open(self, position: Json | None) -> Json:
        """Open the database, and continue after a row; return its number."""
        if not (position is None or (type(position) is int and position >= 0)):
            raise ValueError("the model has no position in this kind of inbox")
        is_missing = not self.path.exists()
        # the log gets this mode, too
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with self._lock:
            self._connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
            with self._reading() as connection:
                connection.executescript(SETTINGS)
                # SQLite syncs the entry of its log in the folder, but not that of a new database.
                sync_folder(self.path.parent)
                self._files = self._find_files()
                [stored] = connection.execute("SELECT max(row) FROM documents").fetchone()
            # Numbers go on from the position, though the rows up to it may be deleted or lost.
            self._taken = position or 0
            self._last = max(stored or 0, self._taken)
        if is_missing and position is not None:  # it may come from another machine
            self.say(
                f"{self.path} is missing: documents that were accepted but not yet learned, if "
                "any, are lost, and requests that come again are learned again"
            )
        return self._taken

    def take(self, n: int) -> MessageBatch:
        """Return up to n of the next documents, or none if none arrived within a moment."""
        # Slept without the lock, so that posts need not wait.
        if self._taken == self._last:
            sleep(WAIT)
        rows, contents, n_bytes, before = list[int](), list[bytes](), 0, self._taken
        query = "SELECT row, content FROM documents WHERE row > ? ORDER BY row LIMIT ?"
        with self._lock, self._reading() as connection:
            for row, content in connection.execute(query, (before, n)):
                rows.append(row)
                contents.append(content)
                n_bytes += len(content)
                if n_bytes > AT_ONCE:
                    break
        self._taken = rows[-1] if rows else before
        return MessageBatch(list(map(str, rows)), contents, self._taken, self._taken == self._last)

    def lag(self, position: Json) -> float:
        """Return how many documents wait behind a position."""
        return float(self._last - position)


def digest_of(documents: Sequence[dict[str, Any]]) -> bytes:
    """Return a digest of documents without their times, which may differ in a repeated request."""
    contents = [one.get("text", one.get("tokens")) for one in documents]
    return hashlib.blake2b(msgspec.json.encode(contents, order="sorted"), digest_size=16).digest()


def describe_error(error: sqlite3.Error | OSError) -> str:
    """Return why nothing can be stored, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is details
    what = getattr(error, "strerror", error)
    return f"{what}; {REMEDIES.get(code, 'check the disk and the folder')}"


def open_inbox(inbox: Inbox, options: SourceOptions, say: Say) -> LiveReader:
    """Return a reader that is not open yet; nothing about the documents is guessed."""
    inbox.say = say
    columns = Columns((options.tokens or "text",), "time", tokens=bool(options.tokens))
    how = SourceOptions(block=options.block, say=say, wait=0.0)
    return LiveReader(inbox, how, MessageFormat("json", columns))
