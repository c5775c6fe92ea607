import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from study.experiments.kinds import even_steps
from study.experiments.run import cores, run
from study.experiments.scenario import parse
from study.experiments.trials import Trial, trials_of
from study.rows import Row
from tests.factories import scenario_table, write_toml

ROOT = Path(__file__).parents[3]


@pytest.fixture
def scenario():
    return parse(scenario_table(), "my")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file of a run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    run([parse(scenario_table(), "my")], folder, workers=0)
    return (folder / "my.jsonl").read_bytes()


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@given(n_steps=st.integers(2, 5000), max_rows=st.integers(2, 300))
def test_thinning_is_even_and_keeps_both_ends(n_steps, max_rows):
    table = scenario_table(n_steps=n_steps, max_rows=max_rows)
    steps = even_steps(parse(table, "my"))
    assert (steps[0], steps[-1]) == (1, n_steps)
    assert len(steps) == min(n_steps, max_rows)
    gaps = {b - a for a, b in pairwise(steps)}
    assert not gaps or (min(gaps) >= 1 and max(gaps) - min(gaps) <= 1)


def test_a_row_for_every_learner_seed_and_kept_step(scenario, tmp_path):
    rows = run([scenario], tmp_path, workers=0)["my"]
    written = lines(tmp_path / "my.jsonl")
    assert [{**line, **row.to_json()} for line, row in zip(written, rows, strict=True)] == written
    found = [(row.learner.label, row.seed, row.step) for row in rows]
    expected = [
        (c.label, seed, step) for c in scenario.learners for seed in (0, 1) for step in (1, 3, 6)
    ]
    assert found == expected
    assert all(line["scenario"] == "my" and line["L1"] >= 0.0 for line in written)
    assert written[-1]["smoothing"] == 0.5


def test_rows_read_back_are_those_that_were_made(scenario, tmp_path):
    made = run([scenario], tmp_path, workers=0)
    assert run([scenario], tmp_path, workers=0) == made


@pytest.mark.parametrize(
    "change", [{"L1": "low"}, {"L2": None}, {"learner": "x"}, {"seed": True}, {"step": 2}]
)
def test_a_damaged_row_has_its_trial_run_again(scenario, tmp_path, whole, change):
    file = tmp_path / "my.jsonl"
    first, *rest = whole.decode().splitlines()
    file.write_text("\n".join([json.dumps(json.loads(first) | change), *rest]) + "\n")
    run([scenario], tmp_path, workers=0)
    assert file.read_bytes() == whole


def test_a_role_that_is_edited_holds_for_rows_that_are_there(tmp_path):
    for role in ("other", "leader"):
        learners = [{"name": "unigram", "role": role}]
        edited = parse(scenario_table(learners=learners), "my")
        rows = run([edited], tmp_path, workers=0)["my"]
        assert {row.learner.role for row in rows} == {role}
    assert not (tmp_path / "my.old.jsonl").exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.0, 1.0), rest=st.sampled_from([b"", b"\n", b"\xff{", b'{"run": 3}\n']))
def test_cut_anywhere_and_started_again_the_rows_are_the_same(whole, tmp_path, share, rest):
    file = tmp_path / "my.jsonl"
    file.write_bytes(whole[: int(share * len(whole))] + rest)
    run([parse(scenario_table(), "my")], tmp_path, workers=0)
    assert file.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["my.jsonl"]


def test_only_missing_trials_are_run(scenario, tmp_path, monkeypatch):
    ran = []

    def spy(trial, data=None):
        ran.append(trial)
        return [Row(trial.learner, trial.seed, step, {"L1": 0.0, "L2": 0.0}) for step in (1, 3, 6)]

    monkeypatch.setattr("study.experiments.run.rows_of", spy)
    run([replace(scenario, seeds=(0,))], tmp_path, workers=0)
    assert {trial.seed for trial in ran} == {0}
    ran.clear()
    run([scenario], tmp_path, workers=0)
    assert {trial.seed for trial in ran} == {1}


def test_the_number_of_workers_does_not_matter(whole, scenario, tmp_path):
    run([scenario], tmp_path, workers=2)
    assert (tmp_path / "my.jsonl").read_bytes() == whole


def test_rows_of_other_settings_are_put_aside(scenario, tmp_path):
    run([scenario], tmp_path, workers=0)
    old = lines(tmp_path / "my.jsonl")
    run([replace(scenario, block_size=2)], tmp_path, workers=0)
    assert lines(tmp_path / "my.old.jsonl") == old
    assert {line["run"] for line in lines(tmp_path / "my.jsonl")}.isdisjoint(
        line["run"] for line in old
    )


def test_what_is_said_about_a_scenario_does_not_change_its_trials(scenario):
    [trial, *_] = trials_of(scenario)
    assert Trial(replace(scenario, question="Why?", figure="x"), *trial[1:]).run == trial.run
    assert Trial(scenario, trial.learner, 7).run != trial.run
    assert Trial(replace(scenario, n_steps=7), *trial[1:]).run != trial.run


def test_a_bad_parameter_is_told_before_anything_runs(tmp_path):
    learners = [{"name": "stepwise-em", "step_power": 3}, {"name": "spectral", "sample": "all"}]
    for learner, said in zip(
        learners, ("step_power must be", "sample must be a table"), strict=True
    ):
        bad = parse(scenario_table(learners=[learner]), "my")
        with pytest.raises(ValueError, match=f"my: .*{said}"):
            run([bad], tmp_path, workers=0)
    assert list(tmp_path.iterdir()) == []


def test_two_scenarios_of_one_name_are_refused(scenario, tmp_path):
    with pytest.raises(ValueError, match="two scenarios have the name 'my'"):
        run([scenario, scenario], tmp_path)


def test_there_is_a_core():
    assert cores() >= 1


@pytest.mark.skipif(os.name == "nt", reason="sends the signal as a POSIX terminal does")
def test_ctrl_c_leaves_valid_rows_and_the_same_command_goes_on(tmp_path):
    table = scenario_table(seeds=200, n_steps=300)
    file = write_toml(tmp_path / "long.toml", table)
    rows = tmp_path / "out" / "rows" / "long.jsonl"
    command = [sys.executable, "-m", "study", "experiment", "run", str(file)]
    command += ["--workers", "2", "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not (rows.is_file() and rows.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes" in said
    assert "Traceback" not in said
    kept = lines(rows)
    assert 0 < len(kept) < 200 * len(table["learners"]) * 3
    fewer = parse(table | {"seeds": sorted({row["seed"] for row in kept})}, "long")
    run([fewer], rows.parent, workers=0)
    assert kept[0] in lines(rows)


def test_the_cost_of_learners_is_measured(tmp_path):
    learners = [{"name": "study.pool:EMPool"}, {"name": "hedged"}, {"name": "unigram"}]
    table = scenario_table(
        kind="cost", learners=learners, metrics=["us", "MB", "components"], seeds=1
    )
    rows = run([parse(table, "my")], tmp_path, workers=0)["my"]
    found = {row.learner.name: row.values for row in rows}
    assert all(values["us"] > 0 and values["MB"] > 0 for values in found.values())
    sizes = {name: values["components"] for name, values in found.items()}
    assert (sizes["study.pool:EMPool"], sizes["unigram"]) == (3 * 54, 3)
    assert sizes["hedged"] == 28 * 3 + 4 * 64 + 2  # experts of K topics, of 64, and of words
