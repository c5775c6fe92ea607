from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spectralleader.sources.live.round_robin import Queue, RoundRobin, RoundRobinPosition


def make(sizes, portion, position=None):
    """Partitions with so many messages each, all there; every third offset is not used."""
    offsets = dict.fromkeys(range(len(sizes)), 0)
    turns = RoundRobin(position or RoundRobinPosition(offsets, 0), portion)
    for number, size in enumerate(sizes):
        there = [i + i // 2 for i in range(size)]
        rest = [offset for offset in there if offset >= turns.position.offsets[number]]
        turns.queues[number].add(rest, [b"%d-%d" % (number, offset) for offset in rest])
    return turns


def read(turns, portions):
    """All messages, taken in portions, and the place after each."""
    ids, places = [], []
    ended = set(turns.queues)
    for n in portions:
        found, payloads, after = turns.take(n, ended, rest=True)
        assert [payload.decode().replace("-", ":") for payload in payloads] == found
        ids += found
        places += [after(i + 1) for i in range(len(found))]
    return ids, places


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.integers(1, 5),
    st.lists(st.integers(1, 9), max_size=6),
)
def test_whatever_is_taken_at_once_order_and_places_are_the_same(sizes, portion, portions):
    whole, places = read(make(sizes, portion), [sum(sizes)])
    assert len(set(whole)) == len(whole) == sum(sizes)
    assert read(make(sizes, portion), [*portions, 100]) == (whole, places)
    for at in range(0, len(whole), 3):
        rest = make(sizes, portion, places[at])
        assert read(rest, [100]) == (whole[at + 1 :], places[at + 1 :])


def test_what_fills_no_portion_waits_until_it_is_asked_for():
    turns = make([3, 1], 2)
    ended = {0, 1}
    assert turns.take(9, ended, rest=False)[0] == ["0:0", "0:1"]
    assert turns.take(9, ended, rest=False)[0] == []
    assert turns.take(9, {0}, rest=True)[0] == []  # the other one may have more
    assert turns.take(9, ended, rest=True)[0] == ["0:3", "1:0"]


def test_a_portion_that_began_is_finished_first():
    turns = make([4, 4], 3)
    assert turns.take(2, (), rest=False)[0] == ["0:0", "0:1"]
    assert turns.position == RoundRobinPosition({0: 2, 1: 0}, 0, 2)
    assert turns.take(9, {0, 1}, rest=False)[0] == ["0:3", "1:0", "1:1", "1:3"]


def test_a_queue_forgets_what_was_handed_out():
    queue = Queue()
    for start, end in pairwise(range(0, 60_000, 1000)):
        queue.add(range(start, end), [b"four"] * (end - start))
        assert queue.last == end - 1
        assert queue.take(999)[0][-1] < end
    assert len(queue) == 59
    assert queue.n_bytes == 4 * 59
    assert len(queue._offsets) < 20_000
    assert queue.take(59)[0][-1] == 58_999
    assert queue.last is None
