from spectralleader.study.experiments import find, load
from spectralleader.study.experiments.run import run
from spectralleader.study.reporting.regret import chosen, draw_regret
from spectralleader.study.reproduce import study_of


def test_regret_is_run_from_a_file_and_drawn_under_its_bounds(tmp_path):
    scenario = load(find("regret-switching")).quick()
    rows = run([scenario], tmp_path, workers=0)[scenario.name]
    assert {row["leader"] for row in rows} == {"noise-free", "SpectralLeader"}
    noise_free = [row for row in rows if row["leader"] == "noise-free" and row["step"] > 1]
    assert all(row["regret"] <= row["bound_printed"] for row in noise_free)
    assert all(row["regret"] <= row["bound_sharp"] for row in noise_free)
    figure = draw_regret([study_of(scenario, rows)])
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "Theorem 1 repaired" in labels
    assert "SpectralLeader, reservoir" in labels
    drawn = chosen(rows)
    followed = {row["epsilon"] for row in drawn if row["step"] < scenario.n_steps}
    assert followed == {None, 0.2}  # nearest to 2000^(-1/4) = 0.15, in the logarithm
