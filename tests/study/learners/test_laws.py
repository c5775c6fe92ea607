import pytest

from spectralleader.testing import check_learner
from study.learners.incremental_em import IncrementalEM
from study.learners.variance_reduced_em import VarianceReducedEM


@pytest.mark.parametrize("learner", [IncrementalEM, VarianceReducedEM])
def test_the_studys_own_learners_keep_the_laws(learner):
    check_learner(learner)
