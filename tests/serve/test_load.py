"""Twenty seconds of load; `make test-serve` has ten minutes of it."""

from tests.serve import load


def test_load_is_answered_and_learned(tmp_path):
    found = load.run(20.0, tmp_path)
    assert found.n_failed == 0
    assert found.n_learned == found.n_posted > 0
    assert found.n_predicted > 200
    assert found.growth < 100  # MB: a leak of a request's size would be seen in ten minutes
