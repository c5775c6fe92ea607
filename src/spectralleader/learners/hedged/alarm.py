"""Alarm: whether documents have become less probable than those before, with rare false alarms."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import floats, whole
from spectralleader.documents import Documents
from spectralleader.em.background import Background
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.models import TopicModel

N_PAST = 4000  # scores that later ones are ranked among
BATCH = 10  # documents that are ranked together: a tenth of the time of one at a time
# What a rank wins on average is lower by this much than in a fair game. Slow drift, as of any
# stream of text, is then no alarm: 60,000 election tweets raise none.
COST = 0.1
# Scores that differ by less, in nats per word, are equal: learning moves the score of a document
# that is frequent by some 1e-4, and all its copies would then rank below those of the past.
TIE = 0.02
LOWEST = -1e6  # score of a document that the topics rule out: stored scores are finite
MOST_WORDS, MOST_TOPICS = 5, 3  # named in an event
LEAST_SHARE = 0.1  # of the documents since a change, of a topic that is named
PAIR = ((0, 1),)  # columns of what a rank wins, and of nothing


class Alarm(Saved):
    """Detects that documents are less probable, per word, than they used to be.

    A document's score is ranked among those of ``N_PAST`` earlier documents. The rank is a p-value,
    uniform while documents are like the past, and ``p**-0.5 / 2 - 1`` is a fair game: `Drift` bets
    on it, with its stated mean number of documents to a false alarm.

    The past is renewed when as many later scores are known. After a change that stays, documents
    are therefore soon like the past again, and the alarm ends.

    Examples
    --------
    >>> alarm, scores = Alarm(), np.random.default_rng(0).normal(-7.0, 1.0, 9000)
    >>> alarm.update(scores)
    >>> alarm.since is None
    True
    >>> alarm.update(scores[:100] - 3.0)
    >>> alarm.since
    8999
    """

    saved = fields(
        past=field(floats, shape=(None,)),
        latest=field(floats, shape=(N_PAST,)),
        n_latest=field(whole, most=N_PAST - 1),
        n_ranked=field(whole, most=lambda known: known["n_latest"]),
        began=whole,
        bets=field(Drift, pairs=lambda known: PAIR),
    )

    def __init__(self, n_docs: int = 0, settings: Settings = SETTINGS) -> None:
        self.past: Floats = np.empty(0)  # sorted; empty until enough scores are known
        self.latest: Floats = np.zeros(N_PAST)  # room for the scores since then
        self.n_latest = self.n_ranked = 0  # how many there are; the last ones wait for a batch
        self.began = n_docs  # documents before the first of them
        self.bets = Drift(PAIR, n_docs, settings)

    @property
    def since(self) -> int | None:
        """Estimated number of documents before the change; None without an alarm."""
        return self.bets.alarmed_since if self.bets.is_alarmed else None

    def update(self, scores: Floats) -> None:
        """Rank the scores of the next documents, and bet on their ranks."""
        while len(scores):
            now, scores = np.split(scores, [N_PAST - self.n_latest])
            room = self.latest[self.n_latest : self.n_latest + len(now)]
            np.maximum(now, LOWEST, out=room)
            self.n_latest += len(now)
            is_full = self.n_latest == N_PAST
            if is_full or self.n_latest - self.n_ranked >= BATCH:
                self._bet()
            if is_full:
                self.past, self.began = np.sort(self.latest), self.began + N_PAST
                self.n_latest = self.n_ranked = 0

    def _bet(self) -> None:
        fresh = self.latest[self.n_ranked : self.n_latest]
        if len(self.past):
            # The middle of the ranks of equal scores wins no more than a random one would.
            ranks = np.searchsorted(self.past, fresh - TIE)
            ranks += np.searchsorted(self.past, fresh + TIE, "right")
            p = 0.5 * (ranks + 1.0) / (N_PAST + 1.0)
            gains = 0.5 / np.sqrt(p) - 1.0 - COST
            columns = np.stack([gains, np.zeros(len(gains))], axis=1)
            self.bets.update(columns, self.began + self.n_ranked)
        self.n_ranked = self.n_latest

    def _loaded(self) -> None:
        if len(self.past) not in (0, N_PAST) or (np.diff(self.past) < 0.0).any():
            raise ValueError(f"past must be {N_PAST} scores in order, or none")


class New(TypedDict):
    """What is more frequent since a change: ids of words, numbers of topics."""

    words: tuple[int, ...]
    topics: tuple[int, ...]


def what_is_new(fresh: Documents, model: TopicModel, background: Background) -> New:
    """Return the words and topics that the documents since a change have more often than before.

    Words are ranked by their contribution to the divergence of the word frequencies.
    """
    counts = np.bincount(fresh.words, fresh.counts, minlength=fresh.n_words)
    expected = counts.sum() / background.n_seen * background.seen
    gains = counts * np.log(np.maximum(counts, 1.0) / expected)
    shares = model.posterior(fresh).mean(axis=0)
    is_more = shares > np.maximum(LEAST_SHARE, 2.0 * model.weights)
    words, topics = np.argsort(-gains)[:MOST_WORDS], np.argsort(-shares)[:MOST_TOPICS]
    named = words[gains[words] > 0.0], topics[is_more[topics]]
    return New(words=tuple(named[0].tolist()), topics=tuple(named[1].tolist()))
