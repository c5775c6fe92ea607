"""Service: what is learned, as the answers need it; told of every step by the learning thread."""

from __future__ import annotations

import sys
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, time
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.jobs import Progress
from spectralleader.jobs.learn_result import LearnResult
from spectralleader.learners.protocol import Reports
from spectralleader.reading.findings import describe_history, describe_stale_names, printable
from spectralleader.reading.snapshot import Snapshot
from spectralleader.runtime.locks import lock_of
from spectralleader.serve.inbox import Inbox
from spectralleader.serve.messages import Change
from spectralleader.storage import Checkpoint
from spectralleader.text.tokens import show_document
from spectralleader.topics.text_topics import TextTopics

RENEW = 1.0  # minimum seconds for which an answer is valid
SHARE = 20  # work that blocks learning for t seconds is repeated after SHARE * t at the earliest
N_LATEST = 30  # documents shown
N_LOOKED_AT = 10  # documents of a step that are looked at
LOOK_EVERY = 0.25  # seconds between two steps that are looked at
N_POINTS = 600  # of the curve of losses
ENOUGH = 500  # words of a point of that curve
SILENT = 15.0  # seconds without a step after which the source counts as away
LONGEST_SHOWN = 500  # characters of a document
FORGET = 0.02  # weight of the latest document in a topic's mean surprise
N_MESSAGES = 20  # latest messages kept


class Point(NamedTuple):
    """The losses of a second of learning or more, in nats per word."""

    n_docs: int  # learned by then
    loss: float
    baseline: float  # of word frequencies alone


