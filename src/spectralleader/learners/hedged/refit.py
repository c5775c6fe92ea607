"""Refit: updates the topics that people read, rarely replaces them, and records the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

import numpy as np

from spectralleader.arrays import Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import check_same, whole
from spectralleader.documents import Documents
from spectralleader.em.statistics import Statistics, match, read_off
from spectralleader.learners.events import MOST_EVENTS, Event, EventKind
from spectralleader.learners.hedged.experts import ALL, RECENT, Experts
from spectralleader.learners.hedged.race import Outcome, race, restart_topics
from spectralleader.learners.hedged.sample_topics import AveragedTopics, SampleTopics, count_used
from spectralleader.learners.hedged.schedule import Compare, Race, Rescue, Schedule, Search
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.samples import Reservoir, Window
from spectralleader.samples.subsamples import interleave, take_in_turns


class Refit(Saved):
    """The topics of a reservoir and of a window of documents, and how they are replaced.

    Early races compare new starts whenever the stream has grown by half. Later, a newcomer replaces
    the topics only if it is better by a margin. After a suspected change, the window's topics are
    refitted to the documents since then.
    """

    saved = fields(
        overall=SampleTopics,
        recent=SampleTopics,
        schedule=Schedule,
        averaged=field(AveragedTopics, optional=True),
        events=field(Event, many=True),
        n_races=whole,
        changed=whole,
    )

    def __init__(
        self, experts: Experts, reservoir_size: int, seed: int, settings: Settings = SETTINGS
    ) -> None:
        self._experts, self._settings = experts, settings
        self.n_topics, self.seed = experts.estimates.n_topics, seed
        self.schedule = Schedule(self.n_topics, reservoir_size, settings)
        n_words = len(experts.background.seen)
        self.overall = self._topics_of(Reservoir(reservoir_size, n_words=n_words, seed=seed))
        self.recent = self._topics_of(Window(self.schedule.window_size, n_words=n_words))
        self.averaged: AveragedTopics | None = None  # None: few documents, or new topics
        self.events: list[Event] = []
        self.n_races = 0  # including searches, and one for every merge
        self.changed = 0  # documents before the last change that the topics of the window noticed

    def _topics_of(self, sample: Reservoir | Window) -> SampleTopics:
        """Return the topics of a sample, whose documents have no posteriors until a restart."""
        return SampleTopics(sample, self._experts, self._settings)

    def _forget_all_but(self, latest: Documents) -> None:
        """Let the window hold these documents alone."""
        window = Window(self.window.capacity, n_words=self.window.n_words)
        window.add(latest)
        self.recent = self._topics_of(window)

    @property
    def reservoir(self) -> Reservoir:
        """The sample of all documents."""
        return cast("Reservoir", self.overall.sample)

    @property
    def window(self) -> Window:
        """The last documents; after a change, those since."""
        return cast("Window", self.recent.sample)

    def learn(self, block: Documents) -> None:
        """Add a mini-batch to the samples, and update their topics by incremental EM."""
        n_visits = self.schedule.n_visits(self.reservoir.n_seen)
        self.overall.learn(block, n_visits)
        self.recent.learn(block, self._settings.n_recent_visits)

    def renew(self, suspected: int | None, outdated: int | None = None) -> bool:
        """Run the refit that is due; return whether the reservoir's topics were replaced.

        `suspected` and `outdated` are as in `Schedule.due`.
        """
        n, is_new = self.reservoir.n_seen, False
        topics = self._has_collapsed, self._is_failing
        match self.schedule.due(n, suspected, outdated, *topics):
            case Race(margin, is_late):
                is_new = self._race(margin, is_late=is_late)
            case Rescue():
                is_new = self._rescue()
            case Search(n_fresh):
                self._search(n_fresh)
            case Compare():
                self._compare()
        if self.schedule.is_checked(n, always=self.averaged is None):
            self._update_average(n)
        return is_new

    def _is_failing(self) -> bool:
        """Whether the topics fail the latest documents by so much that early races are too few."""
        return self._experts.is_outdated(self._settings.failing)

    def _has_collapsed(self) -> bool:
        """Whether far fewer topics are in use than the documents can fill."""
        n_fillable = self.schedule.n_fillable(self.reservoir.n_seen)
        return self.overall.n_used < self._settings.collapsed * n_fillable

    def _race(self, margin: float, *, is_late: bool) -> bool:
        """Race new starts on part of the reservoir; return whether one of them won."""
        # Before the first race all topics are equal, and there is nothing to defend.
        incumbents = [self.overall.statistics] if self.n_races else []
        outcome = self._run(self._draw(), incumbents, margin)
        if outcome.is_new:
            self._adopt(outcome, EventKind.REPLACED if is_late else None)
        elif not is_late:
            self.overall.strength = outcome.strength
        self._experts.restart()
        return outcome.is_new

    def _rescue(self) -> bool:
        """Race new starts, without a defender; return whether they use more of the topics.

        Of documents that have few topics, no start does.
        """
        subset, n_used = self._draw(), self.overall.n_used
        outcome = self._run(subset, [])
        smoothing = self._experts.background.smoothing(outcome.strength)
        posterior = read_off(outcome.winner.columns, smoothing).posterior(subset)
        # Rounded like those of the samples: copies of a topic are then equal, and count as one.
        if count_used(posterior.astype(np.float32), self._settings.used) <= n_used:
            return False
        self._adopt(outcome, EventKind.RESCUED, n_used)
        self._experts.restart()
        return True

    def _draw(self, rng: np.random.Generator | None = None) -> Documents:
        """Return remembered documents for a race."""
        # Seeded by the number of the race: a resumed run draws the same documents.
        rng = rng or np.random.default_rng([self.seed, self.n_races])
        most = max(self._settings.raced, self._settings.raced_per_topic * self.n_topics)
        return self.reservoir.view.gather(rng.permutation(len(self.reservoir))[:most])

    def _adopt(self, outcome: Outcome, kind: EventKind | None, n_used: int = 0) -> None:
        """Replace the topics of all documents, as an event if that is to be noted."""
        n = self.reservoir.n_seen
        self.overall.strength = outcome.strength
        moved = self.overall.restart(outcome.winner.columns)
        # It has the same documents, or, if it is smaller than the first block, no topics yet.
        if len(self.window) == n or not self.recent.statistics.totals[0].any():
            self.recent.strength = outcome.strength
            self.recent.restart(outcome.winner.columns)
        if kind is not None:
            self.note(Event(n, kind, tuple(range(self.n_topics)), moved, n_used))
        # An average must not mix the topics of two different fits.
        self.averaged = None

    def _run(
        self,
        documents: Documents,
        incumbents: Sequence[Statistics],
        margin: float = 0.0,
        *,
        thorough: bool = True,
    ) -> Outcome:
        """Race for topics and the strength of their smoothing."""
        self.n_races += 1
        how = self._experts.background, [self.seed, self.n_races, 1], self._settings, margin
        return race(documents, self.n_topics, incumbents, *how, thorough=thorough)

    def note(self, event: Event) -> None:
        """Record an event."""
        self.events = [*self.events, event][-MOST_EVENTS:]

    def _search(self, n_fresh: int) -> None:
        """Refit the window's topics on the last n_fresh documents."""
        fresh, shortest = self.window.last(n_fresh), self._experts.table.shortest
        forgetting = self._experts.estimates.view(shortest)
        incumbents = [self.recent.statistics, self.overall.statistics, forgetting]
        # Without a spectral start: half of the time of a search, and 0.05 % of L1 at the most.
        outcome = self._run(fresh, incumbents, thorough=False)
        # Documents from before the change leave the window at once.
        self._forget_all_but(fresh)
        self.recent.strength = outcome.strength
        # Numbered like the reservoir's topics, so that `recent` can be compared with `model`.
        order = match(outcome.winner, self.overall.statistics)
        self.recent.restart(outcome.winner.reorder(order).columns)
        self.recent.close(self.recent.is_dead)
        self._experts.restart()

    def _compare(self) -> None:
        """Restart the window's topics from the reservoir's if these predict better."""
        if self._experts.loss(RECENT) > self._experts.loss(ALL):
            self.recent.strength = self.overall.strength
            # Not renumbered: the start already has the numbers of the reservoir's topics.
            start, smoothing = self.overall.columns, self.recent.smoothing
            self.recent.restart(start, n_passes=1, smoothing=smoothing, renumber=False)
        self.recent.close(self.recent.is_dead)
        self._experts.restart()

    def _update_average(self, n: int) -> None:
        """Update the averaged topics; until they are settled, they are the current ones."""
        # An average must not mix topics before and after some of them were restarted or closed.
        averaged = None if self._tend(n) else self.averaged
        current, background = self.overall.statistics, self._experts.background
        if averaged is None or not self.schedule.is_settled:
            current = current.copy()
        else:
            current = averaged.average(current, n, self._settings.inertia)
        self.averaged = AveragedTopics(current, background, self.overall.read_strength, n)

    def _tend(self, n: int) -> bool:
        """Restart dead topics if there are documents for them; return whether topics changed.

        The others are closed: copies of a topic, or of the background, would only mislead readers.
        """
        overall, is_dead = self.overall, self.overall.is_dead
        n_missing = self.schedule.n_fillable(n) - int(np.count_nonzero(~is_dead))
        if not self.schedule.is_revival_due(n, n_missing):
            return overall.close(is_dead)
        dead = np.flatnonzero(is_dead)[:n_missing]
        start, rng = overall.statistics.copy(), np.random.default_rng([self.seed, n])
        restart_topics(start, dead, self.reservoir.view, overall.smoothing, rng)
        # One pass: five would move half as many documents again, for 0.1 % of the likelihood.
        moved = overall.restart(start.columns, n_passes=1)
        # Documents of few topics have no use for more: that is no event.
        revived = tuple(dead[~overall.is_dead[dead]].tolist())
        if self.schedule.is_settled and revived:
            self.note(Event(n, EventKind.RESTARTED, revived, moved))
        return True

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

    def merge(self, others: Sequence[Self], rng: np.random.Generator) -> None:
        """Merge the samples, and race on them with all topics as incumbents.

        The experts must be merged before.
        """
        # Before the reservoirs are merged, which changes how many documents this one has seen.
        latest = self.latest(others, rng)
        self.reservoir.merge([other.reservoir for other in others], rng)
        self.overall = self._topics_of(self.reservoir)
        self._forget_all_but(latest)
        incumbents = [one.overall.statistics for one in (self, *others)]
        outcome = self._run(self._draw(rng), incumbents)
        # The numbers of the first learner are kept.
        winner = outcome.winner.reorder(match(outcome.winner, incumbents[0]))
        for topics in (self.overall, self.recent):
            topics.strength = outcome.strength
            topics.restart(winner.columns)
        self.averaged = None
        self.schedule.raced(self.reservoir.n_seen)
        self._experts.restart()

    def recode(self, new_ids: Ints | None, n_words: int) -> None:
        """Renumber the words of the samples, of the averaged topics and of events."""
        self.events = [event.recode(new_ids) for event in self.events]
        self.reservoir.recode(new_ids, n_words)
        self.window.recode(new_ids, n_words)
        if self.averaged is not None:
            self.averaged.recode(new_ids, n_words)

    def _loaded(self) -> None:
        if any(k >= self.n_topics for event in self.events for k in event.topics):
            raise ValueError(f"events must be of the {self.n_topics} topics")
        for sample, kind in ((self.overall.sample, Reservoir), (self.recent.sample, Window)):
            if type(sample) is not kind:
                raise ValueError("the samples must be a reservoir and a window")
        check_same("capacity of the window", self.window.capacity, self.schedule.window_size)
