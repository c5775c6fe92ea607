from io import StringIO

from rich.console import Console

from study.reporting.findings import lower_everywhere, recovers
from study.reporting.tables import above, changes_table, final_table, narrow, table1_tables
from study.reproduce import Options, reproduce
from study.rows import Row
from tests.factories import ROLES, contender, scenario_table, study, write_toml

FINALS = {
    "HedgedLeader": [0.9, 1.0, 1.1],
    "pool of 54 EMs": [0.3, 0.4, 0.5],
    "SpectralLeader": [2.4, 2.5, 2.6],
    "EM 0.5": [3.0, 3.1, 3.2],
    "EM 1.0": [2.1, 2.2, 2.3],
    "Unigram": [4.9, 5.0, 5.1],
    "true model": [0.5, 0.5, 0.5],
}
FINALS |= {"MiniEM 0.5": [2.0, 2.1, 2.2]}


def test_table_1_has_a_row_a_stream_and_marks_who_is_lower():
    one = study(FINALS, group="test")
    l1, l2 = table1_tables([one, one._replace(metrics=("L1",))]).values()
    assert l1.header[1:4] == ("group", "HedgedLeader", "pool of 54 EMs")
    assert l1.header[4:6] == ("the pool minus ours", "EM, best of 54")
    row = dict(zip(l1.header, l1.rows[0], strict=True))
    assert row["HedgedLeader"] == "1.000 ± 0.058"
    assert row["pool of 54 EMs"] == "0.400 ± 0.058 ▼"
    assert row["the pool minus ours"] == "−0.600 ▼"
    assert row["EM, best of 54"] == "2.200 ± 0.058 ▲ (EM 1.0)"
    assert row["EM, best of all mini-batches"] == "2.100 ± 0.058 ▲ (MiniEM 0.5)"
    assert row["IncrementalEM"] == "–"
    assert row["runs"] == "3"
    [row] = l2.rows  # the other study has no L2
    assert row[2] == "2.500 ± 0.058"
    assert narrow(l1).header == ("stream", *l1.header[2:5])


def test_table_1_says_how_many_components_a_prediction_has():
    values = {"us": 1.0, "MB": 1.0, "components": 270.0}
    rows = [Row(contender(name), 0, 2, values) for name in ("pool of 54 EMs", "StepwiseEM")]
    costs = study({})._replace(rows=rows, metrics=tuple(values), title="K = 5")
    first, *_ = next(iter(table1_tables([study(FINALS)], [costs]).values())).rows
    assert first[:2] == ("components (K = 5)", "")
    assert final_table(costs).rows[0] == ("pool of 54 EMs", "1.000", "1.000", "270", "1")
    assert first[3:6] == ("270", "–", "270")


def test_a_sentence_names_the_streams_on_which_a_learner_is_above():
    one = study(FINALS, title="first")
    worse = study(FINALS | {"SpectralLeader": [6.4, 6.5, 6.6]}, title="second")
    told = above([one, worse], "L2", "SpectralLeader", "Unigram")
    assert told == "The L2 of SpectralLeader is above that of Unigram on 1 of 2 streams: second."


def test_a_part_helps_if_the_learner_is_worse_without_it():
    finals = {"HedgedLeader": FINALS["HedgedLeader"], "SpectralLeader, variant": [1.9, 2.0, 2.1]}
    table = changes_table([study(finals)], "L1")
    assert table.rows == [("A stream", "1.000 ± 0.058", "+1.000 ▲", "3")]


def test_lower_everywhere_names_where_it_is_not():
    worse = study(FINALS | {"HedgedLeader": [2.1, 2.6, 2.0]}, name="bad")
    given = {"metric": "L1", "own": "HedgedLeader"}
    assert lower_everywhere([study(FINALS)], None, **given).holds
    finding = lower_everywhere([study(FINALS), worse], None, **given)
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
    names |= {"study.pool:EMPool": "pool of 54 EMs", "unigram": "Unigram"}
    names |= {"study.learners:HedgedModel": "HedgedLeader.model"}
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
    assert (
        "| group | HedgedLeader | pool of 54 EMs | the pool minus ours | EM, best of 54 |"
        in results
    )
    assert "The L2 of SpectralLeader is above that of Unigram on" in results
    assert "on the page labels.md" in results
    assert "best of 54" in (tmp_path / "yes" / "results.md").read_text()
