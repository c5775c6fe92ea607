"""Laws that every learner keeps; their text is in `spectralleader.testing`."""

from inspect import signature

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import LEARNERS
from spectralleader.testing import laws
from spectralleader.testing.checking import all_laws
from spectralleader.testing.requirements import N_WORDS, Maker
from tests.factories import blocks, documents, example_learner, known_learners, same_state

KNOWN = known_learners()
KNOWN["the example to copy"] = example_learner()
ALONE = [law for law in all_laws() if len(signature(law).parameters) == 1]  # but for `make`
STREAMS = st.lists(blocks(N_WORDS), max_size=4)


@pytest.fixture(params=sorted(KNOWN), scope="module")
def make(request):
    """A constructor of small learners of one kind, which grow unless told."""
    return Maker(KNOWN[request.param])


def test_every_learner_has_a_description():
    assert all(learner.__doc__ for learner in LEARNERS.values())


@pytest.mark.parametrize("law", ALONE, ids=lambda law: law.__name__)
def test_it_keeps_the_law(make, law):
    law(make)


@given(stream=STREAMS)
def test_the_model_is_valid_at_every_step(make, stream):
    laws.model_is_valid_at_every_step(make.over(N_WORDS), stream)


@given(stream=STREAMS)
def test_reading_the_model_changes_nothing(make, stream):
    laws.reading_changes_nothing(make.over(N_WORDS), stream)


@given(stream=STREAMS)
def test_learning_leaves_its_input_unchanged(make, stream):
    laws.input_stays_unchanged(make.over(N_WORDS), stream)


@given(before=st.lists(blocks(), max_size=3), after=st.lists(blocks(), max_size=3))
def test_save_load_continue_equals_never_stopped(make, before, after):
    laws.resumes_bit_for_bit(make.over(N_WORDS), before, after)


def test_errors_say_what_was_given_and_what_to_do(make):
    learner = make(n_words=N_WORDS)
    before = learner.to_state()
    for n_words in (4, 9):
        says = rf"knows 5 words, the block is over {n_words}; .*leave n_words out"
        with pytest.raises(ValueError, match=says):
            learner.learn(documents(20, n_words))
    with pytest.raises(TypeError, match="from_matrix"):
        learner.learn([[0, 1]])
    assert same_state(learner.to_state(), before)
    for name in ("seed", "n_topics"):
        with pytest.raises(ValueError, match=f"{name} must be a"):
            make(**{name: 1.5})
