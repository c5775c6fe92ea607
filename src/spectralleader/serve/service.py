"""Service: the learning thread publishes what it learned as one value, which requests read."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, time
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.jobs import Progress
from spectralleader.jobs.learning import LearnResult
from spectralleader.reading.findings import describe_history, printable
from spectralleader.reading.snapshot import Reading
from spectralleader.serve.inbox import Inbox
from spectralleader.serve.log import log
from spectralleader.serve.messages import Change, Events
from spectralleader.sources.files.problems import Skipped
from spectralleader.sources.reader import Lag
from spectralleader.storage import Checkpoint
from spectralleader.text.tokens import show_document
from spectralleader.topics.text_topics import Counted, TextTopics

RENEW = 1.0  # minimum seconds between two copies of the topics
SHARE = 50  # a copy that took t seconds of learning is renewed after SHARE * t at the earliest
N_LATEST = 30  # documents shown
N_LOOKED_AT = 10  # documents of a step that are looked at
LOOK_EVERY = 0.25  # seconds between two steps that are looked at
N_POINTS = 600  # of the curve of recent losses
ENOUGH = 500  # words of a point of that curve
SILENT = 15.0  # seconds without a step after which the source counts as away
LONGEST_SHOWN = 500  # characters of a document
FORGET = 0.02  # weight of the latest document in a topic's mean surprise
N_MESSAGES = 20  # latest messages kept


# Documents learned by then, and nats per word: the learner's, and of word frequencies alone.
Point = tuple[int, float, float]


class Published(NamedTuple):
    """What requests read of learning: replaced as a whole after a step, and never changed.

    A thread that reads it never waits, and all that it reads is of one moment.
    """

    topics: Reading | None = None  # None until the model is loaded
    learns: bool = False  # whether the model changes
    events: Events = Events([], None, [])  # of these topics
    losses: Sequence[Point] = ()  # over the stream, up to these topics
    n_docs: int = 0  # documents learned
    stepped: float = 0.0  # monotonic seconds of the last step
    rate: float = 0.0  # recent documents per second
    lag: Lag | None = None  # how far behind its source learning is
    skipped: Sequence[Skipped] = ()  # documents that could not be read, since the start
    points: tuple[Point, ...] = ()  # recent losses, oldest first
    latest: tuple[dict[str, Any], ...] = ()  # documents with their topics, latest first
    surprise: Floats = np.ones(0)  # (K,) mean of -log p of the latest documents
    messages: tuple[str, ...] = ()  # for the user, latest last
    saved_at: float | None = None  # Unix seconds of the last checkpoint
    n_saved: int = 0  # documents that it has
    saved_bytes: int = 0  # its size
    save_seconds: float | None = None  # that writing it took
    n_failed: int = 0  # checkpoints that could not be written
    n_reconnects: int = 0  # of the source
    not_saved: str = ""  # why the last checkpoint could not be written


class Service(Progress):
    """What one thread learns, published for any number of others.

    Parameters
    ----------
    path : path
        The model file.
    inbox : Inbox, optional
        Where posted documents go; None if they are not learned.
    """

    def __init__(self, path: Path, inbox: Inbox | None = None) -> None:
        self.path, self.inbox = path, inbox
        self.stale = 0.0  # seconds after which a checkpoint that is due counts as missing
        self.address = ""  # where it listens
        self.published = Published()
        self.ending = threading.Event()  # set when live pages must be closed
        self._renewed = (0.0, 0.0)  # when the topics were copied, and the seconds that took
        self._looked = monotonic()
        self._seen: dict[str, Any] = {}  # what was looked at in the present step
        self._counted = (monotonic(), 0)  # when the rate was found, with so many documents
        self._judged: LearnResult | None = None  # at the last point
        self._topics: TextTopics  # that are learned, for the learning thread

    # what the learning thread reports

    def publish(self, **values: Any) -> None:
        """Replace what is published by a value with some new fields; for the learning thread."""
        self.published = self.published._replace(**values)

    def begun(self, result: LearnResult) -> None:
        """Publish the initial state."""
        self._judged, self._counted = result, (monotonic(), result.topics.n_docs)
        self._topics = result.topics
        # Only the learning thread may ask for the lag.
        self.publish(n_saved=result.n_saved or 0, lag=result.reader.lag())
        self.show(result.topics, result.curve.rows())

    def show(self, topics: TextTopics, losses: Sequence[Point] = ()) -> None:
        """Answer from these topics."""
        is_first = self.published.topics is None
        topics.at("all").classify([])  # compiles the kernels before the first request
        news = self._read(topics, losses) | {"stepped": monotonic(), "n_docs": topics.n_docs}
        news |= look_at(self.path)
        self.publish(**news, surprise=np.ones(topics.learner.n_topics))
        if is_first:  # not before: the model could be refused until now
            log("listening", f"listening on {self.address}", address=self.address)

    def say(self, line: str) -> None:
        """Keep a line for the log and the page."""
        self.publish(messages=(*self.published.messages, line)[-N_MESSAGES:])
        log("message", line)

    def reading(self, block: Counted) -> None:
        """Look at some documents before they are learned, for what is published after the step."""
        now, topics, surprise = monotonic(), self.published.topics, self.published.surprise.copy()
        if topics is None or now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        latest = self.published.latest
        documents = block.documents[-N_LOOKED_AT:]
        rows = self._topics.classify(documents).rows()
        for text, row in zip(block.texts[-N_LOOKED_AT:], rows, strict=True):
            is_shown = topics.timeline.texts
            shown = printable(show_document(text))[:LONGEST_SHOWN] if is_shown else None
            latest = ({"text": shown, "time": when, **row}, *latest[: N_LATEST - 1])
            if row["p_value"] is not None:
                k = row["topic"] - 1
                surprise[k] += FORGET * (-np.log(row["p_value"]) - surprise[k])
        self._seen = {"latest": latest, "surprise": surprise}

    def stepped(self, result: LearnResult) -> None:
        """Publish what a step has changed."""
        now, n_docs = monotonic(), result.topics.n_docs
        news, self._seen = {**self._seen, "stepped": now, "n_docs": n_docs}, {}
        news["skipped"] = result.reader.problems.skipped
        (copied, took), topics = self._renewed, self.published.topics
        is_old = topics is None or topics.full.n_docs != n_docs
        if is_old and now > copied + max(RENEW, SHARE * took):
            news |= self._read(result.topics, result.curve.rows())
        counted, n_before = self._counted
        if now - counted >= RENEW:
            self._counted = (now, n_docs)
            rate = (n_docs - n_before) / (now - counted)
            news |= {"rate": rate, "lag": result.reader.lag()}
            news["n_reconnects"] = result.reader.n_reconnects
            if (point := compare(self._judged, result)) is not None:
                self._judged = result
                news["points"] = (*self.published.points, point)[-N_POINTS:]
        self.publish(**news)

    def _read(self, topics: TextTopics, losses: Sequence[Point]) -> dict[str, Any]:
        """Return a copy of the topics, with their events and losses, to be published."""
        began = monotonic()
        reading = topics.read()
        words = reading.full.vocabulary
        changes = [
            Change(
                e.n_docs,
                e.kind,
                [k + 1 for k in e.topics],
                round(float(e.moved), 4),
                [words[i] for i in e.words if i < len(words)],
            )
            for e in reading.report.events
        ]
        # without its hint at an option of a command
        findings = describe_history(reading, advises=False)
        events = Events(changes, reading.report.drifts_since, findings)
        self._renewed = (monotonic(), monotonic() - began)
        return {"topics": reading, "events": events, "losses": losses}

    def saved(self, checkpoint: Checkpoint, seconds: float) -> None:
        """Record a checkpoint that was written."""
        written = {"n_saved": checkpoint.topics.n_docs, "not_saved": "", "save_seconds": seconds}
        self.publish(**written | look_at(self.path))
        if self.inbox is not None:
            self.inbox.forget(checkpoint.topics.position)

    def not_saved(self, error: Exception) -> None:
        """Record a checkpoint that could not be written."""
        self.publish(not_saved=str(error), n_failed=self.published.n_failed + 1)

    # what requests read

    def pulse(self) -> dict[str, Any]:
        """Return what the live page shows of the present moment."""
        now = self.published
        return {
            "n_docs": now.n_docs,
            "rate": round(now.rate, 1),
            "lag": str(now.lag) if now.learns and now.lag is not None else "",
            "learns": now.learns,
            "problems": self.problems(),
            "points": now.points,
            "latest": now.latest,
            "events": [*now.events.findings, *map(describe_skipped, now.skipped), *now.messages],
        }

    def problems(self) -> list[str]:
        """Return why it is not ready to learn and answer; nothing if it is."""
        now = self.published
        if now.topics is None:
            return ["the model is not loaded yet"]
        if not now.learns:
            return []
        problems = []
        if (silent := monotonic() - now.stepped) > SILENT:
            problems.append(f"the source has not answered for {silent:.0f} s")
        if self.inbox is not None and (problem := self.inbox.problem()):
            problems.append(f"posts cannot be stored: {problem}")
        if now.not_saved:
            problems.append(f"the last checkpoint failed: {now.not_saved}")
        elif now.saved_at is not None and not os.path.exists(self.path):
            problems.append("the model file is missing; what was learned will be written again")
        age = 0.0 if now.saved_at is None else time() - now.saved_at
        if age > self.stale and now.n_docs > now.n_saved:
            problems.append(f"the last checkpoint is {age:.0f} s old")
        return problems


def compare(before: LearnResult | None, now: LearnResult) -> Point | None:
    """Return the losses since an earlier step, None if too little was predicted."""
    if before is None or before.losses is None or now.losses is None:
        return None
    n_words = now.losses.n_words - before.losses.n_words
    if n_words < ENOUGH:
        return None
    loss = now.losses.loss - before.losses.loss
    baseline = now.unigram_losses.loss - before.unigram_losses.loss
    return now.topics.n_docs, round(loss / n_words, 4), round(baseline / n_words, 4)


def look_at(path: Path) -> dict[str, float]:
    """Return what is published of the model file; nothing if it is gone already."""
    with suppress(OSError):
        status = path.stat()
        return {"saved_at": status.st_mtime, "saved_bytes": status.st_size}
    return {}


def describe_skipped(row: Skipped) -> str:
    """Return why documents were skipped, as a sentence."""
    return f"Skipped {row.documents:,}: {row.reason} (the last: {row.last})."
