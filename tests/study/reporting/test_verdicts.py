import pytest

from spectralleader.study.reporting.claims import CLAIMS
from spectralleader.study.reporting.findings import (
    best_power,
    best_power_differs,
    falls,
    higher,
    improves,
    lower,
    much_lower,
    no_worse,
    sensitive,
    stays_below,
    vanishes,
)
from spectralleader.study.reporting.verdicts import (
    COMPARED,
    EM,
    LEADER,
    Claim,
    judge_claims,
    judge_others,
)
from tests.factories import rows

CLEAR = rows({"SpectralLeader": [1.0, 1.1, 1.2], "EM 0.5": [3.0, 3.1, 3.3], "EM 1.0": [4, 4, 4]})
NOISY = rows({"SpectralLeader": [1.0, 4.0, 2.0], "EM 0.5": [3.0, 2.0, 2.1], "EM 1.0": [9, 9, 8]})


def worse(by):
    values = [100.0, 101.0, 102.0]
    return rows({"SpectralLeader": [v + by for v in values], "EM 0.5": values})


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(lower("L1"), id="lower than tuned"),
        pytest.param(lower("L1", "EM 0.5"), id="lower than one"),
        pytest.param(much_lower("L2"), id="much lower"),
    ],
)
def test_a_difference_counts_beyond_two_standard_errors(test):
    assert test(CLEAR).holds
    assert not test(NOISY).holds


def test_the_measured_difference_is_paired_over_seeds():
    finding = lower("L1")(CLEAR)
    assert "1.100, EM 0.5 3.133: −2.033 ± 0.033" in finding.measured
    assert not higher("L1")(CLEAR).holds
    assert higher("L1")(worse(0.5)).holds


def test_similar_is_worse_by_at_most_its_margin():
    assert no_worse("L1")(worse(0.9)).holds
    finding = no_worse("L1", "L2")(worse(0.9), worse(1.2))
    assert not finding.holds
    assert finding.measured.startswith("similar or lower in 2 of 4; worse: s L1 102.200")


def test_a_best_power_may_be_tied_but_not_beaten():
    assert best_power("L1", 0.5)(CLEAR).holds
    assert not best_power("L1", 1.0)(CLEAR).holds
    tied = rows({"SpectralLeader": [1, 1], "EM 0.5": [2.0, 2.4], "EM 1.0": [2.4, 2.2]})
    assert best_power("L1", 1.0)(tied).holds


def test_best_powers_differ_if_none_fits_all():
    other = rows({"SpectralLeader": [1, 1, 1], "EM 0.5": [5, 5, 5], "EM 1.0": [4, 4, 4.1]})
    assert best_power_differs("L1")(CLEAR, other).holds
    assert not best_power_differs("L1")(CLEAR, CLEAR).holds
    assert sensitive("L1")(CLEAR, other).holds


def test_improving_is_measured_above_the_true_model():
    before = rows({"EM 0.5": [3.0, 3.1], "true model": [2.0, 2.1]})
    after = rows({"EM 0.5": [2.9, 3.0], "true model": [1.9, 2.0]})
    assert not improves("L1")(before, after).holds
    closer = rows({"EM 0.5": [2.5, 2.6], "true model": [2.0, 2.1]})
    assert improves("L1")(before, closer).holds


def test_an_error_vanishes_if_it_falls_in_every_run():
    falling = [row | {"L2": 1.0 / row["step"]} for row in CLEAR]
    assert vanishes("L2")(falling).holds
    stuck = [row | {"L2": 1.0} if row["seed"] == 1 else row for row in falling]
    finding = vanishes("L2")(falling, stuck)
    assert not finding.holds
    assert "(1.00), tuned EM" in finding.measured


def test_a_bound_is_broken_by_one_row():
    kept = [{"step": 2, "leader": "a", "regret": 1.0, "bound": 2.0}] * 2
    broken = [{"step": 7, "leader": "b", "regret": 3.0, "bound": 2.0}]
    unbounded = [{"step": 3, "leader": "a", "regret": 9.0, "bound": None}]
    assert stays_below("regret", "bound")(kept, unbounded).holds
    assert stays_below("regret", "bound", leader="a")(kept, broken).holds
    finding = stays_below("regret", "bound")(kept, broken)
    assert not finding.holds
    assert "n = 7" in finding.measured
    assert "50.0%" in finding.measured


def test_what_falls_is_lower_at_the_last_step_than_at_a_tenth_of_it():
    rows = [{"step": n, "leader": "a", "x": 1 / n} for n in (1, 10, 100)]
    assert falls("x", leader="a")(rows).holds
    assert not falls("x")(rows, [{**row, "x": -row["x"]} for row in rows]).holds


def test_a_claim_without_rows_says_why_it_is_not_tested():
    claims = [Claim("7", "a", ("x", "y"), lower("L1")), Claim("7", "b", ("s",), lower("L1"))]
    one_seed = [row for row in CLEAR if row["seed"] == 0]
    verdicts = judge_claims(claims, {"y": CLEAR, "s": one_seed}, {"x": "needs a corpus"})
    assert [v.verdict for v in verdicts] == ["not tested here", "not tested here"]
    assert [v.measured for v in verdicts] == ["needs a corpus", "needs at least 2 seeds"]
    [verdict] = judge_claims(claims[1:], {"s": CLEAR}, {})
    assert verdict.verdict == "holds"


def test_every_claim_is_one_line_and_said_once():
    assert len({claim.text for claim in CLAIMS}) == len(CLAIMS)
    assert all("\n" not in claim.text and claim.scenarios for claim in CLAIMS)
    assert {claim.where for claim in CLAIMS} == {"abstract", "6.1", "6.2", "7.1", "7.2", "7.3"}


def test_a_verdict_says_under_which_learner_it_was_reached():
    claims = [
        Claim("7", "ours is lower", ("s",), lower("L1")),
        Claim("7", "EM", ("s",), lower("L1"), EM),
    ]
    assert [verdict.learner for verdict in judge_claims(claims, {"s": CLEAR}, {})] == [LEADER, EM]


def test_claims_about_the_leader_are_put_to_other_learners_by_the_same_test():
    found = rows(
        {"SpectralLeader": [1, 1], "HedgedLeader": [5, 5], "EM 0.5": [3, 3], "EM 1.0": [4, 4]}
    )
    claims = [Claim("7", "lower", ("s",), lower("L1")), Claim("7", "EM", ("s",), lower("L1"), EM)]
    (row,) = judge_others(claims, {"s": found}, COMPARED)
    assert row == ("7", "lower", "–", "holds", "–", "–", "does not hold")


def test_every_claim_names_a_learner_that_was_judged():
    assert {claim.learner for claim in CLAIMS} == {LEADER, EM, "noise-free leader"}
