"""Laws of failure: a step is refused before anything changes, or comes to its end.

An unexpected error, such as no more memory inside a step, breaks the learner: from then on
every use of it says so.
"""

from inspect import signature

import pytest

from spectralleader import Documents, save
from spectralleader.errors import BrokenError
from tests.factories import documents, growing, known_learners, same_state

# Where memory runs out, in the middle of a step.
SAMPLED = "samples.document_buffer.DocumentBuffer.enter"
PLACES = {
    "hedged": "em.stacked.expert_log_probs",
    "stepwise-em": "em.statistics.add_block",
    "unigram": "learners.learner_base.move_rows",
}


def make(name):
    cls = known_learners()[name]
    small = {"reservoir_size": 12} if "reservoir_size" in signature(cls).parameters else {}
    return cls(2, **small)


@pytest.fixture(params=list(known_learners()))
def name(request):
    return request.param


def break_off(learner, name, block, monkeypatch, error):
    """Let an error be raised in the middle of a step."""

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(f"spectralleader.{PLACES.get(name, SAMPLED)}", fail)
        with pytest.raises(type(error)):
            learner.learn(block)


@pytest.mark.parametrize("error", [MemoryError("no room"), KeyboardInterrupt()])
def test_a_step_that_is_broken_off_breaks_the_learner_and_every_use_says_so(
    name, error, monkeypatch, tmp_path
):
    learner, blocks = make(name), list(growing(documents(50, 9), 5))
    learner.learn(blocks[0])
    saved = save(learner, tmp_path / "m").read_bytes()
    break_off(learner, name, blocks[1], monkeypatch, error)
    uses = [
        lambda: learner.learn(blocks[1]),
        lambda: learner.model,
        lambda: learner.predictive,
        lambda: learner.to_state(),
        lambda: learner.recode(None, 100),
        lambda: save(learner, tmp_path / "m"),
    ]
    for use in uses:
        with pytest.raises(BrokenError, match=r"was being changed when .* load what was saved"):
            use()
    assert (tmp_path / "m").read_bytes() == saved


def test_what_is_refused_changes_nothing(name):
    learner, blocks = make(name), list(growing(documents(50, 9), 5))
    learner.learn(blocks[0])
    before = learner.to_state()
    with pytest.raises(TypeError, match="learn takes Documents"):
        learner.learn([[1, 2]])
    with pytest.raises(ValueError, match="new_ids"):
        learner.recode([0], 3)
    with pytest.raises(ValueError, match="n_words"):
        learner.recode(None, 0)
    assert same_state(learner.to_state(), before)
    learner.learn(Documents.empty(learner.n_words))
    assert same_state(learner.to_state(), before)
