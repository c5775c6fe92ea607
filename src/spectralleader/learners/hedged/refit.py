"""Refit: updates the topics that people read, rarely replaces them, and records the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.states import (
    MOST,
    check_same,
    floats,
    part,
    parts,
    take,
    whole,
)
from spectralleader.documents import Documents
from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics, match
from spectralleader.learners.hedged.averaged_topics import AveragedTopics
from spectralleader.learners.hedged.background import LEAST
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.events import CHANGED, Event, with_event
from spectralleader.learners.hedged.experts import ALL, RECENT, SAMPLE_NAMES, Experts, own_column
from spectralleader.learners.hedged.race import ENOUGH, Outcome, race
from spectralleader.learners.hedged.revival import restart_topic
from spectralleader.learners.hedged.sample_em import SampleEM
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.samples import Reservoir, Window, sample_to_state
from spectralleader.samples.interleaving import interleave, take_in_turns

COUNTERS = (
    *("n_races", "_n_raced", "_next_race", "_since", "_next_fresh"),
    *("_n_compared", "_next_revival", "changed", "_n_searched"),
)


def next_race(n_docs: int, n_topics: int, *, is_settled: bool) -> int:
    """Return the number of documents at which the next race is due."""
    if is_settled or n_docs < n_topics:
        return SETTINGS.late_growth * n_docs
    growth = SETTINGS.first_growth if n_docs < SETTINGS.first else SETTINGS.growth
    return int(np.ceil(growth * n_docs))


class Refit:
    """A reservoir and a window of documents, their topics, and the schedule of refits.

    Early races compare new starts whenever the stream has doubled. Later, a newcomer replaces the
    topics only if it is better by a margin. After a suspected change, the window's topics are
    refitted to the documents since then.
    """

    def __init__(self, n_topics: int, n_words: int, reservoir_size: int, seed: int) -> None:
        self.n_topics, self.seed = n_topics, seed
        self.reservoir = Reservoir(reservoir_size, n_words=n_words, seed=seed)
        # many times smaller than the reservoir, so that the two differ
        size = max(1, min(SETTINGS.window, reservoir_size // 4))
        self.window = Window(size, n_words=n_words)
        self._make_sample_ems()
        self.averaged: AveragedTopics | None = None  # None: few documents, or new topics
        # words of background in the topics of each sample; 0: not chosen yet
        self.strengths = [0.0 for _ in SAMPLE_NAMES]
        self.events: list[Event] = []
        self.n_races = 0
        self._n_raced = 0  # documents at the last race
        self._next_race = 1
        self._since = 0  # documents before the change that is looked into
        self._next_fresh = self._min_fresh  # documents since a change, at the next search
        self._n_searched = 0  # documents of all searches so far
        self._n_compared = 0  # documents when the window's topics were last compared
        self._next_revival = 0
        self.changed = 0  # documents before the last change that was noted

    def _make_sample_ems(self) -> None:
        self.sample_ems = [
            SampleEM(self.reservoir, self.n_topics, keeps=True),
            SampleEM(self.window, self.n_topics, keeps=False),
        ]

    @property
    def is_settled(self) -> bool:
        """Whether races replace the topics only by a margin from now on."""
        return self._n_raced >= SETTINGS.early

    @property
    def _max_raced(self) -> int:
        return SETTINGS.raced[self.n_topics <= SETTINGS.many]

    @property
    def _min_fresh(self) -> int:
        return max(SETTINGS.fresh, ENOUGH * self.n_topics)

    def learn(self, block: Documents, experts: Experts) -> None:
        """Add a mini-batch to the samples, and update their topics by incremental EM."""
        visits = (SETTINGS.n_visits, SETTINGS.n_recent_visits)
        for e, sample_em in enumerate(self.sample_ems):
            sample_em.learn(block, experts.columns(e), self.smoothing(e, experts), visits[e])

    def smoothing(self, estimate: int, experts: Experts) -> Smoothing:
        """Return the smoothing of an estimate's topics."""
        return experts.smoothing(self.strengths[estimate] or SETTINGS.tried[0] * experts.n_words)

    def renew(self, experts: Experts, drift: Drift) -> bool:
        """Run the refits that are due; return whether the reservoir's topics were replaced."""
        n, is_new = self.reservoir.n_seen, False
        if n >= self._next_race:
            is_new = self._race(experts)
            self._next_race = next_race(n, self.n_topics, is_settled=self.is_settled)
        # At most one of the refits per block: each restarts topics and experts.
        elif not self._seek_change(experts, drift):
            self._compare(experts)
        if self.is_settled:
            self._update_average(experts)
        return is_new

    def _race(self, experts: Experts) -> bool:
        """Race new starts on part of the reservoir; return whether one of them won."""
        n, remembered = self.reservoir.n_seen, self.reservoir.view
        # Seeded by the number of the race: a resumed run draws the same documents.
        rng = np.random.default_rng([self.seed, self.n_races])
        subset = remembered.gather(rng.permutation(len(self.reservoir))[: self._max_raced])
        # Before the first race all topics are equal, and there is nothing to defend.
        incumbents = [experts.estimates.view(ALL)] if self.n_races else []
        margin = SETTINGS.margin if self.is_settled else 0.0
        others = () if self.is_settled else SETTINGS.tried
        outcome = self._run(subset, incumbents, ALL, experts, margin, others)
        self.strengths[ALL] = outcome.strength
        if outcome.incumbent < 0:
            moved = self._restart(ALL, outcome.winner, experts)
            if len(self.window) == n:  # it has the same documents
                self.strengths[RECENT] = outcome.strength
                self._restart(RECENT, outcome.winner, experts)
            if self.is_settled:
                self._note("replaced by a newcomer", range(self.n_topics), moved)
            # An average must not mix the topics of two different fits.
            self.averaged = None
        self._n_raced = n
        experts.restart()
        return outcome.incumbent < 0

    def _run(
        self,
        documents: Documents,
        incumbents: Sequence[Statistics],
        estimate: int,
        experts: Experts,
        margin: float = 0.0,
        tried: Sequence[float] = SETTINGS.tried,
        *,
        spectral: bool = True,
    ) -> Outcome:
        """Race for the topics of an estimate and the strength of their smoothing."""
        self.n_races += 1
        smoothing, seed = self.smoothing(estimate, experts), [self.seed, self.n_races, 1]
        how = (smoothing, seed, margin, tried)
        return race(documents, self.n_topics, incumbents, *how, spectral=spectral)

    def _restart(
        self,
        estimate: int,
        start: Statistics,
        experts: Experts,
        n_passes: int = SETTINGS.n_passes,
    ) -> float:
        columns, smoothing = experts.columns(estimate), self.smoothing(estimate, experts)
        return self.sample_ems[estimate].restart(start.columns, columns, smoothing, n_passes)

    def _note(self, what: str, topics: Sequence[int], moved: float) -> None:
        event = Event(self.reservoir.n_seen, what, tuple(topics), moved)
        self.events = with_event(self.events, event)

    def note_change(self, since: int) -> None:
        """Record once that the stream has changed since document `since`."""
        if since > self.changed:
            self.changed = since
            self.events = with_event(self.events, Event(since, CHANGED, (), 0.0))

    def _seek_change(self, experts: Experts, drift: Drift) -> bool:
        """Refit the window's topics on the documents since a change, if there was one."""
        since = drift.suspected_since
        n_fresh = self.reservoir.n_seen - (since or 0)
        # A window that holds only documents since the change follows it by its visits.
        if since is None or n_fresh >= self.window.capacity:
            self._next_fresh = self._min_fresh
            return False
        if since != self._since:
            self._since, self._next_fresh = since, self._min_fresh
        # A share of the stream: with continual drift, one search would follow the other.
        n_searched = self._n_searched + n_fresh
        if n_fresh < self._next_fresh or n_searched > SETTINGS.searched * self.reservoir.n_seen:
            return False
        self._n_searched = n_searched
        fresh = self.window.last(n_fresh)
        # The third is the EM with the shortest memory.
        incumbents = [experts.estimates.view(e) for e in (RECENT, ALL, len(SAMPLE_NAMES))]
        # Without a spectral start: half of the time of a search, and 0.05 % of L1 at the most.
        outcome = self._run(fresh, incumbents, RECENT, experts, spectral=False)
        winner, self.strengths[RECENT] = outcome.winner, outcome.strength
        # Documents from before the change leave the window at once.
        self.window = Window(self.window.capacity, n_words=self.window.n_words)
        self.window.add(fresh)
        self.sample_ems[RECENT] = SampleEM(self.window, self.n_topics, keeps=False)
        # Numbered like the reservoir's topics, so that `recent` can be compared with `model`.
        winner = winner.reorder(match(winner, experts.estimates.view(ALL)))
        self._restart(RECENT, winner, experts)
        # Doubling: the searches after one change together cost at most twice the last one.
        self._next_fresh = 2 * n_fresh
        experts.restart()
        return True

    def _compare(self, experts: Experts) -> None:
        """Restart the window's topics from the reservoir's if these predict better."""
        n = self.reservoir.n_seen
        if n - self._n_compared >= self.window.capacity:
            self._n_compared = n
            if experts.losses[own_column(RECENT)] > experts.losses[own_column(ALL)]:
                leading, columns = experts.columns(ALL), experts.columns(RECENT)
                self.strengths[RECENT] = self.strengths[ALL]
                # Not renumbered: the start already has the numbers of the reservoir's topics.
                args = (leading, columns, self.smoothing(RECENT, experts))
                self.sample_ems[RECENT].restart(*args, n_passes=1, renumber=False)
            experts.restart()

    def _update_average(self, experts: Experts) -> None:
        """Update the averaged topics if the stream has grown by a step."""
        n, averaged = self.reservoir.n_seen, self.averaged
        if averaged is not None and not averaged.is_due(n):
            return
        now = (experts.background, self.smoothing(ALL, experts).strength, n)
        if averaged is None:
            self.averaged = AveragedTopics(experts.estimates[ALL], *now)
        else:
            # Before the average moves, so that it includes the restarted topic.
            self._revive(experts)
            self.averaged = averaged.updated(experts.estimates.view(ALL), *now)

    def _revive(self, experts: Experts) -> None:
        """Restart a dead topic from the documents with the lowest likelihood per word."""
        n, n_of_each = self.reservoir.n_seen, experts.estimates.view(ALL).totals[0]
        dead, even = int(n_of_each.argmin()), float(n_of_each.mean())
        if n < self._next_revival or n_of_each[dead] >= SETTINGS.dead * even:
            return
        # At most one restart per doubling of the stream: topics that people read should be stable.
        self._next_revival = 2 * n
        start = experts.estimates[ALL]
        restart_topic(start, dead, self.reservoir.view, self.smoothing(ALL, experts))
        # One pass: five would move half as many documents again, for 0.1 % of the likelihood.
        moved = self._restart(ALL, start, experts, n_passes=1)
        self._note("had died, and was restarted", [dead], moved)

    def latest(self, others: Sequence[Self], rng: np.random.Generator) -> Documents:
        """Return the most recent documents of several streams, interleaved."""
        everyone = (self, *others)
        turns = interleave([one.reservoir.n_seen for one in everyone], self.window.capacity, rng)
        newest = []
        for i, one in enumerate(everyone):
            newest.append(one.window.last(int((turns == i).sum())))
            too_many = np.flatnonzero(turns == i)[newest[i].n_docs :]  # after a change it is small
            turns = np.delete(turns, too_many)
        return take_in_turns(newest, turns)

    def merge(
        self,
        others: Sequence[Self],
        their_experts: Sequence[Experts],
        experts: Experts,
        rng: np.random.Generator,
    ) -> None:
        """Merge the samples, and race on them with all topics as incumbents.

        The experts must be merged before.
        """
        # Before the reservoirs are merged, which changes how many documents this one has seen.
        latest = self.latest(others, rng)
        self.reservoir.merge([other.reservoir for other in others], rng)
        self.window = Window(self.window.capacity, n_words=self.window.n_words)
        self.window.add(latest)
        self._make_sample_ems()
        incumbents = [one.estimates.view(ALL) for one in (experts, *their_experts)]
        order = rng.permutation(len(self.reservoir))[: self._max_raced]
        outcome = self._run(self.reservoir.view.gather(order), incumbents, ALL, experts)
        winner, self.strengths = outcome.winner, [outcome.strength for _ in SAMPLE_NAMES]
        # The numbers of the first learner are kept.
        winner = winner.reorder(match(winner, incumbents[0]))
        for estimate in (ALL, RECENT):
            self._restart(estimate, winner, experts)
        n = self.reservoir.n_seen
        self._n_raced, self.averaged = n, None
        self._next_race = next_race(n, self.n_topics, is_settled=self.is_settled)
        experts.restart()

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the samples and of the averaged topics."""
        self.reservoir.recode(new_ids, n_words)
        self.window.recode(new_ids, n_words)
        if self.averaged is not None:
            self.averaged.recode(new_ids, n_words)

    def to_state(self) -> dict[str, Any]:
        """Return the state."""
        return {
            **{name: getattr(self, name) for name in COUNTERS},
            "samples": [sample_to_state(sample) for sample in (self.reservoir, self.window)],
            "followed": [sample_em.to_state() for sample_em in self.sample_ems],
            "shown": None if self.averaged is None else self.averaged.to_state(),
            "strengths": np.array(self.strengths),
            "events": [event.to_state() for event in self.events],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore what `to_state` described, of the same size."""
        state = {"_n_searched": 0, **state}  # missing in the first files
        for name in COUNTERS:
            setattr(self, name, whole(state, name))
        samples = parts(state, "samples", len(SAMPLE_NAMES))
        reservoir, window = Reservoir.from_state(samples[0]), Window.from_state(samples[1])
        for mine, sample in ((self.reservoir, reservoir), (self.window, window)):
            check_same("capacity of a sample", sample.capacity, mine.capacity)
            check_same("n_words of a sample", sample.n_words, mine.n_words)
        self.reservoir, self.window = reservoir, window
        self._make_sample_ems()
        for sample_em, one in zip(self.sample_ems, parts(state, "followed", 2), strict=True):
            sample_em.load_state(one)
        n_words = reservoir.n_words
        self.strengths = floats(state, "strengths", (len(SAMPLE_NAMES),), 0.0, MOST).tolist()
        if any(0.0 < strength < LEAST for strength in self.strengths):
            raise ValueError(f"strengths must be 0 or at least {LEAST}, got {self.strengths}")
        self.averaged = None
        if take(state, "shown") is not None:
            self.averaged = AveragedTopics.from_state(part(state, "shown"), self.n_topics, n_words)
        self.events = [Event.from_state(one, self.n_topics) for one in parts(state, "events")]
