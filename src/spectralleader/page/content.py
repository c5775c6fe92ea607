"""Content: everything that a page shows, as plain values, at every level of its slider."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from spectralleader import __version__
from spectralleader.arrays import Floats, Ints
from spectralleader.models import TopicModel, TopicTree
from spectralleader.models.tree import READ
from spectralleader.reading.description import describe
from spectralleader.reading.findings import describe_sides, describe_trust, printable, truncate
from spectralleader.reading.snapshot import Reading, Snapshot
from spectralleader.reading.trends import (
    TimelineSample,
    Trends,
    find_bars,
    name_date,
)
from spectralleader.reading.typical import MIN_WORDS, typicality
from spectralleader.storage.checkpoint import LossCurve
from spectralleader.text.tokens import Tokens

LEVELS = (*range(2, 13), 16, 20, 24, 32, 48, 64, 100)  # levels on the slider, up to all topics
MOST_LEAVES = 40  # leaves of the drawn tree
MOST_DOCUMENTS = 2000  # documents in the page
N_WORDS = 10  # top words per topic


def describe_page(
    reading: Reading,
    *,
    title: str,
    level: int | None = None,
    texts: bool = True,
    curve: LossCurve | None = None,
) -> dict[str, Any]:
    """Return the content of a page for a model.

    Parameters
    ----------
    title : str
        The heading.
    level : int, optional
        Number of topics shown initially. Defaults to all topics, or, if there are more than 20, to
        the number that the merge tree suggests.
    texts : bool
        Whether to show documents, if the model keeps any.
    curve : LossCurve, optional
        Losses over the stream, which a checkpoint contains but topics alone do not.
    """
    content = describe_reading(reading, title=title, level=level, texts=texts)
    described = describe(reading, level=first_level(reading.tree, level))
    return {
        **content,
        "losses": [] if curve is None else curve.rows(),
        "trust": describe_trust(described) if reading.full.n_docs else [],
        # Without what rose and fell, which the page draws itself, at every level.
        "findings": [*described.findings(), *described.events],
    }


def first_level(tree: TopicTree, level: int | None) -> int:
    """Return the number of topics shown initially."""
    default = tree.n_topics if tree.n_topics <= READ else tree.suggested
    return default if level is None else min(level, tree.n_topics)


def describe_reading(
    reading: Reading,
    *,
    title: str,
    level: int | None = None,
    texts: bool = True,
    levels: Iterable[int] = LEVELS,
) -> dict[str, Any]:
    """Return the content of a page without losses and a diagnosis, as a live page has it.

    The slider has the given levels besides all topics and the initial level. A diagnosis would take
    longer than everything else.
    """
    tree, timeline, full = reading.tree, reading.timeline, reading.full
    start = first_level(tree, level)
    numbers = sorted({n for n in levels if n < tree.n_topics} | {tree.n_topics, start})
    views = [reading.at(n) for n in numbers]
    sampled = [reading.sample(n) for n in numbers]
    trends = [one.trends() for one in sampled]
    bars = find_bars(trends[0])
    sampled = [bars.sample(one) for one in sampled]
    places, words = place_topics(tree.model), full.words
    return {
        "title": title,
        "summary": f"{full.n_docs:,} documents, {full.vocabulary.n_words:,} words"
        + describe_span(trends[0]),
        "made": f"Made with spectralleader {__version__}. This page loads nothing from a network.",
        "n_topics": tree.n_topics,
        "suggested": tree.suggested,
        "tokens": isinstance(words, Tokens) and words.split is None,
        "start": numbers.index(start),
        "time": bars.as_dict(),
        "levels": [
            list_level(tree, view, one, bars.trends(shares), places)
            for view, one, shares in zip(views, sampled, trends, strict=True)
        ],
        "fit": fit_of(tree.cut(1).model, sampled[0], len(bars.ends)),
        "losses": [],
        "tree": list_tree(reading, numbers),
        "documents": list_documents(views, sampled, timeline.longest)
        if texts and timeline.texts
        else [],
        "no_documents": "This page contains no documents"
        + (": the model keeps no texts." if not timeline.texts else "."),
        "trust": [],
        "findings": [],
    }


def describe_span(trends: Trends) -> str:
    """Return the time span of the documents in words."""
    if not len(trends.starts) or not trends.by_time:
        return ""
    first, last = (name_date(end, trends.width, by_time=True) for end in trends.span)
    return f", {first} to {last}"


def list_level(
    tree: TopicTree, view: Snapshot, sampled: TimelineSample, trends: Trends, places: Floats
) -> dict[str, Any]:
    """Return the topics of a level, their shares over time, what rose and fell, and their fit."""
    model, n = view.model, view.model.n_topics
    groups = np.arange(n) if view.groups is None else view.groups
    weights = tree.model.weights + 1e-12
    mass = np.bincount(groups, weights, minlength=n)
    x, y = (np.bincount(groups, weights * axis, minlength=n) / mass for axis in places.T)
    return {
        "lost": round(tree.lost(n), 4),
        "topics": [
            {
                "name": view.names[k],
                "weight": float(model.weights[k]),  # rounded once, by the page
                "used": bool(model.used[k]),
                "words": [truncate(word) for word in words],
                "x": round(float(x[k]), 4),
                "y": round(float(y[k]), 4),
            }
            for k, words in enumerate(view.top_words(N_WORDS))
        ],
        "shares": trends.shares.round(6).tolist(),
        "shifts": list_shifts(trends),
        "fit": fit_of(model, sampled, len(trends.starts)),
    }


def list_shifts(trends: Trends) -> list[dict[str, Any]]:
    """Return what rose or fell, largest change first, with the words for it."""
    return [
        {
            **shift._asdict(),
            "when": name_date(shift.position, trends.width, by_time=trends.by_time),
            "shown": [side.replace("%", "\u00a0%") for side in describe_sides(shift)],
        }
        for shift in trends.shifts()
    ]


def fit_of(model: TopicModel, sampled: TimelineSample, n: int) -> list[float]:
    """Return the negative log-likelihood per word of each interval's sample, in nats."""
    lost = np.bincount(sampled.interval, -model.log_prob(sampled.documents), minlength=n)
    lengths = np.bincount(sampled.interval, sampled.documents.lengths, minlength=n)
    mean = lost.sum() / max(1.0, lengths.sum())
    means = np.where(lengths > 0, lost / np.maximum(lengths, 1.0), mean)
    return [round(float(value), 3) for value in means]


