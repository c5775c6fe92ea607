"""Schedule: which refit is due after how many documents. It knows counters, and no topics."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from spectralleader.checks.saved import Saved, fields
from spectralleader.checks.states import whole
from spectralleader.learners.hedged.settings import SETTINGS, Settings

ENOUGH = 10  # minimum documents per topic of a start


class Race(NamedTuple):
    """New starts compete with the topics of all documents."""

    margin: float  # share of the loss by which a newcomer must be better
    is_late: bool  # whether topics were settled before


class Rescue(NamedTuple):
    """New starts compete without a defender, because too few topics are in use."""


class Search(NamedTuple):
    """The window's topics are refitted to the documents since a suspected change."""

    n_fresh: int  # documents since then


class Compare(NamedTuple):
    """The window's topics restart from those of all documents if these predict better."""


class Schedule(Saved):
    """Counters of documents, of which all but `n_searched` are positions in the stream."""

    saved = fields(
        n_raced=whole,
        next_race=whole,
        next_rescue=whole,
        next_check=whole,
        next_revival=whole,
        n_compared=whole,
        since=whole,
        next_fresh=whole,
        n_searched=whole,
    )

    def __init__(self, n_topics: int, reservoir_size: int, settings: Settings = SETTINGS) -> None:
        self.n_topics, self._settings = n_topics, settings
        # Many times smaller than the reservoir, so that the two differ.
        self.window_size = max(1, min(settings.window, reservoir_size // 4))
        self.n_raced = 0  # at the last race
        self.next_race = 1
        self.next_rescue = 0
        self.next_check = 0  # of the use of topics, and of what is read
        self.next_revival = 0
        self.n_compared = 0  # when the window's topics were last compared
        self.since = 0  # documents before the change that is looked into
        self.next_fresh = self._min_fresh  # documents since the change, at the next search
        self.n_searched = 0  # documents of all searches so far

    @property
    def _min_fresh(self) -> int:
        return max(self._settings.fresh, ENOUGH * self.n_topics)

    @property
    def is_settled(self) -> bool:
        """Whether races replace the topics only by a margin from now on."""
        return self.n_raced >= self._settings.early

    def n_fillable(self, n: int) -> int:
        """Return the number of topics that n documents can fill."""
        return min(self.n_topics, n // self._settings.filled)

    def n_visits(self, n: int) -> float:
        """Return the remembered documents that are revisited per document, after n of them."""
        # In total a logarithm of the stream more than `n_visits` for each document.
        early = self._settings.early / max(self._settings.early, n)
        return self._settings.n_visits + self._settings.n_early_visits * early

    def due(
        self,
        n: int,
        suspected: int | None,
        outdated: int | None,
        has_collapsed: Callable[[], bool],
        is_failing: Callable[[], bool],
    ) -> Race | Rescue | Search | Compare | None:
        """Return the refit that is due after n documents, and count it as done.

        It is at most one, because each restarts topics and experts. `suspected` and `outdated` are
        the documents before a suspected change, and before one whose documents the topics fail.
        """
        if outdated is not None:
            # Otherwise what came first, say in a file sorted by label, would keep nearly all topics
            # until the stream has grown fourfold, and later documents would share a few.
            early, growth = self._settings.outdated * outdated, self._settings.renewal
            self.next_race = min(self.next_race, ceil(max(early, growth * self.n_raced)))
        elif not self.is_settled and is_failing():
            # Otherwise the stories of a stream in which they come and go would share the topics of
            # the first ones until the next race.
            self.next_race = min(
                self.next_race, ceil(self._settings.outdated_growth * self.n_raced)
            )
        if n >= self.next_race:
            is_late, margin = self.is_settled, self._settings.margin
            margin = self._settings.outdated_margin if outdated is not None else margin
            self.raced(n)
            return Race(margin if is_late else 0.0, is_late)
        if n >= max(self.next_check, self.next_rescue) and has_collapsed():
            # At most one rescue per doubling of the stream, because it may be in vain.
            self.next_rescue = 2 * n
            return Rescue()
        if self._is_searched(n, suspected):
            return Search(n - (suspected or 0))
        if n - self.n_compared >= self.window_size:
            self.n_compared = n
            return Compare()
        return None

    def raced(self, n: int) -> None:
        """Count a race after n documents."""
        self.n_raced, settings = n, self._settings
        if self.is_settled or n < self.n_topics:
            self.next_race = settings.late_growth * n
            return
        soon = ceil(settings.growth * n)
        # The last early race has `early` documents; topics are settled after it.
        self.next_race = min(soon, settings.early)

    def _is_searched(self, n: int, suspected: int | None) -> bool:
        """Whether new topics are searched for among the documents since a suspected change."""
        n_fresh = n - (suspected or 0)
        # A window that holds only documents since the change follows it by its visits.
        if suspected is None or n_fresh >= self.window_size:
            self.next_fresh = self._min_fresh
            return False
        if suspected != self.since:
            self.since, self.next_fresh = suspected, self._min_fresh
        # A share of the stream: with continual drift, one search would follow the other.
        n_searched = self.n_searched + n_fresh
        if n_fresh < self.next_fresh or n_searched > self._settings.searched * n:
            return False
        # Doubling: the searches after one change together cost at most twice the last one.
        self.n_searched, self.next_fresh = n_searched, 2 * n_fresh
        return True

    def is_checked(self, n: int, *, always: bool = False) -> bool:
        """Whether the use of topics is checked after n documents; count it as done."""
        if n < self.next_check and not always:
            return False
        self.next_check = n + ceil(self._settings.step * n)
        return True

    def is_revival_due(self, n: int, n_missing: int) -> bool:
        """Whether topics without documents are restarted, of which so many can be filled."""
        # At most once per doubling of the stream: topics that people read should be stable.
        if n < self.next_revival or n_missing <= 0:
            return False
        self.next_revival = 2 * n
        return True
