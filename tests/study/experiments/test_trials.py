import pytest
from msgspec.structs import replace

from study.experiments import load, shipped
from study.experiments.run import run
from study.experiments.scenario import parse
from study.experiments.trials import due, trials_of
from study.rows import Row
from tests.factories import scenario_table

GRID = {"name": "stepwise-em", "step_power": [0.5, 0.7, 0.9], "label": "EM {step_power}"}


@pytest.fixture
def scenario():
    table = scenario_table(
        seeds=3, axis="step_power", screen={"seeds": 1, "keep": 1}, metrics=["L1"]
    )
    return parse(table | {"learners": [{"name": "unigram"}, GRID]}, "my")


def test_the_whole_grid_runs_on_the_first_seeds_and_the_best_on_all(scenario, tmp_path):
    rows = run([scenario], tmp_path, workers=0)["my"]
    everything = run([replace(scenario, screen=None)], tmp_path / "all", workers=0)["my"]
    first = {r.learner.label: r.values["L1"] for r in everything if (r.seed, r.step) == (0, 6)}
    best = min((name for name in first if name.startswith("EM")), key=lambda name: first[name])
    assert rows == [row for row in everything if row.learner.label in ("unigram", best)]
    tried = (tmp_path / "my.jsonl").read_text().count("\n") // 3
    assert tried == 3 + 3 + 2  # the other learner, the grid on one seed, its best on two more


def test_a_finished_screening_runs_nothing_again(scenario, tmp_path, monkeypatch):
    rows = run([scenario], tmp_path, workers=0)
    monkeypatch.setattr("study.experiments.run.rows_of", None)
    assert run([scenario], tmp_path, workers=0) == rows


def test_each_metric_has_its_own_finalists(scenario):
    scenario = replace(scenario, metrics=("L1", "L2"))
    done = {
        trial.run: [Row(trial.learner, trial.seed, 6, {"L1": power, "L2": -power})]
        for trial in trials_of(scenario)
        for power in [trial.learner.parameters.get("step_power", 0.0)]
    }
    late = [t.learner.label for t in due(scenario, done) if t.seed == 2]
    assert late == ["unigram", "EM 0.5", "EM 0.9"]


def test_table_1_is_shipped_with_its_54_opponents():
    table = {s.name: s for s in map(load, shipped()) if s.figure == "table1"}
    assert len(table) == 15
    for scenario in table.values():
        assert sum(c.name == "stepwise-em" for c in scenario.learners) == 54
        assert sum(c.name == "study.pool:EMPool" for c in scenario.learners) == 1
        assert len(scenario.seeds) >= 6  # of text: losses vary little over seeds


def test_each_class_of_a_screened_table_has_finalists_of_its_own(scenario):
    other = GRID | {"name": "study.learners:MiniBatchEM", "label": "mini {step_power}"}
    table = scenario_table(seeds=3, axis="step_power", screen={"seeds": 1, "keep": 1})
    scenario = parse(table | {"learners": [GRID, other | {"mini_batch": 1}]}, "my")
    done = {
        trial.run: [Row(trial.learner, trial.seed, 6, dict.fromkeys(("L1", "L2"), value))]
        for trial in trials_of(scenario)
        for value in [trial.learner.parameters["step_power"] + 9 * ("mini" in trial.learner.label)]
    }
    late = [t.learner.label for t in due(scenario, done) if t.seed == 2]
    assert late == ["EM 0.5", "mini 0.5"]


def test_a_slow_learner_runs_on_fewer_seeds_and_is_kept(tmp_path):
    learners = [{"name": "unigram", "seeds": 1}, {"name": "truth"}]
    scenario = parse(scenario_table(seeds=3, learners=learners), "my")
    rows = run([scenario], tmp_path, workers=0)["my"]
    assert [(r.learner.label, r.seed) for r in rows if r.step == 6] == [
        ("unigram", 0),
        *(("truth", seed) for seed in range(3)),
    ]
