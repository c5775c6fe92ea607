"""Counts in matrices of other libraries: kept, rounded with a warning, or refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from spectralleader.documents.csr import number_words
from spectralleader.documents.rounding import are_normalised, as_whole

FORMS = [np.asarray, sp.csr_array, sp.csr_matrix]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_whole_counts_are_returned_as_they_are(form, dtype):
    counts = form(np.array([[1, 0, 2], [0, 0, 3]], dtype))
    assert as_whole(counts) is counts


@pytest.mark.parametrize("form", FORMS)
def test_fractions_are_rounded_with_a_warning(form):
    counts = form(np.array([[1.6, 0.0, 2.2], [0.0, 0.0, 3.0]]))
    with pytest.warns(UserWarning, match="fractions were rounded"):
        found = as_whole(counts)
    dense = found.toarray() if sp.issparse(found) else found
    assert dense.tolist() == [[2.0, 0.0, 2.0], [0.0, 0.0, 3.0]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", [1, 2])
def test_rows_of_length_1_are_refused_also_beside_empty_ones(form, order):
    counts = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [3.0, 4.0, 0.0]])
    norms = np.linalg.norm(counts, ord=order, axis=1, keepdims=True)
    weights = form(counts / np.where(norms > 0, norms, 1.0))
    assert are_normalised(weights) is True
    with pytest.raises(ValueError, match="CountVectorizer instead of TfidfVectorizer"):
        as_whole(weights)


@pytest.mark.parametrize("rows", [[[0.5, 0.5], [0.5, 0.6]], [[1.5, 0.5], [2.0, 2.5]], [[0.2, 0.2]]])
def test_other_fractions_may_be_meant_as_counts(rows):
    assert are_normalised(np.array(rows)) is False


def test_words_are_numbered_as_numpy_does_it():
    words = np.array([7, 2, 2, 5, 7], np.int32)
    places, known = number_words(words, 9)
    expected, inverse = np.unique(words, return_inverse=True)
    assert known.tolist() == expected.tolist()
    assert places.tolist() == inverse.tolist()
    assert not places.flags.writeable
