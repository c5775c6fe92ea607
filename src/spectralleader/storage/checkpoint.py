"""Checkpoint: topics with their position in the input, and the losses so far."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from dataclasses import field as default
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, final

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.checks import check_json
from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import MOST, State, floats, number, part, plain, whole
from spectralleader.learners import Learner, Unigram
from spectralleader.learners.registry import learner_state, read_learner
from spectralleader.topics.text_topics import MAX_POSITION, TextTopics, check_same_vocabulary

MOST_POINTS = 200  # of a curve; with more, neighbours are merged in pairs
WIDTH = 100  # documents of a point, at first


class LossPoint(NamedTuple):
    """Consecutive documents that were predicted before they were learned, added up."""

    n_docs: float
    n_words: float
    loss: float  # nats, of the learner
    unigram_loss: float  # nats, of word frequencies

    def __add__(self, other: Any) -> LossPoint:
        return LossPoint(*(a + b for a, b in zip(self, other, strict=True)))


class LossCurve(Saved):
    """Losses of a learner and of word frequencies over a stream, in at most `MOST_POINTS` points.

    Examples
    --------
    >>> curve = LossCurve()
    >>> for _ in range(3):
    ...     curve.add(LossPoint(60, 600, 3000.0, 3600.0))
    >>> curve.rows()
    [(120, 5.0, 6.0), (180, 5.0, 6.0)]
    """

    saved = fields(
        width=field(whole, least=1), table=field(floats, shape=(None, 4), least=-MOST, most=MOST)
    )

    def __init__(self) -> None:
        self.width = WIDTH
        self.points: list[LossPoint] = []

    def add(self, point: LossPoint) -> None:
        """Add documents; none, if nothing of them was predicted."""
        if not point.n_docs:
            return
        if self.points and self.points[-1].n_docs < self.width:
            self.points[-1] += point
        else:
            self.points.append(point)
        if len(self.points) > MOST_POINTS:
            # Halving keeps the whole stream in a bounded number of points, all about as wide.
            self.width *= 2
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            odd = self.points[-1:] if len(self.points) % 2 else []
            self.points = [*(a + b for a, b in pairs), *odd]

    def rows(self) -> list[tuple[int, float, float]]:
        """Return documents up to the end of each point, and nats per word of both, rounded."""
        ends = np.cumsum([point.n_docs for point in self.points]).astype(int).tolist()
        per_word = (
            (round(p.loss / p.n_words, 4), round(p.unigram_loss / p.n_words, 4))
            for p in self.points
        )
        return [(end, *losses) for end, losses in zip(ends, per_word, strict=True)]

    @property
    def table(self) -> Floats:
        """The points as rows."""
        return np.array(self.points, float).reshape(-1, 4)

    @table.setter
    def table(self, rows: Floats) -> None:
        self.points = [LossPoint(*row) for row in rows.tolist()]

    def _loaded(self) -> None:
        # `rows` divides by these numbers.
        is_empty = any(point.n_docs < 1 or point.n_words < 1 for point in self.points)
        if is_empty or len(self.points) > MOST_POINTS:
            raise ValueError(f"points must be at most {MOST_POINTS}, each of documents with words")


@final
@dataclass(frozen=True)
class Losses(Saved):
    """Prequential losses: sums over documents that were predicted before they were learned.

    Examples
    --------
    >>> losses = Losses(n_learned=3, n_docs=2, n_words=4.0, loss=4 * math.log(2)) + Losses(1)
    >>> losses.n_learned, round(losses.mean_loss, 3), losses.perplexity
    (4, 1.386, 2.0)
    """

    saved = fields(
        n_learned=whole,
        n_docs=whole,
        n_words=field(number, least=0),
        loss=number,
        seconds=field(number, least=0),
    )
    n_learned: int = 0  # documents learned
    n_docs: int = 0  # documents predicted
    n_words: float = 0.0  # words in the predicted documents
    loss: float = 0.0  # negative log-probability of the predicted documents, in nats
    seconds: float = 0.0  # time spent on predicting and learning

    def __add__(self, other: Losses) -> Losses:
        return Losses(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def mean_loss(self) -> float | None:
        """L1: mean negative log-probability per document, in nats; None before any prediction."""
        return self.loss / self.n_docs if self.n_docs else None

    @property
    def perplexity(self) -> float | None:
        """The effective number of equally likely words; None before any prediction."""
        return math.exp(self.loss / self.n_words) if self.n_words else None

    @property
    def microseconds(self) -> float | None:
        """Microseconds per learned document, for predicting and learning; None if there is none."""
        return 1e6 * self.seconds / self.n_learned if self.n_learned else None


def read_settings(state: Any, name: str) -> dict[str, str]:
    """Return stored settings: printable texts by printable names."""
    settings = part(state, name)
    if not all(type(t) is str and t.isprintable() for pair in settings.items() for t in pair):
        raise ValueError(f"{name} must be printable strings")
    return settings


@dataclass(frozen=True)
class Run(Saved):
    """What `learn --save` needs besides topics to resume a pass."""

    saved = fields(
        settings=read_settings,
        n_docs=whole,
        seconds=field(number, least=0),
        losses=field(Losses, optional=True),
        unigram_losses=Losses,
        unigram=Unigram,
        curve=LossCurve,
    )
    settings: dict[str, str]  # by option name
    n_docs: int  # documents of the topics; with another number they have learned something else
    seconds: float  # spent learning so far
    losses: Losses | None  # of the learner; None for an offline learner
    unigram_losses: Losses
    unigram: Unigram  # the baseline that losses are compared with
    curve: LossCurve = default(default_factory=LossCurve)  # both losses over the stream


def read_learned(state: Any, name: str) -> Any:
    """Return stored topics, or a learner, whose state names its class."""
    is_learner = "kind" in part(state, name)
    return read_learner(state, name) if is_learner else TextTopics.from_state(part(state, name))


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # see `documents.protocol`

    LearnedT = TypeVar("LearnedT", default=TextTopics)
else:
    from typing import TypeVar

    LearnedT = TypeVar("LearnedT")


@dataclass(frozen=True)
class Checkpoint(Saved, Generic[LearnedT]):
    """Topics, whose position in the input is theirs, with the run of `learn --save`.

    In place of topics there may be any learner, whose position is kept beside it, so that the two
    always agree.

    Examples
    --------
    >>> from spectralleader import Documents
    >>> found = Checkpoint(Unigram(1, n_words=2))
    >>> for batch in (0, 1, 1):  # a restarted stream may repeat its last batch
    ...     if batch >= (found.position or 0):
    ...         found.topics.learn(Documents.from_tokens([[0, 1]], n_words=2))
    ...         found = Checkpoint(found.topics, position=batch + 1)
    >>> found.position
    2
    """

    saved = fields(
        topics=read_learned,
        run=field(Run, optional=True),
        position=field(plain, optional=True, most=MAX_POSITION),
    )
    topics: LearnedT
    run: Run | None = None  # None for topics that were learned from Python
    position: Any = None  # of a learner, as JSON; topics have their own

    def to_state(self) -> State:
        """Return topics or learner, position and run as arrays and plain values."""
        learned: Any = self.topics
        state = super().to_state()
        if isinstance(learned, Learner):
            state["topics"] = learner_state(learned)
        if self.position is not None:
            state["position"] = check_json("a position", self.position)
        return state

    def _loaded(self) -> None:
        if self.position is not None and isinstance(self.topics, TextTopics):
            raise ValueError("topics have a position of their own")
        if self.run is not None and isinstance(self.topics, TextTopics):
            check_same_vocabulary(self.run.unigram, self.topics.vocabulary)
