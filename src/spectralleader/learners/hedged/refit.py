"""Refit: updates the topics that people read, rarely replaces them, and records the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

import numpy as np

from spectralleader.arrays import Flags, Floats, Ints
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import (
    MOST,
    check_same,
    floats,
    whole,
)
from spectralleader.documents import Documents
from spectralleader.em.columns import Smoothing
from spectralleader.em.statistics import Statistics, match
from spectralleader.learners.events import MOST_EVENTS, Event, EventKind
from spectralleader.learners.hedged.background import LEAST, AveragedTopics, fit_strength
from spectralleader.learners.hedged.drift import Drift
from spectralleader.learners.hedged.experts import ALL, RECENT, SAMPLE_NAMES, Experts, own_column
from spectralleader.learners.hedged.race import (
    ENOUGH,
    Outcome,
    count_used,
    find_dead,
    n_open,
    n_used_by,
    race,
    restart_topics,
)
from spectralleader.learners.hedged.sample_em import SampleEM
from spectralleader.learners.hedged.settings import SETTINGS
from spectralleader.samples import Reservoir, Window
from spectralleader.samples.subsamples import interleave, take_in_turns


def next_race(n_docs: int, n_topics: int, *, is_settled: bool) -> int:
    """Return the number of documents at which the next race is due."""
    if is_settled or n_docs < n_topics:
        return SETTINGS.late_growth * n_docs
    soon = int(np.ceil(SETTINGS.growth * n_docs))
    # The last early race has `early` documents; topics are settled after it.
    return min(soon, SETTINGS.early) if n_docs < SETTINGS.early else soon


class Refit(Saved):
    """A reservoir and a window of documents, their topics, and the schedule of refits.

    Early races compare new starts whenever the stream has grown by half. Later, a newcomer replaces
    the topics only if it is better by a margin. After a suspected change, the window's topics are
    refitted to the documents since then.
    """

    saved = fields(
        sample_ems=field(SampleEM, many=True, count=len(SAMPLE_NAMES)),
        averaged=field(AveragedTopics, optional=True),
        strengths=field(floats, shape=(len(SAMPLE_NAMES),), least=0.0, most=MOST),
        events=field(Event, many=True),
        n_races=whole,
        changed=whole,
        _n_raced=whole,
        _next_race=whole,
        _since=whole,
        _next_fresh=whole,
        _next_check=whole,
        _n_compared=whole,
        _next_revival=whole,
        _next_rescue=whole,
        _n_searched=whole,
    )

    def __init__(self, n_topics: int, n_words: int, reservoir_size: int, seed: int) -> None:
        self.n_topics, self.reservoir_size, self.seed = n_topics, reservoir_size, seed
        # many times smaller than the reservoir, so that the two differ
        size = max(1, min(SETTINGS.window, reservoir_size // 4))
        self._set_samples(
            Reservoir(reservoir_size, n_words=n_words, seed=seed), Window(size, n_words=n_words)
        )
        self.averaged: AveragedTopics | None = None  # None: few documents, or new topics
        # words of background to read the topics of each sample with; 0: not chosen yet
        self.strengths: Floats = np.zeros(len(SAMPLE_NAMES))
        self.events: list[Event] = []
        self.n_races = 0
        self._n_raced = 0  # documents at the last race
        self._next_race = 1
        self._since = 0  # documents before the change that is looked into
        self._next_fresh = self._min_fresh  # documents since a change, at the next search
        self._n_searched = 0  # documents of all searches so far
        self._n_compared = 0  # documents when the window's topics were last compared
        self._next_check = 0  # documents at which the use of topics is checked next
        self._next_revival = 0
        self._next_rescue = 0
        self.changed = 0  # documents before the last change that was noted

    def _set_samples(self, reservoir: Reservoir, window: Window) -> None:
        self.sample_ems = [
            SampleEM(reservoir, self.n_topics, keeps=True),
            SampleEM(window, self.n_topics, keeps=False),
        ]

    @property
    def reservoir(self) -> Reservoir:
        """The sample of all documents."""
        return cast("Reservoir", self.sample_ems[ALL].sample)

    @property
    def window(self) -> Window:
        """The last documents; after a change, those since."""
        return cast("Window", self.sample_ems[RECENT].sample)

    @property
    def is_settled(self) -> bool:
        """Whether races replace the topics only by a margin from now on."""
        return self._n_raced >= SETTINGS.early

    @property
    def _max_raced(self) -> int:
        return max(SETTINGS.raced, SETTINGS.raced_per_topic * self.n_topics)

    @property
    def _min_fresh(self) -> int:
        return max(SETTINGS.fresh, ENOUGH * self.n_topics)

    def learn(self, block: Documents, experts: Experts) -> None:
        """Add a mini-batch to the samples, and update their topics by incremental EM."""
        # In total a logarithm of the stream more than `n_visits` for each document.
        early = SETTINGS.early / max(SETTINGS.early, self.reservoir.n_seen)
        n_visits = SETTINGS.n_visits + SETTINGS.n_early_visits * early
        for e, visits in enumerate((n_visits, SETTINGS.n_recent_visits)):
            smoothing = self._fit_smoothing(e, experts)
            self.sample_ems[e].learn(block, experts.columns(e), smoothing, visits)

    def _fit_smoothing(self, estimate: int, experts: Experts) -> Smoothing:
        """Return the smoothing with which EM fits the topics of an estimate."""
        totals = experts.estimates.view(estimate).totals
        n_topics, n_words = int(np.count_nonzero(totals[0])), experts.n_words
        return experts.smoothing(fit_strength(float(totals[1].sum()), n_topics, n_words))

    def read_strength(self, estimate: int, experts: Experts) -> float:
        """Return the words of background with which the topics of an estimate are read."""
        chosen = self.strengths[estimate] or self._fit_smoothing(estimate, experts).strength
        totals = experts.estimates.view(estimate).totals
        # At most as many as words of its own: with few documents heavy smoothing predicts best, but
        # then all topics look like the background.
        own = float(totals[1].sum()) / max(1, int(np.count_nonzero(totals[0])))
        return max(LEAST, min(chosen, own))

    def renew(self, experts: Experts, drift: Drift, outdated_since: int | None = None) -> bool:
        """Run the refits that are due; return whether the reservoir's topics were replaced.

        `outdated_since` is the number of documents before a change after which the topics fail.
        """
        n, is_new = self.reservoir.n_seen, False
        is_outdated = outdated_since is not None
        if outdated_since is not None:
            # Otherwise what came first, say in a file sorted by label, would keep nearly all topics
            # until the stream has grown fourfold, and later documents would share a few.
            due = max(SETTINGS.outdated * outdated_since, SETTINGS.renewal * self._n_raced)
            self._next_race = min(self._next_race, int(np.ceil(due)))
        elif not self.is_settled and self.is_outdated(experts, SETTINGS.failing):
            # Otherwise the stories of a stream in which they come and go would share the topics of
            # the first ones until the next race.
            due = SETTINGS.outdated_growth * self._n_raced
            self._next_race = min(self._next_race, int(np.ceil(due)))
        if n >= self._next_race:
            is_new = self._race(experts, is_outdated=is_outdated)
            self._next_race = next_race(n, self.n_topics, is_settled=self.is_settled)
        # At most one of the refits per block: each restarts topics and experts.
        elif n >= max(self._next_check, self._next_rescue) and self._has_collapsed:
            is_new = self._rescue(experts)
        elif not self._seek_change(experts, drift):
            self._compare(experts)
        if n >= self._next_check or self.averaged is None:
            self._next_check = n + int(np.ceil(SETTINGS.step * n))
            self._update_average(experts)
        return is_new

    @property
    def _n_fillable(self) -> int:
        """Number of topics that the documents can fill."""
        return min(self.n_topics, self.reservoir.n_seen // SETTINGS.filled)

    @property
    def _has_collapsed(self) -> bool:
        """Whether far fewer topics are in use than the documents can fill."""
        n_used = count_used(self.sample_ems[ALL].posterior)
        return n_used < SETTINGS.collapsed * self._n_fillable

    def _rescue(self, experts: Experts) -> bool:
        """Race new starts, without a defender, if far too few topics are in use.

        Return whether they were better in that: of documents that have few topics, no start is.
        """
        # At most one rescue per doubling of the stream, because it may be in vain.
        self._next_rescue = 2 * self.reservoir.n_seen
        subset, n_used = self._draw(), count_used(self.sample_ems[ALL].posterior)
        outcome = self._run(subset, [], experts)
        smoothing = experts.smoothing(outcome.strength)
        if n_used_by(subset, outcome.winner, smoothing) <= n_used:
            return False
        self._adopt(outcome, experts, EventKind.RESCUED, n_used)
        experts.restart()
        return True

    def _race(self, experts: Experts, *, is_outdated: bool) -> bool:
        """Race new starts on part of the reservoir; return whether one of them won."""
        # Before the first race all topics are equal, and there is nothing to defend.
        incumbents = [experts.estimates.view(ALL)] if self.n_races else []
        margin = SETTINGS.outdated_margin if is_outdated else SETTINGS.margin
        margin = margin if self.is_settled else 0.0
        outcome = self._run(self._draw(), incumbents, experts, margin)
        if outcome.incumbent < 0:
            self._adopt(outcome, experts, EventKind.REPLACED if self.is_settled else None)
        elif not self.is_settled:
            self.strengths[ALL] = outcome.strength
        self._n_raced = self.reservoir.n_seen
        experts.restart()
        return outcome.incumbent < 0

    def _draw(self) -> Documents:
        """Return remembered documents for a race."""
        # Seeded by the number of the race: a resumed run draws the same documents.
        rng = np.random.default_rng([self.seed, self.n_races])
        order = rng.permutation(len(self.reservoir))[: self._max_raced]
        return self.reservoir.view.gather(order)

    def _adopt(
        self, outcome: Outcome, experts: Experts, kind: EventKind | None, n_used: int = 0
    ) -> None:
        """Replace the topics of all documents, as an event if that is to be noted."""
        self.strengths[ALL] = outcome.strength
        moved = self._restart(ALL, outcome.winner, experts)
        # It has the same documents, or, if it is smaller than the first block, no topics yet.
        if len(self.window) == self.reservoir.n_seen or not experts.has_topics(RECENT):
            self.strengths[RECENT] = outcome.strength
            self._restart(RECENT, outcome.winner, experts)
        if kind is not None:
            topics = tuple(range(self.n_topics))
            self._note(Event(self.reservoir.n_seen, kind, topics, moved, n_used))
        # An average must not mix the topics of two different fits.
        self.averaged = None

    def _run(
        self,
        documents: Documents,
        incumbents: Sequence[Statistics],
        experts: Experts,
        margin: float = 0.0,
        *,
        spectral: bool = True,
    ) -> Outcome:
        """Race for topics and the strength of their smoothing."""
        self.n_races += 1
        how = (experts.background, [self.seed, self.n_races, 1], margin)
        return race(documents, self.n_topics, incumbents, *how, spectral=spectral)

    def _restart(
        self,
        estimate: int,
        start: Statistics,
        experts: Experts,
        n_passes: int = SETTINGS.n_passes,
    ) -> float:
        n_tokens = float(start.totals[1].sum())
        strength = fit_strength(n_tokens, n_open(start), experts.n_words)
        how = (experts.columns(estimate), experts.smoothing(strength), n_passes)
        return self.sample_ems[estimate].restart(start.columns, *how)

    def _note(self, event: Event) -> None:
        self.events = [*self.events, event][-MOST_EVENTS:]

    def note_change(self, since: int) -> None:
        """Record once that the stream has changed since document `since`."""
        if since > self.changed:
            self.changed = since
            self._note(Event(since, EventKind.CHANGED))

    def is_outdated(self, experts: Experts, by: float = SETTINGS.margin) -> bool:
        """Whether the topics fail the latest documents: those of the window are much better."""
        recent = experts.losses[own_column(RECENT)]
        return bool(experts.losses[own_column(ALL)] > (1.0 + by) * recent)

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
        outcome = self._run(fresh, incumbents, experts, spectral=False)
        winner, self.strengths[RECENT] = outcome.winner, outcome.strength
        # Documents from before the change leave the window at once.
        window = Window(self.window.capacity, n_words=self.window.n_words)
        window.add(fresh)
        self.sample_ems[RECENT] = SampleEM(window, self.n_topics, keeps=False)
        # Numbered like the reservoir's topics, so that `recent` can be compared with `model`.
        winner = winner.reorder(match(winner, experts.estimates.view(ALL)))
        self._restart(RECENT, winner, experts)
        self._close(RECENT, self._find_dead(RECENT), experts)
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
                args = (leading, columns, self._fit_smoothing(RECENT, experts))
                self.sample_ems[RECENT].restart(*args, n_passes=1, renumber=False)
            self._close(RECENT, self._find_dead(RECENT), experts)
            experts.restart()

    def _update_average(self, experts: Experts) -> None:
        """Update the averaged topics; until they are settled, they are the current ones."""
        # An average must not mix topics before and after some of them were restarted or closed.
        averaged = None if self._tend(experts) else self.averaged
        now = (experts.background, self.read_strength(ALL, experts), self.reservoir.n_seen)
        if averaged is None or not self.is_settled:
            self.averaged = AveragedTopics(experts.estimates[ALL], *now)
        else:
            self.averaged = averaged.updated(experts.estimates.view(ALL), *now)

    def _tend(self, experts: Experts) -> bool:
        """Restart dead topics if there are documents for them; return whether topics changed.

        The others are closed: copies of a topic, or of the background, would only mislead readers.
        """
        n, is_dead = self.reservoir.n_seen, self._find_dead(ALL)
        n_missing = self._n_fillable - (self.n_topics - np.count_nonzero(is_dead))
        # At most once per doubling of the stream: topics that people read should be stable.
        if n < self._next_revival or n_missing <= 0:
            return self._close(ALL, is_dead, experts)
        self._next_revival = 2 * n
        dead = np.flatnonzero(is_dead)[:n_missing]
        start, rng = experts.estimates[ALL], np.random.default_rng([self.seed, n])
        restart_topics(start, dead, self.reservoir.view, self._fit_smoothing(ALL, experts), rng)
        # One pass: five would move half as many documents again, for 0.1 % of the likelihood.
        moved = self._restart(ALL, start, experts, n_passes=1)
        # Documents of few topics have no use for more: that is no event.
        revived = tuple(dead[~self._find_dead(ALL)[dead]].tolist())
        if self.is_settled and revived:
            self._note(Event(n, EventKind.RESTARTED, revived, moved))
        return True

    def _find_dead(self, estimate: int) -> Flags:
        """Return whether each topic is dead, (K,), see `find_dead`."""
        return find_dead(self.sample_ems[estimate].posterior)

    def _close(self, estimate: int, is_dead: Flags, experts: Experts) -> bool:
        """Give the documents of these topics to the others; return whether any was open."""
        if not experts.estimates.view(estimate).totals[0, is_dead].any():
            return False
        start = experts.estimates[estimate]
        start.totals[:, is_dead], start.words[:, is_dead] = 0.0, 0.0
        self._restart(estimate, start, experts, n_passes=1)
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
        window = Window(self.window.capacity, n_words=self.window.n_words)
        window.add(latest)
        self._set_samples(self.reservoir, window)
        incumbents = [one.estimates.view(ALL) for one in (experts, *their_experts)]
        order = rng.permutation(len(self.reservoir))[: self._max_raced]
        outcome = self._run(self.reservoir.view.gather(order), incumbents, experts)
        winner, self.strengths[:] = outcome.winner, outcome.strength
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

    def _loaded(self) -> None:
        if any(0.0 < strength < LEAST for strength in self.strengths):
            raise ValueError(f"strengths must be 0 or at least {LEAST}, got {self.strengths}")
        if any(k >= self.n_topics for event in self.events for k in event.topics):
            raise ValueError(f"events must be of the {self.n_topics} topics")
        mine = Refit(self.n_topics, 1, self.reservoir_size, self.seed)
        for sample_em, wanted in zip(self.sample_ems, mine.sample_ems, strict=True):
            sample = sample_em.sample
            if type(sample) is not type(wanted.sample) or sample_em.keeps != wanted.keeps:
                raise ValueError(f"the samples must be {' and '.join(SAMPLE_NAMES)}")
            check_same("capacity of a sample", sample.capacity, wanted.sample.capacity)
