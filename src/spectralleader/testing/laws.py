"""The laws of learners: each is a function that raises if a learner violates it.

A law receives `make`, which returns a new small learner: ``make(n_words=5, seed=3)``. Without
`n_words` the learner grows. Laws about streams also receive blocks of documents. The first line of
the docstring states the law.
"""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.documents import Documents
from spectralleader.learners.protocol import Learner, Predictive
from spectralleader.models import TopicModel
from spectralleader.testing.requirements import (
    DEGENERATE,
    N_TOPICS,
    N_WORDS,
    LawError,
    Maker,
    Stream,
    continue_loaded,
    documents,
    growing,
    reload,
    require,
    require_refusal,
    require_valid,
    same_model,
    same_state,
    taught,
    unchanged,
)

BAD_PARAMETERS: dict[str, list[Any]] = {
    "seed": [None, -1, 1.5, "a"],
    "n_topics": [0, -1, 2.5, "3", True],
}


def has_the_members_of_a_learner(make: Maker) -> None:
    """It has learn, recode, model, predictive, to_state, from_state, n_topics, n_words, grows."""
    learner = make.over(N_WORDS)()
    require(isinstance(learner, Learner), "a member of the protocol Learner is missing")
    require(isinstance(learner.predictive, Predictive), "predictive must have log_prob")
    require(not learner.grows, "a learner that is given n_words must not grow")
    require(make().grows, "a learner without n_words must grow")
    # Files keep the name of the learner's class there.
    require("kind" not in learner.to_state(), "the key 'kind' of a state is reserved for files")


def model_is_valid_at_every_step(make: Maker, stream: Stream) -> None:
    """The model is a finite distribution at every step, and predictions are finite."""
    learner = make()
    require_valid(learner.model)
    n_words = learner.n_words
    for block in stream:
        n_words = max(n_words, block.n_words)
        learner.learn(block)
        model = learner.model
        require_valid(model)
        wanted, found = (learner.n_topics, n_words), model.topics.shape
        require(found == wanted, f"topics must have shape {wanted}, have {found}")
        require(learner.n_words == n_words, f"n_words must be {n_words}, is {learner.n_words}")
        log_probs = learner.predictive.log_prob(block.widen(n_words))
        require(np.isfinite(log_probs).all(), "predictive.log_prob must be finite")


def reading_changes_nothing(make: Maker, stream: Stream) -> None:
    """Reading the model changes nothing."""
    read, unread = make(), make()
    for block in stream:
        read.learn(block)
        unread.learn(block)
        require(same_model(read.model, read.model), "two reads must return the same model")
    require(same_model(read.model, unread.model), "reading between steps changed the model")
    same = same_state(read.to_state(), unread.to_state())
    require(same, "reading between steps changed the state")


def input_stays_unchanged(make: Maker, stream: Stream) -> None:
    """Learning leaves its input unchanged."""
    learner = make()
    for block in stream:
        with unchanged(block, "learn changed the block it was given"):
            learner.learn(block)


def resumes_bit_for_bit(make: Maker, before: Stream, after: Stream) -> None:
    """Saved, loaded and continued, it equals one that never stopped, bit for bit."""
    continue_loaded(taught(make(), before), after)


def same_seed_gives_the_same_model(make: Maker) -> None:
    """The same seed gives the same model."""
    stream = list(documents(60, N_WORDS).blocks(7))
    a, b = (taught(make(n_words=N_WORDS, seed=3), stream) for _ in range(2))
    require(same_model(a.model, b.model), "two learners with one seed have different models")


def renaming_words_renames_the_model(make: Maker) -> None:
    """Words in another order give the same model with its words in that order."""
    # Up to rounding: sums over renamed words are computed in another order. A learner that starts
    # from random topics gets a renamed start.
    block, order = documents(300, N_WORDS), np.array([3, 0, 4, 1, 2])
    renamed = Documents.from_matrix(block.to_matrix()[:, order])
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(N_TOPICS, 5.0))
    topics = rng.dirichlet(np.full(N_WORDS, 0.3), size=N_TOPICS)
    models = []
    for start, stream in ((topics, block), (topics[:, order], renamed)):
        given = {"start": TopicModel(weights, start)} if "start" in make.takes else {}
        models.append(taught(make(n_words=N_WORDS, **given), stream.blocks(50)).model)
    for a, b in (
        (models[0].weights, models[1].weights),
        (models[0].topics[:, order], models[1].topics),
    ):
        away = float(np.abs(a - b).max())
        require(away <= 1e-7, f"with words renamed, the models differ by {away:g}")


