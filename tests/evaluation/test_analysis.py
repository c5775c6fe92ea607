import json

import numpy as np
import pytest

from spectralleader.evaluation.analysis import (
    analysis_rows,
    decomposition_errors,
    epsilons,
    log_steps,
    one_by_one,
    regret_rows,
)
from spectralleader.streams.synthetic import REGRET_PROBLEMS, cyclic


def test_rows_are_plain_and_carry_every_bound():
    rows = regret_rows("cyclic", "noise-free, one draw", n_steps=50, epsilon=0.5, seed=3, n_rows=5)
    assert json.loads(json.dumps(rows)) == rows
    assert [row["step"] for row in rows] == [1, 3, 7, 19, 50]
    last = rows[-1]
    assert last["regret_per_step"] == last["regret"] / 50
    assert last["reservoir_size"] == 29  # 4 log(27 * 50)
    assert last["bound_printed"] < last["bound_repaired"] < last["bound_theorem2"]
    assert regret_rows("cyclic", "noise-free", n_steps=50, n_rows=1)[0]["bound_theorem2"] is None


def test_an_unknown_scenario_or_learner_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"scenario must be one of \['stationary'.*got 'steady'"):
        regret_rows("steady", "noise-free", n_steps=5)
    with pytest.raises(ValueError, match="learner must be one of"):
        regret_rows("cyclic", "EM", n_steps=5)


@pytest.mark.parametrize("learner", ["noise-free", "noise-free, one draw", "SpectralLeader"])
def test_a_reservoir_that_never_fills_is_no_reservoir(learner):
    all_remembered, sampled = (
        regret_rows("switching", learner, n_steps=30, epsilon=epsilon)
        for epsilon in (None, 0.3)  # a reservoir of 75
    )
    for a, b in zip(all_remembered, sampled, strict=True):
        assert a["regret"] == pytest.approx(b["regret"], abs=1e-12)


def test_an_analysis_has_curves_and_a_range_of_reservoirs():
    rows = analysis_rows("switching", n_steps=200, seeds=range(2))
    assert {row["learner"] for row in rows} == {"noise-free", "SpectralLeader"}
    sizes = {row["reservoir_size"] for row in rows if row["step"] == 200}
    assert len(sizes) == 7  # all, the example, and five precisions
    assert {row["seed"] for row in rows if row["learner"] == "SpectralLeader"} == {0, 1}


@pytest.mark.parametrize("name", sorted(REGRET_PROBLEMS))
def test_the_decomposition_of_a_mean_is_exact(name):
    errors = decomposition_errors(name, n_steps=2000, n_rows=20)
    # entries of M3 are at most 1; the spectral road owes 1e-8
    assert max(row["decomposition_error"] for row in errors) < 1e-8


def test_steps_are_thinned_evenly_in_log_n_and_end_at_the_last():
    assert log_steps(1000, 4).tolist() == [1, 10, 100, 1000]
    assert log_steps(7, 100).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert log_steps(7, 1).tolist() == [7]


def test_precisions_go_up_to_one():
    assert epsilons(3, 10_000)[-1] == 1.0
    assert epsilons(3, 2) == [1.0] * 5  # too short a stream for any choice
    assert np.all(np.diff(epsilons(3, 10_000)) > 0)


def test_drawing_many_at_once_yields_the_same_documents():
    singles = cyclic().blocks(block_size=1, n_steps=20, seed=4)
    for a, b in zip(one_by_one(cyclic(), 20, seed=4), singles, strict=True):
        assert a == b.documents
