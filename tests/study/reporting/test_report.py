from pathlib import Path

import pytest

from study.reporting.claims import Verdict
from study.reporting.figures import draw_over_axis, draw_over_steps, styles
from study.reporting.report import RULE, TEXTS, Report, save, write
from study.reporting.study import by_figure
from study.reporting.tables import (
    Table,
    as_markdown,
    final_table,
    tuning_table,
)
from tests.factories import study as make_study

FINALS = {
    "SpectralLeader": [1.0, 1.1],
    "EM 0.5": [3.0, 3.1],
    "EM 1.0": [2.0, 2.5],
    "true model": [0.5, 0.5],
}


@pytest.fixture
def study():
    changes = {"title": "A <hard> problem", "question": "Is it & does it?", "figure": "figure1"}
    return make_study(FINALS, paper="Figure 1", group="test", **changes)


def test_a_report_has_verdicts_questions_figures_and_tables(study, tmp_path):
    verdicts = [Verdict("7", "a claim", "EM", "1 < 2", "does not hold")]
    file = write(Report("Lead.", [study], "python -m study reproduce", verdicts), tmp_path / "a")
    text = file.read_text(encoding="utf-8")
    assert "Lead. Written by `python -m study reproduce`; do not edit." in text
    assert "| 7 | a claim | EM | 1 < 2 | does not hold |" in text
    assert "## Figure 1: synthetic problems" in text
    assert "Is it & does it?" in text
    assert "### The value of tuning" in text
    assert text.index("Is it") < text.index("![figure1]")
    for name in ("figure1", "figure1-by-step_power"):
        assert f"![{name}](figures/{name}.png)" in text
        assert (file.parent / "figures" / f"{name}.png").is_file()


def test_other_text_than_the_papers_is_told(study, tmp_path):
    file = write(Report("Lead", [study._replace(figure="figure2")], "command"), tmp_path)
    text = file.read_text(encoding="utf-8")
    assert "not reproductions of the paper's Figure 2" in text


def test_the_same_rows_give_the_same_figure(study, tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("a", "b"):
        save(draw_over_steps([study]), name, tmp_path)
    a, b = ((tmp_path / "figures" / f"{name}.png").read_bytes() for name in ("a", "b"))
    assert a == b


def test_a_figure_has_a_row_of_panels_for_each_study(study):
    other = study._replace(metrics=("L1",), log=("L1",), axis=None)
    figure = draw_over_steps([study, other])
    assert len(figure.axes) == 4
    assert figure.axes[2].get_yscale() == "log"
    assert len(draw_over_axis([study]).axes) == 2
    assert list(by_figure([study, other._replace(figure="b")])) == ["figure1", "b"]


def test_the_axis_has_a_tick_at_every_value_of_the_grid(study):
    tried = sorted(study.grid.values())
    axes = draw_over_axis([study]).axes[0]
    assert axes.get_xticks().tolist() == tried
    assert [text.get_text() for text in axes.get_xticklabels()] == [f"{one:g}" for one in tried]


@pytest.mark.parametrize("name", ["a", "variance-reduced-em", "an.own.module:Learner" * 3])
def test_a_legend_is_not_cut_off(name):
    finals = {f"{name} {i}": [1.0, 1.1] for i in range(9)}
    study = make_study(finals)._replace(metrics=("L1",), axis=None)
    figure = draw_over_steps([study])
    figure.draw_without_rendering()
    [legend] = figure.legends
    assert len(legend.get_texts()) >= 9
    assert legend.get_window_extent().width <= figure.bbox.width
    assert legend.get_window_extent().y0 >= 0


def test_a_grid_has_shades_and_its_best_is_marked(study):
    assert study.grid == {"EM 0.5": 0.5, "EM 1.0": 1.0}
    assert study.ranked("L1") == ["EM 1.0", "EM 0.5"]
    assert study._replace(axis="reservoir_size").ranked("L1") == []
    drawn = styles(study)
    assert list(drawn) == ["SpectralLeader", "EM 0.5", "EM 1.0", "true model"]
    [marked] = [
        text.get_text() for text in draw_over_steps([study]).axes[0].get_legend().get_texts()
    ]
    assert marked == "best tuned: EM 1.0"


def test_tables_have_mean_and_standard_error(study):
    table = final_table(study)
    assert table.header[0] == "learner"
    assert ("EM 1.0", "2.25 ± 0.25 *", "2.25 ± 0.25 *") in table.rows
    [first, _] = tuning_table([study]).rows
    assert first[1:3] == ("test", "L1")
    assert first[3:] == ("1.050 ± 0.050", "2.25 ± 0.25 at 1.0", "3.050 ± 0.050 at 0.5")


def test_a_cell_cannot_break_its_table():
    table = Table(("a",), [("x|y <b>",)])
    assert as_markdown(table) == "| a |\n| --- |\n| x/y <b> |"


def test_the_published_results_have_the_texts_of_reports():
    page = (Path(__file__).parents[3] / "docs" / "results.md").read_text(encoding="utf-8")
    names = ("compared_note", "table1_note", "labels_link", "averages")
    headings = (f"## {heading}" for heading in TEXTS["headings"].values())
    for text in (RULE, *(TEXTS[name] for name in names), *headings, *TEXTS["notes"].values()):
        assert f"\n{text}\n" in page
