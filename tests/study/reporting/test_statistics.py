import numpy as np

from study.reporting.study import plus_minus, summarise
from study.rows import Contender, Row


def test_a_summary_is_the_mean_and_standard_error_over_seeds():
    rows = [
        Row(Contender(name), seed, step, {"L1": step + seed})
        for name in ("b", "a")
        for seed in (0, 2)
        for step in (1, 5)
    ]
    summaries = summarise(rows, "L1")
    assert list(summaries) == ["b", "a"]
    np.testing.assert_array_equal(summaries["a"].steps, [1, 5])
    np.testing.assert_allclose(summaries["a"].mean, [2.0, 6.0])
    np.testing.assert_allclose(summaries["a"].error, 1.0)


def test_one_seed_has_no_error():
    assert summarise([Row(Contender("a"), 0, 1, {"L1": 3.0})], "L1")["a"].error == [0.0]


def test_an_error_that_is_next_to_nothing_is_not_shown():
    assert plus_minus(3.7564e-05, 2e-21) == plus_minus(3.7564e-05, 0.0) == "3.756e-05"
    assert plus_minus(0.0, 0.0) == "0.000"
    assert "±" in plus_minus(0.0, 1e-12)
