import inspect

import numpy as np
import pytest

from study.experiments import load, shipped
from study.reporting import findings
from study.reporting.claims import LEADER, Claim, judge, load_claims
from study.reporting.study import Study
from study.reporting.tables import compared_table
from study.reproduce import study_of
from study.rows import Contender, Row
from tests.factories import study

EM = "stepwise EM"


def test_of(name):
    """A finding as claims use it: its arguments first, then studies."""

    def given(*arguments, **named):
        return lambda *studies: getattr(findings, name)(studies, None, *arguments, **named)

    return given


test_of.__test__ = False
lower, higher, much_lower, best_power, best_power_differs, sensitive, improves, vanishes = map(
    test_of,
    ("lower", "higher", "much_lower", "best_power", "best_power_differs", "sensitive", "improves",
     "vanishes"),
)  # fmt: skip


def no_worse(*metrics):
    return test_of("no_worse")(metrics)


CLEAR = study({"SpectralLeader": [1.0, 1.1, 1.2], "EM 0.5": [3.0, 3.1, 3.3], "EM 1.0": [4, 4, 4]})
# Two standard errors, but not the 25 that three runs need among all claims.
NOISY = study({"SpectralLeader": [1.0, 1.4, 0.6], "EM 0.5": [3.0, 2.0, 2.1], "EM 1.0": [9, 9, 8]})
STEADY = study({"SpectralLeader": [1, 1], "EM 0.5": [3.0, 3.1], "EM 1.0": [4.0, 4.1]})


def worse(by):
    values = [100.0, 101.0, 102.0]
    return study({"SpectralLeader": [v + by for v in values], "EM 0.5": values})


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(lower("L1"), id="lower than tuned"),
        pytest.param(lower("L1", at=0.5), id="lower than one"),
        pytest.param(much_lower("L2"), id="much lower"),
    ],
)
def test_a_difference_counts_if_chance_rarely_makes_it_among_all_claims(test):
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
    beaten = study(
        {"SpectralLeader": [1] * 3, "EM 0.5": [3.0, 3.1, 3.3], "EM 1.0": [4.0, 4.1, 4.3]}
    )
    assert not best_power("L1", 1.0)(beaten).holds
    tied = study({"SpectralLeader": [1, 1], "EM 0.5": [2.0, 2.4], "EM 1.0": [2.4, 2.2]})
    assert best_power("L1", 1.0)(tied).holds


def test_best_powers_differ_if_none_fits_all():
    other = study({"SpectralLeader": [1, 1], "EM 0.5": [5.0, 5.1], "EM 1.0": [4.0, 4.1]})
    assert best_power_differs("L1")(STEADY, other).holds
    assert not best_power_differs("L1")(STEADY, STEADY).holds
    assert sensitive("L1")(STEADY, other).holds


def test_improving_is_measured_above_the_true_model():
    before = study({"EM 0.5": [3.0, 3.1], "true model": [2.0, 2.1]})
    after = study({"EM 0.5": [2.9, 3.0], "true model": [1.9, 2.0]})
    assert not improves("L1")(before, after).holds
    closer = study({"EM 0.5": [2.5, 2.6], "true model": [2.0, 2.1]})
    assert improves("L1")(before, closer).holds


def changed(given, value):
    """A study whose L2 is another function of a row."""
    return given._replace(rows=[row._replace(values={"L2": value(row)}) for row in given.rows])


def test_an_error_vanishes_if_it_falls_in_every_run():
    falling = changed(CLEAR, lambda row: 1.0 / row.step)
    assert vanishes("L2")(falling).holds
    stuck = changed(CLEAR, lambda row: 1.0 if row.seed == 1 else 1.0 / row.step)
    finding = vanishes("L2")(falling, stuck)
    assert not finding.holds
    assert "(worst 1.00, 1 of 3 stuck), tuned EM" in finding.measured


def measured(step, role="noise-free", epsilon=None, seed=0, **values):
    parameters = {} if epsilon is None else {"epsilon": epsilon}
    return Row(Contender("a", "a", parameters, role), seed, step, values)


def regret_of(*rows):
    return Study("r", "Regret", "Is it?", ("regret",), rows)


def test_a_bound_is_broken_by_one_row():
    kept = regret_of(*[measured(2, regret=1.0, bound=2.0)] * 2)
    broken = regret_of(measured(7, epsilon=0.1, regret=3.0, bound=2.0))
    unbounded = regret_of(measured(3, regret=9.0), measured(3, "leader", regret=9.0, bound=1.0))
    below = test_of("stays_below")
    assert below("regret", "bound", reservoir=True)(kept, unbounded).holds
    assert below("regret", "bound", reservoir=False)(kept, broken).holds
    finding = below("regret", "bound", reservoir=True)(kept, broken)
    assert not finding.holds
    assert "n = 7" in finding.measured
    assert "50.0%" in finding.measured


def test_what_falls_is_lower_at_the_last_step_than_at_a_tenth_of_it():
    runs = [(n, seed) for n in (1, 10, 100) for seed in (0, 1)]
    falling, rising = (
        regret_of(*(measured(n, "leader", 0.1, seed, x=sign / n) for n, seed in runs))
        for sign in (1, -1)
    )
    assert test_of("falls")("x", epsilon=0.1)(falling).holds
    assert not test_of("falls")("x", epsilon=0.1)(falling, rising).holds


