"""Which refit is due when, without a learner."""

from dataclasses import replace

import pytest

from spectralleader.learners.hedged.schedule import Compare, Race, Rescue, Schedule, Search
from spectralleader.learners.hedged.settings import SETTINGS

# Races from 100 on at 150, 225, 338, ... and the last early one at 1000; a window of 100.
SOON = replace(SETTINGS, early=1000, window=100, fresh=20, searched=10.0)


def schedule(n_raced=100, n_topics=2, settings=SOON, **counters):
    out = Schedule(n_topics, 10_000, settings)
    out.raced(n_raced)
    for name, value in counters.items():
        setattr(out, name, value)
    return out


def due(one, n, *, suspected=None, outdated=None, collapsed=False, failing=False):
    return one.due(n, suspected, outdated, lambda: collapsed, lambda: failing)


def next_race(n, n_topics):
    return schedule(n, n_topics, SETTINGS).next_race


def test_races_are_thick_at_first_and_then_rare():
    assert next_race(100, 5) == 150
    assert next_race(101, 5) == 152  # at 151.5
    assert next_race(100, 100) == 150
    assert next_race(99, 100) == 396  # fewer documents than topics
    assert next_race(1000, 5) == 1500
    early = SETTINGS.early
    assert next_race(early - 1, 5) == early  # after which topics are settled
    assert next_race(early, 5) == SETTINGS.late_growth * early
    assert next_race(20_000, 5) == 80_000


def test_a_new_schedule_has_counted_nothing():
    counters = Schedule(2, 10_000, SOON).to_state()
    assert (counters.pop("next_race"), counters.pop("next_fresh")) == (1, 20)
    assert set(counters.values()) == {0}


def test_the_first_document_is_raced_for():
    new = Schedule(2, 10_000, SOON)
    assert not new.is_settled
    assert due(new, 0) is None
    assert due(new, 1) == Race(margin=0.0, is_late=False)
    assert (new.n_raced, new.next_race) == (1, 4)


def test_a_race_is_due_once():
    one = schedule(n_compared=100)
    assert due(one, 149) is None
    assert due(one, 150) == Race(0.0, is_late=False)
    assert due(one, 150) is None
    assert (one.n_raced, one.next_race) == (150, 225)


def test_a_race_is_late_if_topics_were_settled_before_it_and_then_has_a_margin():
    one = schedule(900)
    assert due(one, 1000) == Race(0.0, is_late=False)
    assert one.is_settled
    assert due(one, 4000) == Race(SOON.margin, is_late=True)
    assert due(one, 16_000, outdated=15_000) == Race(SOON.outdated_margin, is_late=True)


def test_topics_that_fail_the_documents_since_a_change_are_raced_soon_after_it():
    """At 1.125 times the documents before it, and 1.25 times those of the last race."""
    one = schedule(2000, n_compared=10**6)
    assert one.next_race == 8000
    assert due(one, 2499, outdated=1000) is None
    assert one.next_race == 2500  # 1.25 * 2000
    assert due(one, 2500) == Race(SOON.margin, is_late=True)  # no longer outdated: the margin is
    assert one.next_race == 10_000
    assert due(one, 3600, outdated=3201) is None
    assert one.next_race == 3602  # 3601.125, rounded up
    assert due(one, 3601, outdated=3400) is None
    assert one.next_race == 3602  # never later again
    assert due(one, 3602, outdated=3400) == Race(SOON.outdated_margin, is_late=True)


def test_topics_that_fail_the_latest_documents_are_raced_soon_until_they_are_settled():
    """At 1.1 times the documents of the last race, and not even if a change is known."""
    one = schedule(505, n_compared=10**6)
    assert due(one, 555, failing=True) is None
    assert one.next_race == 556  # 555.5
    assert due(one, 556) == Race(0.0, is_late=False)
    assert one.next_race == 834
    assert due(one, 700, failing=True, outdated=690) is None
    assert one.next_race == 777  # 690 * 1.125
    late = schedule(1000, n_compared=10**6)
    assert due(late, 1200, failing=True) is None
    assert late.next_race == 4000


def test_a_rescue_is_due_if_topics_collapsed_at_a_check_and_once_in_a_doubling():
    one = schedule(1500, n_compared=10**6, next_check=2000)
    assert due(one, 1999, collapsed=True) is None
    assert due(one, 2000) is None
    assert due(one, 2000, collapsed=True) == Rescue()
    assert one.next_rescue == 4000
    assert due(one, 3999, collapsed=True) is None
    assert due(one, 4000, collapsed=True) == Rescue()


def test_whether_topics_collapsed_is_only_asked_at_a_check():
    asked, one = [], schedule(1500, n_compared=10**6, next_check=2000)
    one.due(1999, None, None, lambda: bool(asked.append(1999)), bool)
    one.due(2000, None, None, lambda: bool(asked.append(2000)), bool)
    assert asked == [2000]


