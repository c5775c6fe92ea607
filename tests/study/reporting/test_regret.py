from study.experiments import find, load
from study.experiments.run import run
from study.reporting.figures import draw_regret, followed
from study.reproduce import study_of


def test_regret_is_run_from_a_file_and_drawn_under_its_bounds(tmp_path):
    scenario = load(find("regret-switching")).quick()
    rows = run([scenario], tmp_path, workers=0)[scenario.name]
    assert {row.learner.role for row in rows} == {"noise-free", "leader", "variant"}
    noise_free = [r.values for r in rows if r.learner.role == "noise-free" and r.step > 1]
    assert all(values["regret"] <= values["bound_printed"] for values in noise_free)
    assert all(values["regret"] <= values["bound_sharp"] for values in noise_free)
    study = study_of(scenario, rows)
    figure = draw_regret([study])
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "Theorem 1 repaired" in labels
    assert "SpectralLeader as printed, reservoir" in labels
    assert "SpectralLeader, reservoir" not in labels  # ours
    sizes = {row.learner.parameters.get("epsilon") for row in followed(study)}
    assert sizes == {None, 0.2}  # nearest to 2000^(-1/4) = 0.15, in the logarithm