def a_copy_goes_on_by_itself(make: Maker) -> None:
    """A copy, including one by pickle, learns without changing the original."""
    learner = taught(make(n_words=N_WORDS), documents(60, N_WORDS).blocks(20))
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        require(same_model(learner.model, twin.model), "a copy must have the same model")
        with unchanged(learner, "learning in a copy changed the original"):
            twin.learn(documents(20, N_WORDS, seed=1))


def an_empty_block_is_a_no_op(make: Maker) -> None:
    """An empty block changes nothing."""
    learner = make(n_words=N_WORDS)
    learner.learn(documents(20, N_WORDS))
    with unchanged(learner, "an empty block changed the state"):
        learner.learn(Documents.empty(N_WORDS))


def memory_is_bounded(make: Maker) -> None:
    """Memory does not grow with the stream, unless the docstring says "memory grows"."""
    if "memory grows" in (type(make()).__doc__ or "").lower():
        return
    small = {"reservoir_size": 20} if "reservoir_size" in make.takes else {}
    learner, sizes = make(n_words=N_WORDS, **small), []
    # The first of ten blocks fills the reservoir; from then on documents are only replaced.
    for block in documents(400, N_WORDS).blocks(40):
        learner.learn(block)
        sizes.append(size_of(learner.to_state()))
    first, last = max(sizes[:5]), max(sizes[5:])
    require(last <= 1.5 * first, f"its state grew from {first} to {last} bytes")


def size_of(state: object) -> int:
    """Return the size of a state in bytes."""
    if isinstance(state, dict):
        return sum(map(size_of, state.values()))
    if isinstance(state, list | tuple):
        return sum(map(size_of, state))
    return int(np.asarray(state).nbytes)


def degenerate_documents_give_a_valid_model(make: Maker) -> None:
    """Degenerate documents (empty, one word, all equal, K > d) give a valid model."""
    for what, tokens in DEGENERATE.items():
        for n_topics in (1, 3, 8):
            learner = make(n_topics=n_topics, n_words=N_WORDS)
            for block in Documents.from_tokens(tokens, N_WORDS).blocks(4):
                learner.learn(block)
                try:
                    require_valid(learner.model)
                except AssertionError as error:
                    raise LawError(f"{what}, {n_topics} topics: {error}") from error


def one_word_is_a_legal_vocabulary(make: Maker) -> None:
    """A vocabulary of one word is valid."""
    learner = make(n_words=1)
    learner.learn(Documents.from_tokens([[0, 0, 0], [0]], n_words=1))
    away = float(np.abs(learner.model.topics - 1.0).max())
    require(away < 1e-7, f"the only word must have probability 1, but is {away:g} off")


def a_wrong_block_is_refused_and_changes_nothing(make: Maker) -> None:
    """A block over another vocabulary size, or of another type, is rejected before learning."""
    learner = make(n_words=N_WORDS)
    learner.learn(documents(20, N_WORDS))
    wrong: Any = [[0, 1]]
    with unchanged(learner, "a rejected block changed the state"):
        for n_words in (4, 9):
            call = partial(learner.learn, documents(20, n_words))
            require_refusal(call, ValueError, f"a block over {n_words} words, not {N_WORDS},")
        require_refusal(partial(learner.learn, wrong), (TypeError, ValueError), "a list")
    require(not reload(learner).grows, "after loading, it must still not grow")


def bad_parameters_are_refused(make: Maker) -> None:
    """Seeds and numbers of topics must be integers within bounds."""
    for key, values in BAD_PARAMETERS.items():
        for value in values:
            call = partial(make, n_words=N_WORDS, **{key: value})
            require_refusal(call, ValueError, f"{key}={value!r}")


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
        twin, n_words = copy.deepcopy(learner), learner.n_words
        with unchanged(learner, "a copy that grew changed the original"):
            for wider in (n_words + 1, n_words + 2, 3 * n_words):
                twin.learn(documents(3, wider, seed=i))
                require(same_model(twin.model, reload(twin).model), "a loaded copy differs")


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
    model, n_words = learner.model, learner.n_words
    with unchanged(learner, "renumbering and back changed the state"):
        learner.recode(order, n_words)
        learner.recode(np.argsort(order), n_words)
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
        call = partial(learner.recode, ids, n_words)
        with unchanged(learner, "a rejected recoding changed the state"):
            require_refusal(call, ValueError, f"recode({ids!r}, {n_words})")
