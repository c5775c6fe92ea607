"""InboxSource: posted documents as a live source, which follows the files of the inbox."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from spectralleader.jobs import Progress, Source
from spectralleader.serve.inbox import KIND, Inbox
from spectralleader.sources.files import Columns
from spectralleader.sources.live import LiveReader
from spectralleader.sources.live.decoding import MessageFormat
from spectralleader.sources.live.followed_file import FollowedFile
from spectralleader.sources.live.protocol import LiveSettings

EMPTY = {"size": 0, "digest": hashlib.sha256(b"").hexdigest()}
BEGINNING = {"number": 0, "offset": 0, "line": 0, "head": EMPTY, "tail": EMPTY}


@dataclass(frozen=True)
class InboxSource(Source):
    """The inbox as a live source of documents."""

    wait: float = 0.0
    follow: bool | None = True
    inbox: Inbox = field(kw_only=True)
    has_tokens: bool = False  # documents are tokens, not texts

    def open(self, progress: Progress | None = None) -> LiveReader:
        """Open the inbox; nothing about it need be guessed."""
        self.inbox.open()
        [name] = self.files
        say = (progress or Progress()).say
        settings = LiveSettings(self.block, format="jsonl", say=say, wait=self.wait)
        source = (
            InboxFile(name, settings),
            KIND,
            "the inbox",
            self._requested_columns,
            settings,
        )
        format = MessageFormat("json", self.columns)
        return InboxReader(*source, format=format, inbox=self.inbox)

    @property
    def columns(self) -> Columns:
        """Where a line has its document and its time."""
        return Columns(("tokens" if self.has_tokens else "text",), "time", tokens=self.has_tokens)


class InboxReader(LiveReader):
    """A reader that knows what its lines look like from the first start on."""

    starts_alike = True

    def __init__(self, *source: Any, format: MessageFormat, inbox: Inbox) -> None:
        super().__init__(*source)
        self._known, self._inbox = format, inbox

    def start(self, position: Any) -> None:
        """Begin at the beginning, or continue after a position.

        A model may come without its inbox, from another machine: then a new one is begun.
        """
        is_new = self._inbox.is_new
        # An empty file, of a model that has learned nothing from it, has lost nothing.
        if (
            position is not None
            and is_new
            and (self._inbox.is_missing or position["at"]["offset"] > 0)
        ):
            self._say(
                f"{self.names[0]} is missing or empty: documents that were accepted but not yet "
                "learned, if any, are lost, and requests that come again are learned again"
            )
        first = {"kind": self.kind, "at": BEGINNING, "read": self._known.to_state()}
        super().start(first if position is None or is_new else position)


class InboxFile(FollowedFile):
    """The inbox as it is followed: if it is lost, `Inbox` restores it with the same bytes."""

    def _look_for_rotation(self) -> bool:
        if not super()._look_for_rotation():
            return False
        following = self._next_file()
        try:
            with following.open("rb") as file:
                is_copy = self._file_position.matches(file)
        except FileNotFoundError:  # it will be restored, or is being rotated
            return False
        if is_copy:
            position = self._file_position
            self._open(following)
            self._seek(position)
        return not is_copy or following != self._path  # or if the copy was rotated since

    def _is_seen(self, inode: int, start: bytes) -> bool:
        # A file that was read and then restored has another inode, and the same bytes.
        return any(seen and start.startswith(seen) for seen in self._seen.values())
