import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spectralleader.learners.hedged.settings import SETTINGS
from study.experiments import find, load, shipped
from study.experiments.kinds import make_settings
from study.experiments.run import check
from study.experiments.scenario import expand, parse
from study.experiments.streams import make_problem, parse_stream
from tests.factories import scenario_table, write_toml


def refused(**changes):
    """The error of a scenario, in one line."""
    with pytest.raises(ValueError, match=r"\S") as caught:
        check([parse(scenario_table(**changes), "my")])
    assert "\n" not in str(caught.value)
    return str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from("abcd"), st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=4
    )
)
def test_a_grid_is_every_combination_once(grid):
    settings = [learner["parameters"] for learner in expand(grid)]
    assert [tuple(s.values()) for s in settings] == list(itertools.product(*grid.values()))
    assert all(list(s) == list(grid) for s in settings)


def test_a_list_is_a_grid_and_labels_tell_its_learners_apart():
    learners = [{"name": "stepwise-em", "step_power": [0.5, 1.0], "label": "EM {step_power}"}]
    assert [c.label for c in parse(scenario_table(learners=learners), "my").learners] == [
        "EM 0.5",
        "EM 1.0",
    ]
    del learners[0]["label"]
    unlabelled = parse(scenario_table(learners=learners), "my").learners
    assert unlabelled[0].label == "stepwise-em step_power=0.5"
    assert unlabelled[0].parameters == {"step_power": 0.5}


REQUIRED = ("question", "stream", "block_size", "n_steps", "seeds", "metrics")


@pytest.mark.parametrize("key", REQUIRED)
def test_a_missing_key_is_named(key):
    table = scenario_table()
    del table[key]
    with pytest.raises(ValueError, match=f"missing required field `{key}`"):
        parse(table, "my")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"block_sise": 3}, "unknown field `block_sise`"),
        ({"n_steps": 1}, ">= 2 - at `$.n_steps`"),
        ({"block_size": True}, "Expected `int`, got `bool` - at `$.block_size`"),
        ({"seeds": 0}, "`$.seeds`"),
        ({"seeds": [-1]}, "`$.seeds[0]`"),
        ({"metrics": ["L3"]}, "unknown metric 'L3'; known: L1, L2, loss"),
        ({"metrics": ["regret"]}, "unknown metric 'regret'; known: L1, L2, loss"),
        ({"metrics": "L1"}, "`$.metrics`"),
        ({"kind": "other"}, "'other' - at `$.kind`"),
        ({"question": 3}, "`$.question`"),
        ({"stream": "hard"}, "`$.stream`"),
        ({"stream": {"problem": "harder"}}, "problem must be one of easy, hard"),
        ({"stream": {"problem": "hard", "n_topics": 3}}, "[stream]: Object contains unknown field"),
        ({"stream": {"problem": "random", "n_topics": 3}}, "missing required field `n_words`"),
        ({"stream": {"corpus": "news_headlines"}}, "missing required field `n_words`"),
        ({"stream": {"corpus": "newsgroups", "n_words": 0, "n_topics": 2}}, "`$.n_words`"),
        ({"screen": {"seeds": 2}}, "missing required field `keep` - at `$.screen`"),
        ({"axis": "power"}, "axis must be a parameter of a learner, got 'power'"),
        ({"learners": {"name": "unigram"}}, "Expected `array`, got `object`"),
        ({"learners": []}, "`$.learners`"),
        ({"learners": [{"label": "em"}]}, "unknown learner ''"),
        ({"learners": [{"name": "em"}]}, "unknown learner 'em'; choose one of hedged"),
        ({"learners": [{"name": "spectral", "power": 1}]}, "has no parameter 'power'; known are"),
        ({"learners": [{"name": "unigram"}, {"name": "unigram"}]}, "two learners have the label"),
        ({"learners": [{"name": "unigram", "role": "hero"}]}, "'hero' - at `$.learners[0].role`"),
        ({"learners": [{"name": "unigram", "label": "{x}"}]}, "refers to no parameter: 'x'"),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(changes, named):
    assert named in refused(**changes)


