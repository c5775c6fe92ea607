import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from spectralleader.models.assignment import match


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_no_other_matching_has_more_in_common(k):
    rng = np.random.default_rng(k)
    for similarity in (rng.random((k, k)), rng.normal(size=(k, k)), np.ones((k, k))):
        rows = match(similarity)
        assert sorted(rows.tolist()) == list(range(k))
        best = similarity[linear_sum_assignment(similarity, maximize=True)].sum()
        np.testing.assert_allclose(similarity[rows, range(k)].sum(), best, rtol=1e-12)
