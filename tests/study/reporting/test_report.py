from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from study.reporting.claims import Verdict
from study.reporting.figures import draw_over_steps, styles
from study.reporting.report import RULE, TEXTS, Report, save, write
from study.reporting.study import by_figure
from study.reporting.tables import (
    Table,
    as_markdown,
    as_rich,
    final_table,
    short_verdicts,
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
    assert "‖M3*‖²: A <hard> problem 0.5." in text
    assert "## Figure 1: synthetic problems" in text
    assert "Is it & does it?" in text
    assert "### The value of tuning" in text
    assert text.index("Is it") < text.index("![figure1]")
    assert "![figure1](figures/figure1.png)" in text
    for ending in ("png", "pdf"):
        assert (file.parent / "figures" / f"figure1.{ending}").is_file()


def test_other_text_than_the_papers_is_told(study, tmp_path):
    file = write(Report("Lead", [study._replace(figure="figure2")], "command"), tmp_path)
    text = file.read_text(encoding="utf-8")
    assert "not reproductions of the paper's Figure 2" in text


def test_the_same_rows_give_the_same_figure(study, tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("a", "b"):
        save(draw_over_steps([study]), name, tmp_path)
    for ending in ("png", "pdf"):
        a, b = ((tmp_path / "figures" / f"{name}.{ending}").read_bytes() for name in ("a", "b"))
        assert a == b


def test_a_figure_has_a_row_of_panels_for_each_study(study):
    other = study._replace(metrics=("L1",), log=("L1",), axis=None)
    figure = draw_over_steps([study, other])
    assert len(figure.axes) == 4
    assert figure.axes[2].get_yscale() == "log"
    assert list(by_figure([study, other._replace(figure="b")])) == ["figure1", "b"]


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
    assert list(drawn) == ["EM 0.5", "EM 1.0", "true model", "SpectralLeader"]
    assert drawn["SpectralLeader"]["zorder"] > max(
        style.get("zorder", 0) for name, style in drawn.items() if name != "SpectralLeader"
    )
    [marked] = [
        text.get_text() for text in draw_over_steps([study]).axes[0].get_legend().get_texts()
    ]
    assert marked == "best tuned: EM 1.0"


def test_tables_have_mean_and_standard_error(study):
    table = final_table(study)
    assert table.header[0] == "learner"
    assert ("EM 1.0", "2.25 ± 0.25 *", "2.25 ± 0.25 *", "2") in table.rows
    [first, _] = tuning_table([study]).rows
    assert first == (
        "A <hard> problem, L1",
        "1.050 ± 0.050",
        "2.25 ± 0.25 at 1.0",
        "3.050 ± 0.050 at 0.5",
    )


def test_a_cell_cannot_break_its_table():
    table = Table(("a",), [("x|y <b>",)])
    assert as_markdown(table) == "| a |\n| --- |\n| x/y <b> |"


def test_figures_of_the_papers_problems_have_the_papers_learners_only():
    finals = FINALS | {"HedgedLeader": [1.0, 1.0], "SpectralLeader, variant": [1.0, 1.0]}
    shown = make_study(finals)
    ours = {"HedgedLeader", "SpectralLeader, variant"}
    assert ours <= set(styles(shown))
    assert not ours & set(styles(shown._replace(paper="Figure 1")))


def test_a_literal_learner_with_fewer_runs_is_not_drawn_beside_what_it_equals():
    shown = make_study(FINALS | {"Algorithm 1": [1.0, 1.1]})
    assert styles(shown)["Algorithm 1"]["linewidth"] > styles(shown)["SpectralLeader"]["linewidth"]
    rows = [
        row._replace(learner=replace(row.learner, seeds=1))
        if row.learner.role == "literal"
        else row
        for row in shown.rows
    ]
    assert "Algorithm 1" not in styles(shown._replace(rows=rows))


def test_a_loss_is_shown_as_excess_over_the_references():
    found = make_study(FINALS).above_reference("L1")
    assert found.finals("L1")["true model"].tolist() == [0.0, 0.0]
    assert found.finals("L1")["EM 1.0"].tolist() == [1.5, 2.0]
    assert found.finals("L2")["EM 1.0"].tolist() == [2.0, 2.5]
    without = make_study({"EM 1.0": [2.0]})
    assert without.above_reference("L1") is without


def test_verdicts_fit_a_terminal_of_80_columns():
    claim = "SpectralLeader always converges to the global optimum"
    verdicts = [Verdict("abstract", claim, "EM", "1 < 2", "does not hold")]
    console = Console(file=StringIO(), width=80)
    console.print(as_rich(short_verdicts(verdicts), "title"))
    text = console.file.getvalue()
    assert f"abstract  {claim}"[:40] in text
    assert "EM: 1 < 2" in text


PAGE = Path(__file__).parents[3] / "docs" / "results.md"


def test_the_published_results_have_the_texts_of_reports():
    page = PAGE.read_text(encoding="utf-8")
    if RULE not in page:
        assert "These results are of an earlier version of the study" in page
        return
    headings = (f"## {heading}" for heading in TEXTS["headings"].values())
    texts = (TEXTS[name] for name in ("compared_note", "table1_note", "labels_link"))
    for text in (RULE, *texts, *headings, *TEXTS["notes"].values(), *TEXTS["captions"].values()):
        assert f"\n{text}\n" in page