class Service(Progress):
    """Reads what one thread learns, for any number of others.

    Parameters
    ----------
    path : path
        The model file.
    inbox : Inbox, optional
        Where posted documents go; None if they are not learned.
    """

    def __init__(self, path: Path, inbox: Inbox | None = None) -> None:
        self.path, self.inbox = path, inbox
        self.learns = False  # whether the model changes
        self.stale = 0.0  # seconds after which a checkpoint that is due counts as missing
        self.address = ""  # where it listens
        self.topics: TextTopics | None = None  # None until the model is loaded
        self.result: LearnResult | None = None  # of the last step
        self.ending = threading.Event()  # set when live pages must be closed
        self.latest: deque[dict[str, Any]] = deque(maxlen=N_LATEST)
        self.points: deque[Point] = deque(maxlen=N_POINTS)
        self.messages: deque[str] = deque(maxlen=N_MESSAGES)
        self.surprise: Floats = np.ones(0)  # (K,) mean of -log p of the latest documents
        self.history: list[Change] = []  # what happened to the topics, oldest first
        self.drifts_since: int | None = None  # documents before the drift, None without one
        self.saved_at: float | None = None  # Unix seconds of the last checkpoint
        self.n_saved = 0  # documents that it has
        self.is_save_failed = False  # whether the last checkpoint could not be written
        self.rate = 0.0  # recent documents per second
        self.lag = ""  # how far behind its source learning is, in words
        self.kind = ""  # of that source
        self._snapshot: Snapshot | None = None
        self._renewed = (0.0, 0.0)  # when the snapshot was taken, and the seconds that took
        self._stepped = self._looked = monotonic()
        self._counted = (monotonic(), 0)  # when the rate was found, with so many documents
        self._judged: LearnResult | None = None  # at the last point

    # what the learning thread reports

    def begun(self, result: LearnResult) -> None:
        """Show what there is."""
        self.show(result.topics)
        self.result = self._judged = result
        self.n_saved = result.n_saved or 0
        self.kind = getattr(result.reader, "kind", "")
        self._stepped = monotonic()
        self._counted = (self._stepped, result.topics.n_docs)
        self.lag = ask_lag(result)

    def show(self, topics: TextTopics) -> None:
        """Answer from these topics."""
        if self.path.exists():
            self.saved_at = self.path.stat().st_mtime
        self.surprise = np.ones(topics.learner.n_topics)
        self._publish(topics)
        read(self.snapshot(), [])  # compiles the kernels before the first request
        self.topics = topics
        log(f"listening on {self.address}")  # not before: it could be refused until now

    def say(self, line: str) -> None:
        """Keep a line for the log and the page."""
        self.messages.append(line)
        log(line)

    def reading(self, block: Any) -> None:
        """Look at some documents before they are learned."""
        now = monotonic()
        if now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        texts = block.texts[-N_LOOKED_AT:]
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        snapshot = self.snapshot()
        found = read(snapshot, texts)
        shows_texts = self.topics is not None and self.topics.timeline.texts
        for text, row in zip(texts, found, strict=True):
            shown = printable(show_document(text))[:LONGEST_SHOWN] if shows_texts else None
            self.latest.appendleft({"text": shown, "time": when, **row})
            if row["p_value"] is not None:
                k = row["topic"] - 1
                self.surprise[k] += FORGET * (-np.log(row["p_value"]) - self.surprise[k])

    def stepped(self, result: LearnResult) -> None:
        """Record a step."""
        self.result, self._stepped = result, monotonic()
        # Between steps, so that no reader waits for the learner.
        when, took = self._renewed
        is_old = self._stepped > when + max(RENEW, SHARE * took)
        if is_old and self.snapshot().n_docs != result.topics.n_docs:
            self._publish(result.topics)
        (began, n_before), n_docs = self._counted, result.topics.n_docs
        if (seconds := self._stepped - began) < RENEW:
            return
        self.rate = (n_docs - n_before) / seconds
        self._counted = (self._stepped, n_docs)
        self.lag = ask_lag(result)
        if (point := compare(self._judged, result)) is not None:
            self._judged = result
            self.points.append(point)

    def _publish(self, topics: TextTopics) -> None:
        """Keep what answers read: both wait for the learner, so the learning thread asks."""
        began, learner = monotonic(), topics.learner
        self._snapshot = topics.snapshot()
        if isinstance(learner, Reports):
            self.drifts_since = learner.drifts_since
            self.history = [
                Change(e.n_docs, e.kind, [k + 1 for k in e.topics], round(float(e.moved), 4))
                for e in learner.events
            ]
        self._renewed = (monotonic(), monotonic() - began)

    def saved(self, checkpoint: Checkpoint) -> None:
        """Record a checkpoint that was written."""
        self.saved_at, self.n_saved = time(), checkpoint.topics.n_docs
        self.is_save_failed = False
        if self.inbox is not None:
            self.inbox.forget(checkpoint.topics.position)

    def not_saved(self, error: Exception) -> None:
        """Record a checkpoint that could not be written."""
        self.is_save_failed = True

    # what answers read

    def snapshot(self) -> Snapshot:
        """Return the topics as they were about a second ago at most."""
        assert self._snapshot is not None
        return self._snapshot

    def findings(self) -> list[str]:
        """Return the events in words; waits for the end of a step."""
        if self.topics is None:
            return []
        with lock_of(self.topics):  # the timeline, too, is as it is between two steps
            # without its hint at an option of a command
            return [*describe_history(self.topics, recent=True), *describe_stale_names(self.topics)]

    def pulse(self) -> dict[str, Any]:
        """Return what the live page shows of the present moment."""
        assert self.topics is not None
        return {
            "n_docs": self.topics.n_docs,
            "rate": round(self.rate, 1),
            "lag": self.lag if self.learns else "",
            "learns": self.learns,
            "problems": self.problems(),
            "points": list(self.points),
            "latest": list(self.latest),
            "events": [*self.findings(), *self.messages],
        }

    def problems(self) -> list[str]:
        """Return why it is not ready to learn and answer; nothing if it is."""
        if self.topics is None:
            return ["the model is not loaded yet"]
        if not self.learns:
            return []
        found = []
        if (silent := monotonic() - self._stepped) > SILENT:
            found.append(f"the source has not answered for {silent:.0f} s")
        if self.inbox is not None and (problem := self.inbox.problem()):
            found.append(f"posts cannot be stored: {problem}")
        if self.is_save_failed:
            found.append("the last checkpoint failed; the log says why")
        age = 0.0 if self.saved_at is None else time() - self.saved_at
        if age > self.stale and self.topics.n_docs > self.n_saved:
            found.append(f"the last checkpoint is {age:.0f} s old")
        return found


def ask_lag(result: LearnResult) -> str:
    """Return how far behind its source learning is, which only the learning thread may ask."""
    describe = getattr(result.reader, "describe", None)
    return "" if describe is None else str(describe())


def compare(before: LearnResult | None, now: LearnResult) -> Point | None:
    """Return the losses since an earlier step, None if too little was predicted."""
    if before is None or before.losses is None or now.losses is None:
        return None
    n_words = now.losses.n_words - before.losses.n_words
    if n_words < ENOUGH:
        return None
    loss = now.losses.loss - before.losses.loss
    baseline = now.unigram_losses.loss - before.unigram_losses.loss
    return Point(now.topics.n_docs, round(loss / n_words, 4), round(baseline / n_words, 4))


def log(line: str) -> None:
    """Print a line to standard error."""
    print(f"spectralleader: {line}", file=sys.stderr, flush=True)


def read(snapshot: Snapshot, texts: list[Any]) -> list[dict[str, Any]]:
    """Return the likeliest topic (from 1), its probability and the p-value of each document.

    A document without known words has no topic.
    """
    return snapshot.classify(texts).rows()