def test_a_race_goes_before_a_rescue_that_before_a_search_and_that_before_a_comparison():
    one = schedule(1000)
    everything = {"collapsed": True, "suspected": 3950}
    found = [due(one, 4000, **everything) for _ in range(5)]
    assert found == [Race(SOON.margin, is_late=True), Rescue(), Search(50), Compare(), None]


def searches(settings=SOON, n_topics=2, last=600, since=100):
    """The documents of each search when a change is suspected all the time."""
    one = schedule(n_topics=n_topics, settings=settings, next_race=10**6, n_compared=10**6)
    found = [due(one, n, suspected=since) for n in range(since, last + 1, 10)]
    return [search.n_fresh for search in found if search is not None]


@pytest.mark.parametrize(("n_topics", "at"), [(2, [20, 40, 80]), (3, [30, 60]), (7, [70])])
def test_a_change_is_looked_into_with_at_least_ten_documents_a_topic(n_topics, at):
    """As many documents after it, then twice as many, until the window is full of them."""
    assert searches(n_topics=n_topics) == at


@pytest.mark.parametrize(
    ("share", "at"), [(0.16, []), (0.17, [20]), (0.42, [20]), (0.43, [20, 40])]
)
def test_searches_for_a_change_take_a_share_of_the_stream(share, at):
    """20 of 120 documents, 60 of 140, 140 of 180."""
    assert searches(replace(SOON, searched=share)) == at


def test_a_search_may_take_exactly_its_share_of_the_stream():
    one = schedule(n_compared=10**6, next_race=10**6, settings=replace(SOON, searched=0.25))
    assert due(one, 160, suspected=120) == Search(40)


def test_another_change_is_looked_into_from_the_start():
    one = schedule(1500, n_compared=10**6)
    assert due(one, 2040, suspected=2000) == Search(40)
    assert due(one, 2060, suspected=2000) is None  # not twice as many
    assert due(one, 2060, suspected=2035) == Search(25)
    assert one.n_searched == 65
    # suspected no longer, or since the whole window: the same change, again, is another
    for other in (None, 1960):
        assert due(one, 2060, suspected=other) is None
        assert due(one, 2060, suspected=2035) == Search(25)


def test_topics_of_the_window_are_compared_once_in_a_window():
    one = schedule(1500, n_compared=1500)
    assert due(one, 1599) is None
    assert due(one, 1600) == Compare()
    assert due(one, 1699) is None
    assert due(one, 1700) == Compare()


def test_the_use_of_topics_is_checked_whenever_the_stream_has_grown_by_a_step():
    one = schedule(settings=replace(SOON, step=0.03))
    assert one.is_checked(1000)
    assert one.next_check == 1030
    assert not one.is_checked(1029)
    assert one.is_checked(1029, always=True)
    assert one.next_check == 1060  # 1059.87
    assert one.is_checked(1060)


def test_topics_are_revived_once_in_a_doubling_if_any_are_missing():
    one = schedule()
    assert not one.is_revival_due(500, 0)
    assert not one.is_revival_due(500, -1)
    assert one.is_revival_due(500, 1)
    assert not one.is_revival_due(999, 1)
    assert one.is_revival_due(1000, 2)


def test_documents_fill_a_topic_each_fifty():
    one = schedule(n_topics=3)
    assert [one.n_fillable(n) for n in (49, 50, 149, 150, 1000)] == [0, 1, 2, 3, 3]


def test_visits_are_doubled_until_topics_are_settled_and_then_fewer():
    one = schedule(settings=replace(SOON, n_visits=0.5, n_early_visits=2.0))
    assert [one.n_visits(n) for n in (0, 1000, 2000, 8000)] == [2.5, 2.5, 1.5, 0.75]


@pytest.mark.parametrize(("reservoir", "window"), [(50_000, 100), (399, 99), (4, 1), (1, 1)])
def test_the_window_is_a_quarter_of_a_small_reservoir(reservoir, window):
    assert Schedule(2, reservoir, SOON).window_size == window


def test_it_is_stored_by_the_names_of_its_counters():
    one = schedule(since=7, n_searched=9)
    due(one, 400, suspected=330)
    state = one.to_state()
    again = Schedule.from_state(state, n_topics=2, reservoir_size=10_000, settings=SOON)
    assert again.to_state() == state
    assert set(state) >= {"next_race", "next_rescue", "next_check", "next_revival", "next_fresh"}


def test_a_change_before_the_first_document_is_looked_into_too():
    one = schedule(n_compared=10**6, next_race=10**6)
    assert due(one, 60, suspected=0) == Search(60)
    assert one.n_searched == 60
