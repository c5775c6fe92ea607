import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader import Documents
from spectralleader.checks.states import (
    bags,
    distributions,
    floats,
    generator,
    integers,
    number,
    one_of,
    part,
    parts,
    text,
    truth,
    whole,
)
from tests.factories import blocks, documents

WRONG = [
    (whole, -1), (whole, True), (whole, 1.0), (whole, 2**53 + 1), (whole, 10**5000), (whole, None),
    (number, np.nan), (number, np.inf), (number, "1"), (number, True), (number, 10**5000),
    (truth, 1), (truth, "true"), (truth, None),
    (text, 3), (text, "a\nb"), (text, "\x1b[2J"), (text, "x" * 201),
    (part, []), (part, None), (parts, {}), (parts, [1]), (parts, "ab"),
    (lambda state, name: one_of(state, name, ["a"]), "b"),
    (lambda state, name: one_of(state, name, ["a"]), ["a"]),
    (lambda state, name: floats(state, name, (2,)), [0.0, 1.0]),
    (lambda state, name: floats(state, name, (2,)), np.zeros(3)),
    (lambda state, name: floats(state, name, (2,)), np.zeros((2, 1))),
    (lambda state, name: floats(state, name, (2,)), np.zeros(2, np.float32)),
    (lambda state, name: floats(state, name, (None,)), np.array([0.0, np.nan])),
    (lambda state, name: floats(state, name, (None,)), np.array([0.0, 1e31])),
    (lambda state, name: integers(state, name, (None,)), np.array([-1])),
    (lambda state, name: integers(state, name, (None,)), np.zeros(1)),
    (lambda state, name: distributions(state, name, (2,)), np.array([0.5, 0.6])),
    (lambda state, name: distributions(state, name, (2,)), np.array([1.5, -0.5])),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_a_value_that_is_not_what_it_must_be_is_named_in_one_line(case):
    read, value = WRONG[case]
    with pytest.raises(ValueError, match=r"^it must ") as caught:
        read({"it": value}, "it")
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="it is missing"):
        read({}, "it")
    with pytest.raises(ValueError, match="it must be in a dictionary"):
        read(None, "it")


def test_an_array_is_a_copy_that_can_be_written_to():
    given = np.zeros(2)
    given.setflags(write=False)
    found = floats({"it": given}, "it", (2,))
    found[0] = 1.0
    assert given[0] == 0.0


@given(block=blocks())
def test_the_arrays_of_documents_are_right_as_they_are(block):
    assert Documents.from_state(block.to_state()) == block


BROKEN = {
    "indptr must go from 0": {"indptr": np.array([1, 2, 3])},
    "indptr must go from 0 to 3": {"indptr": np.array([0, 2, 4])},
    "indptr must go": {"indptr": np.zeros(0, np.int64)},
    "indptr must not decrease": {"indptr": np.array([0, 3, 2, 3])},
    "indptr must be numbers": {"indptr": np.array([0, -5, 3])},
    "words must be numbers from 0 to 4, got 5": {"words": np.array([0, 5, 1], np.int32)},
    "words must be numbers from 0 to 4, got -1": {"words": np.array([-1, 2, 1], np.int32)},
    "words must be distinct": {"words": np.array([2, 2, 1], np.int32)},
    "in increasing order": {"words": np.array([2, 0, 1], np.int32)},
    "words must be an array of int32": {"words": np.array([0, 2, 1])},
    "counts must be an array of float64 and shape \\(3,\\)": {"counts": np.ones(2)},
    "counts must be numbers from 1": {"counts": np.array([1.0, 0.0, 1.0])},
    "counts must be numbers from": {"counts": np.array([1.0, np.nan, 1.0])},
    "counts must be integers": {"counts": np.array([1.0, 1.5, 1.0])},
    "less than .* per document": {"counts": np.array([2.0**52, 2.0**52, 1.0])},
}


@pytest.mark.parametrize("message", BROKEN)
def test_arrays_that_are_no_documents_are_refused(message):
    good = {
        "indptr": np.array([0, 2, 3]),
        "words": np.array([0, 2, 1], np.int32),
        "counts": np.ones(3),
    }
    assert bags(good, 5)[1].tolist() == [0, 2, 1]
    with pytest.raises(ValueError, match=message):
        bags(good | BROKEN[message], 5)


def test_documents_over_words_that_there_cannot_be_are_refused():
    with pytest.raises(ValueError, match="n_words must be an integer from 1 to 2147483647"):
        Documents.from_state(documents().to_state() | {"n_words": 2**31})


@given(seed=st.integers(0, 2**64), n=st.integers(0, 5))
def test_a_generator_goes_on_as_if_never_stopped(seed, n):
    rng = np.random.default_rng(seed)
    rng.integers(10, size=n, dtype=np.uint32)  # an odd number leaves half a draw
    again = generator({"rng": rng.bit_generator.state}, "rng")
    assert again.random(3).tolist() == rng.random(3).tolist()
    assert again.integers(99, dtype=np.uint32) == rng.integers(99, dtype=np.uint32)


@pytest.mark.parametrize(
    "change",
    [
        {"bit_generator": "MT19937"},
        {"state": {"state": 2**128, "inc": 1}},
        {"state": {"state": -1, "inc": 1}},
        {"state": {"state": 1, "inc": 2}},
        {"state": {"state": 1}},
        {"state": 1},
        {"has_uint32": 2},
        {"uinteger": 2**32},
    ],
)
def test_a_generator_in_no_state_it_can_be_in_is_refused(change):
    state = np.random.default_rng(0).bit_generator.state
    with pytest.raises(ValueError, match=r"must be|missing"):
        generator({"rng": state | change}, "rng")
