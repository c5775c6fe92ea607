"""The merged reservoir and window, by distribution."""

import numpy as np
import pytest
from scipy.stats import chi2, chisquare, hypergeom

from spectralleader import Documents, Everything, Reservoir, Window, merge
from spectralleader.samples.subsamples import interleave, over_one_vocabulary

SIZES = (40, 25, 10)  # documents of three streams; the last one fits into a reservoir
CAPACITY, TOTAL = 12, sum(SIZES)
RARE = 1e-3  # seeds are fixed, so this is how surprising the outcome may be, not a rate of failures


def streams():
    """Documents of one word each, all different."""
    ids = np.split(np.arange(TOTAL), np.cumsum(SIZES)[:-1])
    return [Documents.from_tokens(part[:, None], TOTAL) for part in ids]


def chances(acceptance):
    """The probability that each document is in its own reservoir, times its stream's share."""
    own = []
    for n in SIZES:
        p = np.ones(n)
        if n > CAPACITY:
            lag = 1 if acceptance == "paper" else 0
            p[:] = CAPACITY / (n - lag)
            p[:CAPACITY] = (CAPACITY - lag) / (n - lag)
        own.append(p * CAPACITY * n / TOTAL / min(n, CAPACITY))
    return np.concatenate(own)


def together(a, b, c, rng):
    a.merge([b, c], rng)
    return a


def in_steps(a, b, c, rng):
    c.merge([b], rng)
    a.merge([c], rng)
    return a


@pytest.mark.parametrize("merged", [together, in_steps])
@pytest.mark.parametrize("acceptance", ["uniform", "paper"])
def test_every_document_seen_is_as_likely_in_the_merged_reservoir(acceptance, merged):
    n_times, counts, blocks = 300, np.zeros(TOTAL), streams()
    rng = np.random.default_rng(0)
    for seed in range(n_times):
        parts = []
        for i, block in enumerate(blocks):
            settings = {"seed": 10 * seed + i, "acceptance": acceptance}
            parts.append(Reservoir(CAPACITY, n_words=TOTAL, **settings))
            parts[-1].add(block)
        sample = merged(*parts, rng)
        assert (len(sample), sample.n_seen) == (CAPACITY, TOTAL)
        counts[sample.documents.words] += 1
    p = chances(acceptance)
    assert p.sum() == pytest.approx(CAPACITY)
    if acceptance == "uniform":
        assert p == pytest.approx(CAPACITY / TOTAL)
    # counts of a sample of fixed size: their squares are those of one fewer independent ones
    surprise = ((counts - n_times * p) ** 2 / (n_times * p * (1 - p))).sum() * (TOTAL - 1) / TOTAL
    assert RARE < chi2.sf(surprise, TOTAL - 1) < 1 - RARE


def test_how_many_come_from_each_stream_is_hypergeometric():
    n_times, rng = 2000, np.random.default_rng(0)
    drawn = [int((interleave(SIZES, CAPACITY, rng) == 0).sum()) for _ in range(n_times)]
    expected = n_times * hypergeom(TOTAL, SIZES[0], CAPACITY).pmf(np.arange(CAPACITY + 1))
    observed = np.bincount(drawn, minlength=CAPACITY + 1)
    likely = expected > 5
    parts = [[x[likely].sum(), x[~likely].sum()] for x in (observed, expected)]
    observed, expected = (
        np.append(x[likely], rest) for x, (_, rest) in zip((observed, expected), parts, strict=True)
    )
    assert chisquare(observed, expected).pvalue > RARE


def test_streams_too_long_to_be_counted_through_are_drawn_from_as_well():
    turns = interleave([3 * 10**15, 10**15], 1000, np.random.default_rng(0))
    assert (turns == 0).mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 1000))


def test_a_merged_reservoir_does_not_draw_as_its_parts_do():
    parts = [Reservoir(5, n_words=TOTAL, seed=0) for _ in range(2)]
    for part, block in zip(parts, streams(), strict=False):
        part.add(block)
    merged = merge(*parts)
    assert merged.to_state()["draws"] != parts[0].to_state()["draws"]


def test_a_merged_window_has_the_newest_of_each_stream_in_order_and_goes_on():
    for seed in range(20):
        windows = [Window(CAPACITY, n_words=TOTAL) for _ in SIZES]
        for window, block in zip(windows, streams(), strict=True):
            for piece in block.blocks(7):
                window.add(piece)
        merged = merge(*windows, seed=seed)
        assert (len(merged), merged.n_seen) == (CAPACITY, TOTAL)
        words = merged.last(CAPACITY).words
        for first, size in zip(np.cumsum((0, *SIZES)), SIZES, strict=False):
            mine = words[(words >= first) & (words < first + size)]
            assert mine.tolist() == list(range(first + size - len(mine), first + size))
        merged.add(streams()[0][:5])
        assert merged.last(CAPACITY).words.tolist() == [*words[5:].tolist(), *range(5)]


def test_windows_that_are_not_full_are_merged_whole():
    windows = [Window(CAPACITY, n_words=TOTAL) for _ in range(2)]
    windows[0].add(streams()[0][:3])
    windows[1].add(streams()[1][:4])
    assert sorted(merge(*windows).documents.words.tolist()) == [0, 1, 2, 40, 41, 42, 43]


def test_everything_merged_is_one_after_the_other():
    a, b, c = Everything(n_words=2), Everything(n_words=3), Everything(n_words=1)
    for sample, word in ((a, 1), (b, 2), (c, 0)):
        sample.add(Documents.from_tokens([[word, word]], n_words=sample.n_words))
    a.merge([b, c], np.random.default_rng(0))
    assert a.documents == Documents.from_tokens([[1, 1], [2, 2], [0, 0]], n_words=3)
    assert (a.n_seen, a.settings) == (3, {})


def test_of_fewer_documents_than_are_asked_for_all_are_drawn():
    turns = interleave([1, 2, 5], 10, np.random.default_rng(0))
    assert np.bincount(turns).tolist() == [1, 2, 5]


def test_blocks_of_several_vocabularies_are_over_the_largest():
    blocks = over_one_vocabulary([Documents.empty(3), Documents.empty(5), Documents.empty(4)])
    assert [block.n_words for block in blocks] == [5, 5, 5]


def test_merged_reservoirs_draw_apart_from_each_other():
    rng, states = np.random.default_rng(0), set()
    for _ in range(100):
        merged = Reservoir(1)
        merged.add(Documents.from_tokens([[0]], n_words=1))
        merged.merge([], rng)
        states.add(merged.to_state()["draws"]["state"]["state"])
    assert len(states) == 100
