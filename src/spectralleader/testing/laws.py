"""The laws of learners: each is a function that raises if a learner violates it.

A law receives `make`, which returns a new small learner: ``make(n_words=5, seed=3)``. Without
`n_words` the learner grows. Laws about streams also receive blocks of documents. The first line of
the docstring states the law.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spectralleader.errors import BrokenError
from spectralleader.learners.protocol import Learner, Merges
from spectralleader.models import Predictive
from spectralleader.runtime.locks import ThreadSafe, is_locked
from spectralleader.storage.merging import merge
from spectralleader.testing.requirements import (
    N_WORDS,
    AnyLearner,
    LawError,
    Maker,
    Stream,
    continue_loaded,
    cut,
    reload,
    require,
    require_refusal,
    same_model,
    same_state,
    shards,
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
    make.family.require_valid(learner.model)
    n_words = learner.n_words
    for block in stream:
        n_words = max(n_words, block.n_words)
        learner.learn(block)
        make.family.require_valid(learner.model)
        found = (learner.n_words, learner.model.n_words)
        require(found == (n_words, n_words), f"n_words must be {n_words}, are {found}")
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
    stream = cut(make.family.documents(60, N_WORDS), 7)
    a, b = (taught(make(n_words=N_WORDS, seed=3), stream) for _ in range(2))
    require(same_model(a.model, b.model), "two learners with one seed have different models")


def renaming_words_renames_the_model(make: Maker) -> None:
    """Words in another order give the same model with its words in that order."""
    # Up to rounding: sums over renamed words are computed in another order. A learner that starts
    # from random topics gets a renamed start.
    block, ids = make.family.documents(300, N_WORDS), np.array([1, 3, 4, 0, 2])
    one = taught(make.started(N_WORDS), cut(block, 50))
    start = {name: model.recode(ids, N_WORDS) for name, model in make.start(N_WORDS).items()}
    renamed = taught(make(n_words=N_WORDS, **start), cut(block.recode(ids, N_WORDS), 50))
    wanted, found = one.model.recode(ids, N_WORDS).to_state(), renamed.model.to_state()
    for name, value in wanted.items():
        away = float(np.abs(np.asarray(value) - np.asarray(found[name])).max())
        require(away <= 1e-7, f"with words renamed, the models differ in {name} by {away:g}")


def a_copy_goes_on_by_itself(make: Maker) -> None:
    """A copy, including one by pickle, learns without changing the original."""
    learner = taught(make(n_words=N_WORDS), cut(make.family.documents(60, N_WORDS), 20))
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        require(same_model(learner.model, twin.model), "a copy must have the same model")
        with unchanged(learner, "learning in a copy changed the original"):
            twin.learn(make.family.documents(20, N_WORDS, seed=1))


def an_empty_block_is_a_no_op(make: Maker) -> None:
    """An empty block changes nothing."""
    learner = make(n_words=N_WORDS)
    block = make.family.documents(20, N_WORDS)
    learner.learn(block)
    with unchanged(learner, "an empty block changed the state"):
        learner.learn(block[:0])


def memory_is_bounded(make: Maker) -> None:
    """Memory does not grow with the stream, unless the docstring says "memory grows"."""
    if "memory grows" in (type(make()).__doc__ or "").lower():
        return
    small = {"reservoir_size": 20} if "reservoir_size" in make.takes else {}
    learner, sizes = make(n_words=N_WORDS, **small), []
    # The first of ten blocks fills the reservoir; from then on documents are only replaced.
    for block in cut(make.family.documents(400, N_WORDS), 40):
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


def odd_documents_give_a_valid_model(make: Maker) -> None:
    """Odd documents (empty, one word, all equal, endless, K > d) give a valid model."""
    for what, block in make.family.odd().items():
        for n_topics in (1, 3, 8):
            learner = make(n_topics=n_topics, n_words=N_WORDS)
            try:
                for part in [*cut(block, 4), block]:
                    learner.learn(part)
                    make.family.require_valid(learner.model)
                    # Up to rounding, relative to the length.
                    log_probs = learner.predictive.log_prob(block) / np.maximum(block.lengths, 1.0)
                    require(np.isfinite(log_probs).all(), "predictive.log_prob must be finite")
                    require((log_probs <= 1e-9).all(), "a probability is above 1")
            except AssertionError as error:
                raise LawError(f"{what}, {n_topics} topics: {error}") from error


def predictions_are_proper(make: Maker) -> None:
    """Predictions sum to 1 over all documents, and do not depend on the others in the block."""
    for n_words in (1, 3):
        # With one word alone, whatever a document has is certain.
        learner, everything = make(n_words=n_words), make.family.everything(n_words)
        for block in [everything[:0], *cut(make.family.documents(40, n_words), 20)]:
            learner.learn(block)
            for predict in (learner.model, learner.predictive):
                log_probs = predict.log_prob(everything)
                total = float(np.exp(log_probs).sum())
                require(abs(total - 1.0) <= 1e-6, f"probabilities must sum to 1, not {total:g}")
                alone = np.concatenate([predict.log_prob(one) for one in cut(everything, 1)])
                away = float(np.abs(alone - log_probs).max())
                require(away <= 1e-9, f"alone in its block, a document differs by {away:g}")


class Interruption:
    """Raises `MemoryError` when a block is used for the n-th time, whatever of it."""

    def __init__(self, block: Any, n_uses: int) -> None:
        self.n_left = n_uses

        def use(block: Any, name: str) -> Any:
            self.n_left -= not name.startswith("__")
            if self.n_left < 0:
                raise MemoryError("no room")
            return object.__getattribute__(block, name)

        # A subclass, so that the block is still one of its kind to those that check.
        self.block = copy.copy(block)
        members = {"__slots__": (), "__getattribute__": use}
        object.__setattr__(self.block, "__class__", type("Failing", (type(block),), members))


MOST_USES = 60  # of a block in a step that are interrupted; a step of ours uses it 5 to 50 times


def a_failed_step_changes_nothing_or_breaks_the_learner(make: Maker) -> None:
    """A step that fails half-way, out of memory, changes nothing, or every use says BrokenError."""
    for n_uses in range(MOST_USES):
        learner = taught(make(n_words=N_WORDS), cut(make.family.documents(20, N_WORDS), 10))
        before = copy.deepcopy(learner.to_state())
        failing = Interruption(make.family.documents(9, N_WORDS, seed=1), n_uses)
        try:
            learner.learn(failing.block)
            return  # no use is left
        except MemoryError:
            pass
        uses = _uses(learner, make.family.documents(9, N_WORDS))
        # Either all of it is as before, or nothing of it can be used.
        if not _is_refused(uses[0]):
            require(same_state(learner.to_state(), before), "a failed step left half of a change")
            continue
        require(all(map(_is_refused, uses)), "a broken learner must refuse every use")


def _uses(learner: AnyLearner, block: Any) -> list[Callable[[], object]]:
    reads = [partial(getattr, learner, name) for name in ("model", "predictive")]
    changes = [partial(learner.learn, block), partial(learner.recode, None, N_WORDS + 1)]
    return [learner.to_state, *reads, *changes]


def _is_refused(use: Callable[[], object]) -> bool:
    try:
        use()
    except BrokenError:
        return True
    return False


def what_is_public_is_locked(make: Maker) -> None:
    """If it locks its steps, all its public methods and properties wait for their end."""
    cls = type(make())
    if not issubclass(cls, ThreadSafe):
        return
    members = {name: inspect.getattr_static(cls, name) for name in dir(cls) if name[0] != "_"}
    bare = [
        name
        for name, member in members.items()
        if (inspect.isfunction(member) or isinstance(member, property)) and not is_locked(member)
    ]
    require(not bare, f"@locked is missing: {', '.join(bare)}")


def a_wrong_block_is_refused_and_changes_nothing(make: Maker) -> None:
    """A block over another vocabulary size, or of another type, is rejected before learning."""
    learner = make(n_words=N_WORDS)
    learner.learn(make.family.documents(20, N_WORDS))
    wrong: Any = [[0, 1]]
    with unchanged(learner, "a rejected block changed the state"):
        for n_words in (4, 9):
            call = partial(learner.learn, make.family.documents(20, n_words))
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
    for i, block in enumerate(make.family.growing(400, 40, 7)):
        learner.learn(block)
        if i not in (10, 20, 30, 31):
            continue
        twin, n_words = copy.deepcopy(learner), learner.n_words
        with unchanged(learner, "a copy that grew changed the original"):
            for wider in (n_words + 1, n_words + 2, 3 * n_words):
                twin.learn(make.family.documents(3, wider, seed=i))
                require(same_model(twin.model, reload(twin).model), "a loaded copy differs")


def an_empty_block_and_a_recoding_widen_alike(make: Maker, stream: Stream, n_more: int) -> None:
    """Adding words by an empty block over more words equals adding them by recode."""
    a, b, c = (taught(make(), stream) for _ in range(3))
    n_words = a.n_words + n_more
    a.learn(make.family.documents(1, n_words)[:0])
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
    make.family.require_valid(learner.model)
    found = (learner.n_words, learner.model.n_words)
    require(found == (n_words, n_words), f"recoded to {n_words} words, it has {found}")
    continue_loaded(learner, after)
    make.family.require_valid(learner.model)


def a_bad_recoding_is_refused_and_changes_nothing(make: Maker) -> None:
    """Invalid or duplicate ids are rejected and change nothing."""
    for ids, n_words in BAD_RECODINGS:
        learner = taught(make(), cut(make.family.documents(20, 5), 10))
        call = partial(learner.recode, ids, n_words)
        with unchanged(learner, "a rejected recoding changed the state"):
            require_refusal(call, ValueError, f"recode({ids!r}, {n_words})")


def merging_with_an_empty_learner_changes_nothing(make: Maker) -> None:
    """If it can be merged, one that learned nothing adds nothing."""
    for (learner,) in shards(make, 1):
        for parts in ((learner, make.started(N_WORDS)), (make.started(N_WORDS), learner)):
            merged = merge(*parts)
            same = same_state(merged.to_state(), learner.to_state())
            require(same, "merging with an empty learner changed the state")


def merging_leaves_its_inputs_unchanged(make: Maker) -> None:
    """Merging changes no learner, and is the same for the same seed."""
    for a, b in shards(make, 2):
        with unchanged(a, "merging changed a learner"), unchanged(b, "merging changed a learner"):
            merged = [merge(a, b, seed=1) for _ in range(2)]
            same = same_state(merged[0].to_state(), merged[1].to_state())
            require(same, "with one seed, merging gives different learners")
            taught(merged[0], cut(make.family.documents(20, N_WORDS, seed=9), 10))


def a_merged_learner_goes_on(make: Maker) -> None:
    """A merged learner has a valid model, learns, is saved and is merged again."""
    for a, b, c in shards(make, 3):
        after = cut(make.family.documents(20, N_WORDS, seed=9), 10)
        for merged in (merge(a, b), merge(merge(a, b), c)):
            make.family.require_valid(merged.model)
            continue_loaded(merged, after)
            make.family.require_valid(merged.model)


def growing_learners_are_merged_over_all_words(make: Maker) -> None:
    """Growing learners are merged over the words of the widest."""
    if not isinstance(make(), Merges):
        return
    a, b = make(), make()
    block = make.family.documents(10, 2)
    a.learn(block)
    taught(b, [block, make.family.documents(5, 4)])
    for merged in (merge(a, b), merge(b, a)):
        found = (merged.n_words, merged.model.n_words, merged.grows)
        require(found == (4, 4, True), f"merged over 2 and 4 words, it has {found}")
