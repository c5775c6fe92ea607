"""The laws of adding, renumbering and dropping words; see `laws`."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.documents import Documents
from spectralleader.testing.requirements import (
    Maker,
    Stream,
    continue_loaded,
    reload,
    require,
    require_refusal,
    require_valid,
    same_model,
    same_state,
    taught,
)
from spectralleader.testing.streams import documents, growing

BAD_RECODINGS: tuple[tuple[ArrayLike | None, Any], ...] = (  # of 5 words
    ([0, 1], 5),
    ([0.0, 1.0, 2.0, 3.0, 4.0], 5),
    ([0, 1, 2, 3, 5], 5),
    ([0, 1, 2, 3, -2], 5),
    ([0, 1, 2, 3, 3], 5),
    (None, 4),
    ([-1] * 5, 0),
    (None, 5.5),
)


def a_copy_grows_by_itself(make: Maker) -> None:
    """A copy learns new words without changing the original."""
    learner = make()
    for i, block in enumerate(growing(documents(400, 40), 7)):
        learner.learn(block)
        if i not in (10, 20, 30, 31):
            continue
        before, twin, n_words = learner.to_state(), copy.deepcopy(learner), learner.n_words
        for wider in (n_words + 1, n_words + 2, 3 * n_words):
            twin.learn(documents(3, wider, seed=i))
            require(same_model(twin.model, reload(twin).model), "a loaded copy differs")
        require(same_state(learner.to_state(), before), "a copy that grew changed the original")


def an_empty_block_and_a_recoding_widen_alike(make: Maker, stream: Stream, n_more: int) -> None:
    """Adding words by an empty block over more words equals adding them by recode."""
    a, b, c = (taught(make(), stream) for _ in range(3))
    n_words = a.n_words + n_more
    a.learn(Documents.empty(n_words))
    b.recode(np.arange(b.n_words), n_words)
    c.recode(None, n_words)
    for other in (b, c):
        require(same_state(a.to_state(), other.to_state()), "two ways to add words differ")


def the_inverse_permutation_undoes_a_recoding(
    make: Maker, stream: Stream, order: ArrayLike
) -> None:
    """Renumbering words and back leaves the learner unchanged."""
    learner = taught(make(), stream)
    before, model, n_words = learner.to_state(), learner.model, learner.n_words
    learner.recode(order, n_words)
    learner.recode(np.argsort(order), n_words)
    require(same_state(learner.to_state(), before), "renumbering and back changed the state")
    require(same_model(learner.model, model), "renumbering and back changed the model")


def any_recoding_leaves_a_valid_model(
    make: Maker, stream: Stream, recoding: tuple[ArrayLike, int], after: Stream
) -> None:
    """Words can be added, renumbered and dropped; learning continues, also after loading."""
    learner, (ids, n_words) = taught(make(), stream), recoding
    learner.recode(ids, n_words)
    require_valid(learner.model)
    found = (learner.n_words, learner.model.n_words)
    require(found == (n_words, n_words), f"recoded to {n_words} words, it has {found}")
    continue_loaded(learner, after)
    require_valid(learner.model)


def a_bad_recoding_is_refused_and_changes_nothing(make: Maker) -> None:
    """Invalid or duplicate ids are rejected and change nothing."""
    for ids, n_words in BAD_RECODINGS:
        learner = taught(make(), documents(20, 5).blocks(10))
        before = learner.to_state()
        call = partial(learner.recode, ids, n_words)
        require_refusal(call, ValueError, f"recode({ids!r}, {n_words})")
        require(same_state(learner.to_state(), before), "a rejected recoding changed the state")
