import pytest

from study.experiments.run import run
from study.experiments.scenario import parse
from study.experiments.streams import open_source
from tests.factories import scenario_table

REPLACED = {"problem": "replaced", "n_topics": 2, "n_words": 20, "lengths": 5, "seed": 1}


def final(stream, learners, tmp_path):
    table = scenario_table(
        stream=stream, learners=learners, metrics=["L1"], block_size=20, n_steps=40
    )
    rows = run([parse(table, "my")], tmp_path, workers=0)["my"]
    return {r.learner.label: r.values["L1"] for r in rows if (r.seed, r.step) == (0, 40)}


def test_topics_are_replaced_half_way():
    source = open_source(REPLACED)
    blocks = [b.documents for b in source.blocks(block_size=50, n_steps=10, seed=0)]
    fits = [
        source.truth.log_prob(b).mean() > source.before.truth.log_prob(b).mean() for b in blocks
    ]
    assert fits == 5 * [False] + 5 * [True]


def test_the_truth_changes_with_the_stream(tmp_path):
    found = final(REPLACED, [{"name": "truth"}, {"name": "best-static"}], tmp_path)
    assert found["truth"] < found["best-static"] - 0.1  # one model cannot be both


@pytest.mark.parametrize("problem", ["easy", "hard"])
def test_the_best_static_model_fits_its_documents_better_than_the_truth(problem, tmp_path):
    found = final({"problem": problem}, [{"name": "truth"}, {"name": "best-static"}], tmp_path)
    assert found["best-static"] < found["truth"]