def claim(text, scenarios, learner=LEADER):
    return Claim("7", text, "lower", {"metric": "L1"}, scenarios, learner)


def test_a_claim_without_rows_says_why_it_is_not_tested():
    one_seed = CLEAR._replace(rows=[row for row in CLEAR.rows if row.seed == 0])
    missing = CLEAR._replace(rows=(), missing="needs a corpus")
    studies = {"x": missing, "y": CLEAR, "s": one_seed}
    verdicts = [judge(claim("a", names), studies) for names in (("x", "y"), ("s",), ("z",))]
    assert [v.verdict for v in verdicts] == 3 * ["not tested here"]
    reasons = ["needs a corpus", "requires at least 2 seeds", "has not been run"]
    assert [v.measured for v in verdicts] == reasons
    assert judge(claim("b", ("y",)), studies).verdict == "holds"


@pytest.fixture(scope="module")
def scenarios():
    return [load(file) for file in shipped()]


@pytest.fixture(scope="module")
def claims(scenarios):
    paper, ours = load_claims([study_of(scenario, ()) for scenario in scenarios])
    return paper + ours


def test_every_claim_is_one_line_and_said_once(claims):
    assert len({claim.text for claim in claims}) == len(claims)
    assert all("\n" not in claim.text for claim in claims)
    sections = {"abstract", "6.1", "6.2", "7", "7.1", "7.2", "7.3", "Table 1"}
    assert {claim.where for claim in claims} == sections


def test_every_claim_has_scenarios_that_are_shipped_and_a_test_that_takes_its_arguments(
    claims, scenarios
):
    known = {scenario.name for scenario in scenarios}
    for one in claims:
        assert one.scenarios
        assert set(one.scenarios) <= known
        inspect.signature(getattr(findings, one.test)).bind((), None, **one.given)


def test_ours_are_about_all_streams_of_table_1(claims, scenarios):
    streams = {scenario.name for scenario in scenarios if scenario.figure == "table1"}
    pool, finer, *l1, l2, replaced = (one.scenarios for one in claims if one.where == "Table 1")
    assert all(set(names) == streams for names in (pool, *l1))
    assert set(l2) == streams - set(replaced)
    assert set(finer) == {
        one.name for one in scenarios if one.name in streams and "corpus" in one.stream
    }


def test_the_level_is_corrected_for_the_claims_of_the_paper(claims):
    assert sum(one.where != "Table 1" for one in claims) == findings.N_CLAIMS


def test_a_single_run_is_compared_with_all_runs_of_the_other():
    one, many = np.array([1.0]), np.array([2.0, 2.1, 2.3])
    assert findings.difference(one, many).n_runs == 3
    assert findings.difference(many, one).mean == pytest.approx(2.4 / 3 + 1 / 3)
    fewer = findings.difference(np.array([1.0, 2.0]), many)
    assert (fewer.mean, fewer.n_runs) == (pytest.approx(-0.55), 2)


def test_stepwise_em_is_compared_with_incremental_em():
    found = study(
        {"EM 0.5": [1.0, 1.1, 1.2], "EM 1.0": [9, 9, 9], "IncrementalEM": [3.0, 3.1, 3.2]}
    )
    test = test_of("lower_everywhere")
    assert test("L1", rival="IncrementalEM")(found).holds
    assert not test("L1", own="IncrementalEM", rival="EM 0.5")(found).holds


def test_finer_learners_are_apart_from_those_of_the_streams_topics():
    found = study({"HedgedLeader": [1.0, 1.1], "EM 0.5": [3.0, 3.1], "EM 1.0 64": [2.0, 2.1]})
    assert (found.tried, list(found.grid), found.finer) == (["EM 0.5"], ["EM 0.5"], ["EM 1.0 64"])
    lower = test_of("lower_everywhere")
    assert lower("L1", own="HedgedLeader", finer=True)(found).holds
    assert not lower("L1", own="EM 0.5", finer=True)(found).holds


def test_every_claim_names_a_learner_that_was_judged(claims):
    ours = {"HedgedLeader", "HedgedLeader.model", "SpectralLeader"}
    assert {one.learner for one in claims} == {LEADER, EM, "noise-free leader"} | ours


def test_a_verdict_says_under_which_learner_it_was_reached():
    verdicts = [judge(claim(who, ("s",), who), {"s": CLEAR}) for who in (LEADER, EM)]
    assert [verdict.learner for verdict in verdicts] == [LEADER, EM]


def test_claims_about_the_leader_are_put_to_other_learners_by_the_same_test():
    found = study(
        {"HedgedLeader": [5, 5], "SpectralLeader": [1, 1], "EM 0.5": [3, 3], "EM 1.0": [4, 4]}
    )
    absent = study({"SpectralLeader, variant": [1, 1], "EM 0.5": [3, 3]})
    claims = [claim("lower", ("s",)), claim("EM", ("s",), EM)]
    studies = {"s": found._replace(paper="7"), "t": absent._replace(paper="7")}
    table = compared_table(claims, studies)
    assert table.header[1:] == ("SpectralLeader", "SpectralLeader, variant", "HedgedLeader")
    assert table.rows == [("7: lower", "holds", "–", "no")]
