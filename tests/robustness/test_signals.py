import os
import random

import pytest

from tests.robustness import bombardment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")


@pytest.mark.parametrize("vocabulary", ["500", "grow:500"], ids=["counted", "growing"])
def test_learning_survives_signals_at_any_moment(vocabulary, tmp_path):
    bombardment.bombard_learning(tmp_path, 2, random.Random(os.getpid()), vocabulary)


def test_reading_and_merging_survive_signals_at_any_moment(tmp_path):
    bombardment.bombard_others(tmp_path, 1, random.Random(os.getpid()))


def test_a_loop_in_python_survives_ctrl_c_at_any_moment(tmp_path):
    n_interrupts = bombardment.bombard_python(tmp_path, 60, random.Random(os.getpid()))
    assert n_interrupts > 0
