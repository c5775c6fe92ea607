"""Sparse matrices with invalid index arrays are rejected: SciPy would follow them and crash."""

import numpy as np
import pytest
import scipy.sparse as sp

from spectralleader import Documents, HedgedLeader
from spectralleader.documents.csr import check_matrix

COUNTS = np.random.default_rng(0).poisson(0.3, (40, 20))
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


def given(format, container=sp.csr_array):
    """Return a copy of the counts in a sparse format."""
    return container(COUNTS).asformat(format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
@pytest.mark.filterwarnings("ignore:Constructing a DIA")
def test_valid_matrices_of_every_format_are_accepted(format, container):
    assert Documents.from_matrix(given(format, container)) == Documents.from_matrix(COUNTS)


@pytest.mark.parametrize("bad", [-1, 99, 2**31 - 1])
@pytest.mark.parametrize("format", ["csr", "csc", "bsr"])
def test_an_index_outside_of_the_matrix_is_refused(format, bad):
    matrix = given(format)
    matrix.indices[3] = bad
    with pytest.raises(ValueError, match=r"invalid: .*(must be|values)"):
        Documents.from_matrix(matrix)


@pytest.mark.parametrize("bad", [-1, 99, 2**31 - 1])
@pytest.mark.parametrize(("number", "axis"), [(0, "row"), (1, "col")])
def test_a_coordinate_outside_of_the_matrix_is_refused(number, axis, bad):
    matrix = given("coo")
    getattr(matrix, axis)[3] = bad
    with pytest.raises(ValueError, match=f"axis {number} index:? {bad}"):
        Documents.from_matrix(matrix)


@pytest.mark.parametrize(
    ("place", "bad", "message"),
    [
        (3, 10**6, "non-decreasing"),
        (3, 0, "non-decreasing"),
        (-1, 0, "non-decreasing"),  # which SciPy alone accepts, and crashes
        (0, 1, "should start with 0"),
        (0, -1, "should start with 0"),
        (-1, 10**6, "[Ll]ast value of index pointer"),
    ],
)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_offsets_that_contradict_the_entries_are_refused(format, place, bad, message):
    matrix = given(format)
    matrix.indptr[place] = bad
    with pytest.raises(ValueError, match=f"invalid: .*{message}"):
        Documents.from_matrix(matrix)


def test_arrays_of_the_wrong_size_or_type_are_refused():
    short, numbers, rows, deep, blocks, lists = map(
        given, ("csr", "csr", "csr", "coo", "bsr", "lil")
    )
    short.data = short.data[:-1]
    numbers.indices = numbers.indices.astype(float)
    rows.indptr = rows.indptr[:-1]
    deep.data = deep.data[:-1]
    blocks.data = np.ones((len(blocks.indices), 7, 3))
    lists.data[3] = [1] * 50
    for matrix, message in (
        (short, "same size"),
        (numbers, "must be integers"),
        (rows, "index pointer size 40 should be 41"),
        (deep, "same length"),
        (blocks, "index pointer size"),
        (lists, "more column numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            check_matrix(matrix)


def test_entries_after_the_last_row_are_ignored_as_in_scipy():
    matrix = sp.csr_array(COUNTS)
    matrix.indices = np.append(matrix.indices, 99)
    matrix.data = np.append(matrix.data, 1)
    assert Documents.from_matrix(matrix) == Documents.from_matrix(COUNTS)


def test_an_invalid_matrix_leaves_the_learner_usable():
    learner, matrix = HedgedLeader(3, n_words=20), given("csr")
    matrix.indices[3] = 99
    with pytest.raises(ValueError, match="must be < 20"):
        learner.learn(Documents.from_matrix(matrix))
    learner.learn(Documents.from_matrix(COUNTS))
    assert learner.model.n_words == 20


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_the_first_number_beyond_the_last_is_refused_and_named(form):
    given = form(np.array([[1, 0, 2], [0, 3, 1]]))
    n = 2 if form is sp.csc_array else 3
    (given.col if form is sp.coo_array else given.indices)[1] = n
    with pytest.raises(ValueError, match=rf"\b{n}\b"):
        Documents.from_matrix(given)
