from io import StringIO

from rich.console import Console

from study.reporting.findings import lower_everywhere, recovers
from study.reporting.tables import table1_tables
from study.reproduce import Options, reproduce
from study.rows import Row
from tests.factories import ROLES, contender, scenario_table, study, write_toml

FINALS = {
    "HedgedLeader": [1.0, 1.1],
    "SpectralLeader": [2.5, 2.1],
    "SpectralLeader, variant": [2.4, 2.0],
    "EM 0.5": [3.0, 3.1],
    "EM 1.0": [2.0, 2.5],
    "VarianceReducedEM": [2.2, 2.4],
    "Unigram": [5.0, 5.0],
    "true model": [0.5, 0.5],
}


def test_table_1_has_a_row_a_stream_and_says_who_is_lower():
    one = study(FINALS, group="test")
    l1, l2 = table1_tables([one, one._replace(metrics=("L1",))]).values()
    assert l1.header[1:6] == ("group", "HedgedLeader", "EM, best of 54", "difference", "ours is")
    assert l1.rows[0][:4] == ("A stream", "test", "1.050 ± 0.050", "2.25 ± 0.25 (EM 1.0)")
    assert l1.rows[0][5] == "lower"
    assert l1.rows[0][-2:] == ("0.500", "2")
    [row] = l2.rows  # the other study has no L2
    assert row[5] == "similar"
    assert l2.header[-2:] == ("SpectralLeader, variant", "runs")
    assert row[-2:] == ("2.20 ± 0.20", "2")


def test_lower_everywhere_names_where_it_is_not():
    worse = study(FINALS | {"HedgedLeader": [2.1, 2.6]}, name="bad")
    assert lower_everywhere([study(FINALS)], None, "L1", "predictor").holds
    finding = lower_everywhere([study(FINALS), worse], None, "L1", "predictor")
    assert not finding.holds
    assert finding.measured.startswith("lower in 1 of 2; not: bad L1")


def run_of(name, losses):
    """Rows of a run with these losses at steps 1, 2, ...; the first counts as nothing."""
    totals = [sum(losses[1:n]) for n in range(1, len(losses) + 1)]
    return [
        Row(contender(name), 0, n, {"L1": total / n}) for n, total in enumerate(totals, start=1)
    ]


def test_recovery_is_counted_from_the_middle_in_documents():
    truth = run_of("true model", 10 * [1.0])
    back = run_of("HedgedLeader", [2.0, 1.0, 1.0, 1.0, 1.0, 3.0, 2.0, 1.1, 3.0, 1.0])
    never = run_of("HedgedLeader", 10 * [2.0])

    def finding(rows, within):
        given = {"role": "predictor", "block_size": 10, "below": 0.3, "within": within}
        return recovers([study({})._replace(rows=rows)], None, **given)

    assert finding(truth + back, 30).measured == "mean 30 documents, worst run 30"
    assert finding(truth + back, 30).holds
    assert not finding(truth + back, 20).holds
    assert not finding(truth + never, 30).holds


def test_table_1_is_run_if_asked_for_and_stands_apart_from_the_papers_claims(tmp_path, monkeypatch):
    names = {"hedged": "HedgedLeader", "spectral": "SpectralLeader", "truth": "true model"}
    names |= {"study.learners:VarianceReducedEM": "VarianceReducedEM"}
    names |= {"unigram": "Unigram"}
    learners = [{"name": name, "label": label} for name, label in names.items()]
    learners.append({"name": "stepwise-em", "label": "EM {step_power}", "step_power": [0.5, 1.0]})
    learners = [one | {"role": ROLES.get(one["label"], "other")} for one in learners]
    table = scenario_table(learners=learners, figure="table1", axis="step_power")
    files = [write_toml(tmp_path / "table1-hard.toml", table)]
    monkeypatch.setattr("study.reproduce.shipped", lambda: files)
    console, docs = Console(file=StringIO(), width=200), tmp_path / "docs"
    verdicts = reproduce(console, Options(tmp_path / "no", workers=0))
    assert not (tmp_path / "no" / "rows" / "table1-hard.jsonl").exists()
    docs.mkdir()
    same = reproduce(console, Options(tmp_path / "yes", workers=0, tables=True), docs)
    assert [v.text for v in same] == [v.text for v in verdicts]  # the paper's, and only those
    results = (docs / "results.md").read_text()
    assert "## Table 1" in results
    assert " | development | " in results
    assert "| group | HedgedLeader | EM, best of 54 | difference | ours is |" in results
    assert "on the page labels.md" in results
    assert "best of 54" in (tmp_path / "yes" / "results.md").read_text()
