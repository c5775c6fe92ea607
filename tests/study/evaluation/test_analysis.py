import pytest

from spectralleader import Reservoir, SpectralLeader
from study.evaluation.analysis import log_steps, regret_rows
from study.evaluation.regret import (
    Hindsight,
    expected_reservoir_excess,
    learner_excess,
    reservoir_excess,
)
from study.sources.synthetic import switching


def test_rows_are_plain_and_carry_every_bound():
    rows = regret_rows("cyclic", "noise-free, one draw", n_steps=50, epsilon=0.5, seed=3, n_rows=5)
    assert all(type(value) in (int, float) for _, row in rows for value in row.values())
    assert [step for step, _ in rows] == [1, 3, 7, 19, 50]
    _, last = rows[-1]
    assert last["regret_per_step"] == last["regret"] / 50
    assert last["reservoir_size"] == 29  # 4 log(27 * 50)
    assert last["bound_printed"] < last["bound_repaired"] < last["bound_theorem2"]
    [(_, without)] = regret_rows("cyclic", "noise-free", n_steps=50, n_rows=1)
    assert set(last) - set(without) == {"reservoir_size", "bound_theorem2"}


def test_an_unknown_scenario_or_learner_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"problem must be one of \['stationary'.*got 'steady'"):
        regret_rows("steady", "noise-free", n_steps=5)
    with pytest.raises(ValueError, match="learner must be one of"):
        regret_rows("cyclic", "EM", n_steps=5)


@pytest.mark.parametrize("learner", ["noise-free", "noise-free, one draw", "SpectralLeader"])
def test_a_reservoir_that_never_fills_is_no_reservoir(learner):
    all_remembered, sampled = (
        regret_rows("switching", learner, n_steps=30, epsilon=epsilon)
        for epsilon in (None, 0.3)  # a reservoir of 75
    )
    for (_, a), (_, b) in zip(all_remembered, sampled, strict=True):
        assert a["regret"] == pytest.approx(b["regret"], abs=1e-12)


def test_steps_are_thinned_evenly_in_log_n_and_end_at_the_last():
    assert log_steps(1000, 4).tolist() == [1, 10, 100, 1000]
    assert log_steps(7, 100).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert log_steps(7, 2).tolist() == [1, 7]
    assert log_steps(7, 1).tolist() == [7]


def test_rows_are_the_regret_of_the_learner_that_they_name():
    hindsight = Hindsight.of(switching(), 20)
    sample = Reservoir(7, n_words=3, seed=3, acceptance="uniform")  # log(27 * 20) = 6.3
    stream = (block.documents for block in switching().blocks(block_size=1, n_steps=20, seed=3))
    excesses = {
        "noise-free": expected_reservoir_excess(hindsight, 7),
        "noise-free, one draw": reservoir_excess(hindsight, 7, 3),
        "SpectralLeader": learner_excess(
            hindsight, SpectralLeader(3, n_words=3, seed=3, sample=sample), stream
        ),
    }
    for learner, excess in excesses.items():
        rows = regret_rows("switching", learner, n_steps=20, epsilon=1.0, seed=3)
        assert [step for step, _ in rows] == list(range(1, 21))
        found = [row["regret"] for _, row in rows]
        assert found == pytest.approx(hindsight.regret(excess).tolist())
        assert {row["reservoir_size"] for _, row in rows} == {7}