def place_topics(model: TopicModel) -> Floats:
    """Return a position in the plane for each topic, (K, 2); similar topics are close.

    These are the first two principal components of the square roots of the topics, so that
    distances approximate the Hellinger distance.
    """
    roots = np.sqrt(model.topics)
    centred, scale = roots - model.weights @ roots, np.sqrt(model.weights + 1e-12)
    # Eigenvectors of the (K, K) Gram matrix instead of an SVD over all words: 30 times as fast with
    # 50,000 words.
    gram = centred @ centred.T
    spread, axes = np.linalg.eigh(gram * np.outer(scale, scale))
    places = np.zeros((model.n_topics, 2))
    for i in range(min(2, model.n_topics)):
        axis = scale * axes[:, -1 - i] / np.sqrt(max(spread[-1 - i], np.finfo(float).tiny))
        # Fix the arbitrary sign of the axis.
        places[:, i] = gram @ axis * (-1.0 if axis @ centred.sum(axis=1) < 0 else 1.0)
    return places


def list_tree(reading: Reading, numbers: list[int]) -> dict[str, Any]:
    """Return the upper part of the tree: leaves with their groups at each level, and merges."""
    tree, n = reading.tree, min(MOST_LEAVES, reading.tree.n_topics)
    groups, order = tree.groups(n), tree.order[:n]
    view = reading.at(n)
    stands = order if n < tree.n_topics else list(range(n))  # the topic that represents each leaf
    levels = [tree.groups(level) for level in numbers]
    leaves = {
        str(stands[g]): {
            "label": view.names[g] or " ".join(map(truncate, words)),
            "used": bool(view.model.used[g]),
            "groups": [int(one[stands[g]]) if level <= n else int(groups[stands[g]])
                       for level, one in zip(numbers, levels, strict=True)],
        }
        for g, words in enumerate(view.top_words(4))
    }  # fmt: skip
    merges, node = [], {k: str(k) for k in stands}
    for m in range(tree.n_topics - n, tree.n_topics - 1):
        stays, joins = tree.pairs[m].tolist()
        lost = tree.lost(tree.n_topics - m - 1)
        ends = {"stays": node[stays], "joins": node[joins]}
        merges.append({**ends, "price": round(float(tree.prices[m]), 5), "lost": round(lost, 5)})
        node[stays] = f"m{len(merges) - 1}"
    return {"leaves": leaves, "merges": merges, "n_leaves": n}


def list_documents(
    views: list[Snapshot], sampled: list[TimelineSample], longest: int
) -> list[dict[str, Any]]:
    """Return sampled documents with their topic and their typicality at every level.

    Texts of about `longest` bytes were truncated by the timeline.
    """
    first = sampled[0]
    best = [one.posterior.argmax(axis=1) for one in sampled]
    scores = [score(view, one) for view, one in zip(views, sampled, strict=True)]
    chosen = choose_documents(first.interval, best, scores)
    return [
        {
            "text": end_at_word(first.texts[i], longest),
            "position": float(first.positions[i]),
            "interval": int(first.interval[i]),
            "groups": [int(one[i]) for one in best],
            "scores": [round(float(one[i]), 4) for one in scores],
        }
        for i in chosen
    ]


def end_at_word(text: str, longest: int) -> str:
    """Return a text in one line; if it was truncated, with an ellipsis instead of its last word.

    Examples
    --------
    >>> end_at_word("more rain", 9), end_at_word("more rain", 100)
    ('more …', 'more rain')
    """
    shown = printable(text)
    # A truncated text may lack up to 3 bytes of a character of 4.
    if len(text.encode(errors="replace")) < longest - 3 or " " not in shown:
        return shown
    return shown.rsplit(" ", 1)[0] + " …"


def score(view: Snapshot, sampled: TimelineSample) -> Floats:
    """Return the typicality of each document for its likeliest topic, from 0 to 1."""
    is_long = sampled.documents.lengths >= MIN_WORDS
    shown = typicality(view.model, sampled.documents, sampled.posterior) * is_long
    return np.asarray(shown / max(float(shown.max(initial=0.0)), 1e-300))


def choose_documents(interval: Ints, best: list[Ints], scores: list[Floats]) -> list[int]:
    """Return the documents that are most typical at any level, overall and of each interval."""
    wanted: dict[int, None] = {}
    for depth in (12, 1):  # documents per topic, then per topic and interval
        for group, typical in zip(best, scores, strict=True):
            key = group if depth > 1 else group * (interval.max(initial=0) + 1) + interval
            order = np.lexsort((-typical, key))
            rank = np.arange(len(order)) - np.searchsorted(key[order], key[order])
            for i in order[(rank < depth) & (typical[order] > 0)].tolist():
                wanted.setdefault(i)
    return sorted(list(wanted)[:MOST_DOCUMENTS])
