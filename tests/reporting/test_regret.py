from spectralleader.evaluation.analysis import analysis_rows
from spectralleader.reporting.regret import draw_regret


def test_the_figure_is_drawn_from_rows_alone(tmp_path):
    rows = [
        row
        for scenario in ("stationary", "switching")
        for row in analysis_rows(scenario, n_steps=30, seeds=range(2))
    ]
    path = draw_regret(rows, tmp_path / "new" / "regret.png")
    assert path.read_bytes().startswith(b"\x89PNG")
