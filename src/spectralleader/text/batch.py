"""Batch: texts of one step, counted, as the timeline keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.text.texts import Texts, take_texts
from spectralleader.text.timeline import Timeline
from spectralleader.text.times import Time, as_positions, check_n_times
from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import Vectoriser


class Batch(NamedTuple):
    """Texts, their times and the counts of their words."""

    texts: Sequence[Any]
    seconds: Floats | None  # (n_docs,) Unix seconds; None without times
    counted: Documents
    vectoriser: Vectoriser

    @classmethod
    def of(cls, texts: Texts, times: Iterable[Time] | None, vectoriser: Vectoriser) -> Batch:
        """Count texts; a growing vocabulary takes in their words once all were checked."""
        texts = take_texts(texts, vectoriser.words)
        seconds = None if times is None else as_positions(times)
        if seconds is not None:
            check_n_times(len(texts), len(seconds))
        return cls(texts, seconds, vectoriser.count(texts), vectoriser)

    def add_to(self, timeline: Timeline, n_before: int) -> None:
        """Add the texts that have words to a timeline, after so many documents."""
        places = np.flatnonzero(np.diff(self.counted.indptr) > 0)
        known = places.tolist()
        when = None if self.seconds is None else self.seconds[places]
        if when is not None and not timeline.by_time and np.isnan(when).all():
            when = None  # invalid times: number the documents instead
        stored = self._storing(timeline)
        timeline.add(lambda i: stored(known[i]), when, numbers=n_before + places)

    def _storing(self, timeline: Timeline) -> Callable[[int], str]:
        """Return what makes of a text what the timeline keeps: itself, or its known words."""
        words, longest = self.vectoriser.words, timeline.longest
        documents = self.texts.__getitem__ if timeline.texts else self._known_words
        if isinstance(words, Tokens):
            return lambda i: words.store(documents(i), longest)
        if timeline.texts:
            return self.texts.__getitem__
        return lambda i: " ".join(word for word, n in documents(i).items() for _ in range(n))

    def _known_words(self, i: int) -> dict[str, int]:
        """Return the counts of a document's known words, in the order of the vocabulary."""
        one, vocabulary = self.counted[i], self.vectoriser.vocabulary
        counts = one.counts.astype(np.int64).tolist()
        return {vocabulary[w]: n for w, n in zip(one.words.tolist(), counts, strict=True)}
