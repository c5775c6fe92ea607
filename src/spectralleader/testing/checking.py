"""Checking: run all laws on one learner, with small fixed streams."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from spectralleader.testing import laws
from spectralleader.testing.requirements import (
    N_WORDS,
    AnyLearner,
    Family,
    LawError,
    Maker,
    cut,
    fixed_streams,
    growing_streams,
)

Law = Callable[..., None]
Case = tuple[Maker, tuple[Any, ...]]  # a maker, and the other arguments of the law


class Outcome(NamedTuple):
    """A law, and the error if the learner violates it."""

    law: str
    error: Exception | None

    def __str__(self) -> str:
        if self.error is None:
            return f"ok      {self.law}"
        kind = "" if isinstance(self.error, LawError) else f"{type(self.error).__name__}: "
        return f"BROKEN  {self.law}\n        {kind}{self.error}"


def check_learner(learner: Callable[..., AnyLearner], family: Family | None = None) -> None:
    """Raise `LawError` unless a learner satisfies every law; the message lists the violations.

    Parameters
    ----------
    learner : class or callable
        Called with ``n_topics``, ``seed`` and, unless it should grow, ``n_words``. Bind other
        parameters with `functools.partial`.
    family : Family, optional
        The family of models that it learns. Defaults to topics of `Documents`.

    Examples
    --------
    >>> from spectralleader import Unigram
    >>> check_learner(Unigram)
    """
    broken = [str(outcome) for outcome in run_laws(learner, family) if outcome.error is not None]
    if broken:
        raise LawError("\n".join([f"{len(broken)} laws are violated:", *broken]))


def run_laws(learner: Callable[..., AnyLearner], family: Family | None = None) -> Iterator[Outcome]:
    """Yield the outcome of each law."""
    make = Maker(learner, family)
    for law in all_laws():
        yield Outcome((law.__doc__ or "").strip().split("\n")[0], _first_error(law, make))


def all_laws() -> list[Law]:
    """Return the public functions of `laws` that take a maker."""
    # In the order of the page, so that a new law is run without being listed here, too.
    own = [law for law in vars(laws).values() if getattr(law, "__module__", "") == laws.__name__]
    return [law for law in own if _arguments(law)[:1] == ("make",)]


def _arguments(law: Law) -> tuple[str, ...]:
    return tuple(inspect.signature(law).parameters)


def _first_error(law: Law, make: Maker) -> Exception | None:
    try:
        for maker, given in CASES[_arguments(law)[1:]](make):
            law(maker, *given)
    except Exception as error:  # user code may raise anything
        return error
    return None


def _alone(make: Maker) -> Iterator[Case]:
    yield make, ()


def _streams(make: Maker) -> Iterator[Case]:
    yield from ((make.over(N_WORDS), (stream,)) for stream in fixed_streams(make.family))
    yield from ((make, (stream,)) for stream in growing_streams(make.family))


def _continued(make: Maker) -> Iterator[Case]:
    after = cut(make.family.documents(20, N_WORDS, seed=9), 5)
    yield from ((make.over(N_WORDS), (before, after)) for before in fixed_streams(make.family))
    growing = growing_streams(make.family)
    yield from ((make, case) for case in product(growing, growing[1:3]))


def _widened(make: Maker) -> Iterator[Case]:
    yield from ((make, case) for case in product(growing_streams(make.family), (0, 1, 9)))


def _permuted(make: Maker) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    for size in (1, 6, 30):
        stream = cut(make.family.documents(30, 20, seed=size), size)
        yield make.over(20), (stream, rng.permutation(20))


def _recoded(make: Maker) -> Iterator[Case]:
    rng = np.random.default_rng(1)
    after = growing_streams(make.family)[1]
    for stream, n_words in product(growing_streams(make.family), (1, 4, 30)):
        n_before = max([1, *(block.n_words for block in stream)])
        ids = np.full(n_before, -1)
        # Some words are dropped, the others renumbered, and ids may be left over for new words.
        n_kept = int(rng.integers(min(n_before, n_words) + 1))
        ids[rng.permutation(n_before)[:n_kept]] = rng.permutation(n_words)[:n_kept]
        yield make, (stream, (ids, n_words), after)


# The cases of a law by its arguments after the maker.
CASES: dict[tuple[str, ...], Callable[[Maker], Iterator[Case]]] = {
    (): _alone,  # laws with documents of their own
    ("stream",): _streams,
    ("before", "after"): _continued,
    ("stream", "n_more"): _widened,
    ("stream", "order"): _permuted,
    ("stream", "recoding", "after"): _recoded,
}
