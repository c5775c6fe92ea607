import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.experiments import find, load, shipped
from study.experiments.scenario import REQUIRED, expand, parse
from study.experiments.sources import make_problem
from tests.factories import scenario_table


def refused(**changes):
    with pytest.raises(ValueError, match=r"^my\.toml: ") as caught:
        parse(scenario_table(**changes), "my", "my.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from("abcd"), st.lists(st.integers(0, 9), min_size=1, max_size=3), max_size=4
    )
)
def test_a_grid_is_every_combination_once(grid):
    settings = list(expand(grid))
    assert [tuple(s.values()) for s in settings] == list(itertools.product(*grid.values()))
    assert all(list(s) == list(grid) for s in settings)


def test_a_list_is_a_grid_and_labels_tell_its_learners_apart():
    learners = [{"name": "stepwise-em", "step_power": [0.5, 1.0], "label": "EM {step_power}"}]
    assert [c.label for c in parse(scenario_table(learners=learners), "my", "-").learners] == [
        "EM 0.5",
        "EM 1.0",
    ]
    del learners[0]["label"]
    unlabelled = parse(scenario_table(learners=learners), "my", "-").learners
    assert unlabelled[0].label == "stepwise-em step_power=0.5"
    assert unlabelled[0].parameters == {"step_power": 0.5}


def test_an_unknown_key_is_named_with_the_known_ones():
    message = refused(block_sise=3)
    assert "unknown key 'block_sise'" in message
    assert all(key in message for key in ("block_size", "n_steps", "axis"))


@pytest.mark.parametrize("key", REQUIRED)
def test_a_missing_key_is_named(key):
    table = scenario_table()
    del table[key]
    with pytest.raises(ValueError, match=f"my.toml: key '{key}' is missing; known keys: "):
        parse(table, "my", "my.toml")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"n_steps": 1}, "n_steps must be an integer from 2 on, got 1"),
        ({"block_size": True}, "block_size must be an integer"),
        ({"seeds": 0}, "seeds must be"),
        ({"seeds": [1, 1]}, "seeds must be distinct"),
        ({"metrics": ["L3"]}, "one of L1, L2, loss, got 'L3'"),
        ({"metrics": "L1"}, "metrics must be a list"),
        ({"kind": "other"}, "kind must be one of prequential"),
        ({"question": 3}, "question must be a string"),
        ({"stream": "hard"}, "stream must be a table"),
        ({"stream": {"problem": "harder"}}, "problem must be one of easy, hard"),
        ({"stream": {"problem": "hard", "n_topics": 3}}, "unknown key 'n_topics'"),
        ({"stream": {"problem": "random", "n_topics": 3}}, "key 'n_words' is missing"),
        ({"stream": {"problem": "hard", "prior": {"kind": "odd"}}}, "prior.kind must be one of"),
        ({"stream": {"problem": "hard", "prior": {"kind": "cyclic"}}}, "period"),
        ({"stream": {"corpus": "news_headlines"}}, "key 'n_words' is missing"),
        ({"stream": {"corpus": "x", "n_words": 9, "n_topics": 2}}, "one of health_tweets"),
        ({"stream": {"corpus": "newsgroups", "n_words": 0, "n_topics": 2}}, "n_words must be"),
        ({"screen": {"seeds": 2, "keep": 5}}, "requires an axis"),
        ({"learners": {"name": "unigram"}}, "learners must be tables"),
        ({"learners": [{"name": "em"}]}, "name must be one of hedged"),
        ({"learners": [{"name": "spectral", "power": 1}]}, "unknown key 'power'"),
        ({"learners": [{"name": "unigram"}, {"name": "unigram"}]}, "two learners have the label"),
        ({"learners": [{"name": "unigram", "role": "hero"}]}, "role must be one of leader"),
        ({"learners": [{"name": "unigram", "label": "{x}"}]}, "may only refer to the learner's"),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(changes, named):
    assert named in refused(**changes)


def test_a_file_that_is_no_toml_is_named(tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text("question = ")
    with pytest.raises(ValueError, match=r"broken\.toml: not a TOML file"):
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
    assert all(s.question.endswith("?") and (s.paper or s.figure == "table1") for s in scenarios)
    assert all(len(s.seeds) == 10 for s in scenarios)
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


def test_a_quick_scenario_is_shorter_with_the_same_learners():
    scenario = load(find("figure1-hard"))
    quick = scenario.quick()
    assert (quick.seeds, quick.n_steps) == ((0, 1, 2), 200)
    assert quick.learners == scenario.learners


def test_a_scenario_is_found_by_name_or_file(tmp_path):
    assert find("figure1-hard") in shipped()
    with pytest.raises(ValueError, match=r"unknown scenario .figure9.; give a \.toml file"):
        find("figure9")


def test_a_stream_takes_a_prior_and_a_size():
    stream = {"problem": "random", "n_topics": 2, "n_words": 7, "lengths": {"3": 0.5, "4": 0.5}}
    block = next(make_problem(stream).blocks(block_size=50, n_steps=1))
    assert block.documents.n_words == 7
    assert set(block.documents.lengths) == {3.0, 4.0}
    turns = make_problem({"problem": "hard", "prior": {"kind": "in-turn", "runs": [2, 1, 1]}})
    assert next(turns.blocks(block_size=4, n_steps=1)).labels.tolist() == [0, 0, 1, 2]


def test_a_learner_of_ones_own_is_named_by_module_and_class():
    name = "spectralleader.learners.stepwise_em:StepwiseEM"
    learners = [{"name": name, "step_power": [0.6, 0.9], "label": "mine {step_power}"}]
    scenario = parse(scenario_table(learners=learners), "my", "my.toml")
    assert [c.name for c in scenario.learners] == [name, name]
    assert "known keys: name, label" in refused(learners=[{"name": name, "power": 1.0}])


def test_a_learner_of_ones_own_that_is_none_is_refused():
    assert "cannot import nothing.here" in refused(learners=[{"name": "nothing.here:Mine"}])
    assert "of type module" in refused(learners=[{"name": "spectralleader:learners"}])
    assert "name must be one of" in refused(learners=[{"name": "nothing"}])
    assert "name must be one of" in refused(
        kind="regret", metrics=["regret"], learners=[{"name": "nothing.here:Mine"}]
    )
