"""Checking: run all laws on one learner, with small fixed streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from spectralleader.learners.protocol import Learner
from spectralleader.testing import laws
from spectralleader.testing.requirements import (
    N_WORDS,
    LawError,
    Maker,
    documents,
    fixed_streams,
    growing_streams,
)

Law = Callable[..., None]
Case = tuple[Maker, tuple[Any, ...]]  # a maker, and the other arguments of the law

ALONE: tuple[Law, ...] = (  # laws with documents of their own
    laws.has_the_members_of_a_learner,
    laws.same_seed_gives_the_same_model,
    laws.renaming_words_renames_the_model,
    laws.a_copy_goes_on_by_itself,
    laws.a_copy_grows_by_itself,
    laws.an_empty_block_is_a_no_op,
    laws.memory_is_bounded,
    laws.degenerate_documents_give_a_valid_model,
    laws.one_word_is_a_legal_vocabulary,
    laws.a_wrong_block_is_refused_and_changes_nothing,
    laws.bad_parameters_are_refused,
    laws.a_bad_recoding_is_refused_and_changes_nothing,
)
OF_A_STREAM: tuple[Law, ...] = (
    laws.model_is_valid_at_every_step,
    laws.reading_changes_nothing,
    laws.input_stays_unchanged,
)


class Outcome(NamedTuple):
    """A law, and the error if the learner violates it."""

    law: str
    error: Exception | None

    def __str__(self) -> str:
        if self.error is None:
            return f"ok      {self.law}"
        kind = "" if isinstance(self.error, LawError) else f"{type(self.error).__name__}: "
        return f"BROKEN  {self.law}\n        {kind}{self.error}"


def check_learner(learner: Callable[..., Learner]) -> None:
    """Raise `LawError` unless a learner satisfies every law; the message lists the violations.

    Parameters
    ----------
    learner : class or callable
        Called with ``n_topics``, ``seed`` and, unless it should grow, ``n_words``. Bind other
        parameters with `functools.partial`.

    Examples
    --------
    >>> from spectralleader import Unigram
    >>> check_learner(Unigram)
    """
    broken = [str(outcome) for outcome in run_laws(learner) if outcome.error is not None]
    if broken:
        raise LawError("\n".join([f"{len(broken)} laws are violated:", *broken]))


def run_laws(learner: Callable[..., Learner]) -> Iterator[Outcome]:
    """Yield the outcome of each law."""
    make = Maker(learner)
    for law, cases in all_cases(make):
        yield Outcome((law.__doc__ or "").strip().split("\n")[0], _first_error(law, cases))


def _first_error(law: Law, cases: Iterator[Case]) -> Exception | None:
    try:
        for make, given in cases:
            law(make, *given)
    except Exception as error:  # user code may raise anything
        return error
    return None


def all_cases(make: Maker) -> Iterator[tuple[Law, Iterator[Case]]]:
    """Yield every law with its cases."""
    for law in ALONE:
        yield law, iter([(make, ())])
    for law in OF_A_STREAM:
        yield law, ((one, (stream,)) for one, stream in _streams(make))
    yield laws.resumes_bit_for_bit, _continued(make)
    yield (
        laws.an_empty_block_and_a_recoding_widen_alike,
        ((make, case) for case in product(growing_streams(), (0, 1, 9))),
    )
    yield laws.the_inverse_permutation_undoes_a_recoding, _permuted(make)
    yield laws.any_recoding_leaves_a_valid_model, _recoded(make)


def _streams(make: Maker) -> Iterator[tuple[Maker, list[Any]]]:
    yield from ((make.over(N_WORDS), stream) for stream in fixed_streams())
    yield from ((make, stream) for stream in growing_streams())


def _continued(make: Maker) -> Iterator[Case]:
    after = list(documents(20, N_WORDS, seed=9).blocks(5))
    yield from ((make.over(N_WORDS), (before, after)) for before in fixed_streams())
    yield from ((make, case) for case in product(growing_streams(), growing_streams()[1:3]))


def _permuted(make: Maker) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    for size in (1, 6, 30):
        stream = list(documents(30, 20, seed=size).blocks(size))
        yield make.over(20), (stream, rng.permutation(20))


def _recoded(make: Maker) -> Iterator[Case]:
    rng = np.random.default_rng(1)
    after = growing_streams()[1]
    for stream, n_words in product(growing_streams(), (1, 4, 30)):
        n_before = max([1, *(block.n_words for block in stream)])
        ids = np.full(n_before, -1)
        n_kept = int(rng.integers(min(n_before, n_words) + 1))
        ids[rng.permutation(n_before)[:n_kept]] = rng.permutation(n_words)[:n_kept]
        yield make, (stream, (ids, n_words), after)