def test_a_file_that_is_no_toml_is_named(tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text("question = ")
    with pytest.raises(ValueError, match=r"broken\.toml: Invalid value"):
        load(file)


def test_an_error_of_a_file_begins_with_its_name(tmp_path):
    file = write_toml(tmp_path / "mine.toml", scenario_table(stepz=3))
    with pytest.raises(ValueError, match=r"^/.*mine\.toml: Object contains unknown field `stepz`"):
        load(file)


def test_a_scenario_extends_a_shipped_one_but_for_what_it_says_itself(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "figure1-hard"\nseeds = 2\n[stream]\nproblem = "easy"\n')
    mine, base = load(file), load(find("figure1-hard"))
    assert (mine.seeds, mine.stream) == ((0, 1), {"problem": "easy"})
    assert (mine.learners, mine.n_steps, mine.axis) == (base.learners, 1000, "step_power")
    assert (mine.title, mine.paper, mine.figure) == ("mine", "", "mine")  # it is not the paper's


def test_other_learners_do_not_get_the_grid_of_those_they_replace(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "table1-hard"\n[[learners]]\nname = "unigram"\n')
    mine = load(file)
    assert (mine.axis, mine.screen, mine.metrics) == (None, None, ("L1", "L2"))


@pytest.mark.parametrize("base", ['"nothing"', "3", '"mine"'])
def test_what_cannot_be_extended_is_named(base, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(f"extends = {base}\n")
    with pytest.raises(ValueError, match=r"mine\.toml: extends must name a shipped scenario, got"):
        load(file)


def test_every_shipped_scenario_is_legal_and_of_the_paper_or_of_table_1():
    scenarios = [load(file) for file in shipped()]
    ours = ("table1", "cost", "ablation", "conditioning", "sensitivity")
    assert all(s.question.endswith("?") and (s.paper or s.figure in ours) for s in scenarios)
    # On synthetic problems a run is cheap, and seeds are what a difference needs.
    short = [s for s in scenarios if s.figure in ("figure1", "conditioning")]
    assert all(len(s.seeds) == 100 for s in short)
    # On text a seed changes the learners alone, whose losses hardly vary.
    assert all(len(s.seeds) >= 6 for s in scenarios if s.kind != "cost")
    figure1 = [s for s in scenarios if s.figure == "figure1"]
    assert [(s.block_size, s.n_steps) for s in figure1] == [
        (1, 1000),
        (1, 1000),
        (100, 100),
        (1, 1000),
    ]
    powers = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    for scenario in figure1:
        found = [c.parameters["step_power"] for c in scenario.learners if c.name == "stepwise-em"]
        assert found == powers


def test_a_quick_scenario_is_shorter_without_slow_learners():
    scenario = load(find("figure1-hard"))
    quick = scenario.quick()
    assert (quick.seeds, quick.n_steps) == ((0, 1, 2), 200)
    slow = {c.label for c in scenario.learners} - {c.label for c in quick.learners}
    assert slow == {"Algorithm 1"}


def test_settings_of_hedged_leader_are_a_table(tmp_path):
    made = make_settings({"n_visits": 0.0, "prior_runs": []})
    assert made == replace(SETTINGS, n_visits=0.0, prior_runs=())
    learners = [{"name": "hedged", "settings": {"n_visit": 0.0}}]
    with pytest.raises(ValueError, match=r"my: .*n_visit"):
        check([parse(scenario_table(learners=learners), "my")])


def test_a_scenario_is_found_by_name_or_file(tmp_path):
    assert find("figure1-hard") in shipped()
    with pytest.raises(ValueError, match=r"unknown scenario .figure9.; give a \.toml file"):
        find("figure9")


def test_a_stream_takes_a_size():
    stream = {"problem": "random", "n_topics": 2, "n_words": 7, "lengths": {"3": 0.5, "4": 0.5}}
    block = next(make_problem(parse_stream(stream)).blocks(block_size=50, n_steps=1))
    assert block.documents.n_words == 7
    assert set(block.documents.lengths) == {3.0, 4.0}


def test_a_learner_of_ones_own_is_named_by_module_and_class():
    name = "spectralleader.learners.stepwise_em:StepwiseEM"
    learners = [{"name": name, "step_power": [0.6, 0.9], "label": "mine {step_power}"}]
    scenario = parse(scenario_table(learners=learners), "my")
    assert [c.name for c in scenario.learners] == [name, name]
    assert "has no parameter 'power'" in refused(learners=[{"name": name, "power": 1.0}])


def test_a_learner_of_ones_own_that_is_none_is_refused():
    assert "cannot import nothing.here" in refused(learners=[{"name": "nothing.here:Mine"}])
    assert "of type module" in refused(learners=[{"name": "spectralleader:learners"}])
    regret = {"kind": "regret", "metrics": ["regret"], "stream": {"problem": "cyclic"}}
    assert "learner must be one of noise-free" in refused(**regret, learners=[{"name": "spectral"}])
    wrong = {"name": "noise-free", "epsilon": 2.0}
    assert "0 < epsilon <= 1" in refused(**regret, learners=[wrong])
    assert "problem must be one of" in refused(**(regret | {"stream": {"problem": "easy"}}))
