"""The bench of the engines: what is run, what is kept and what is written, without running any."""

import time

import pytest

pytest.importorskip("psutil", reason="needs the bench extra")

from benchmarks.scale import report, rows, stalls
from benchmarks.scale.__main__ import parse, run_missing


def row(engine, n_docs, n_workers, **more):
    found = {"seconds": 4.0, "made": 1.0, "driver_mb": 200.0, "worker_mb": 300.0, "fit": -5.6}
    named = {"engine": engine, "documents": n_docs, "workers": n_workers}
    return named | found | {"fit_error": 0.01, "load": 0.1, "stood_still": 2.0, "points": []} | more


def test_a_pattern_says_what_is_run_and_long_runs_of_lda_are_left_out():
    sizes, workers = (100_000, 10_000_000), (1, 2)
    names = [str(one) for one in rows.settings(sizes, workers)]
    assert len(names) == 12
    assert "spark/10000000/2" in names
    assert "spark-lda/10000000/2" not in names
    some = rows.settings(sizes, workers, only="spark*/100000/2")
    assert [one.engine for one in some] == ["spark", "spark-lda", "spark-lda-100"]


def test_a_quick_run_keeps_its_rows_apart_and_writes_no_page(capsys):
    quick = parse(["--quick", "--only", "spark/*"])
    assert (quick.documents, quick.workers, quick.only) == ("2000", "1", "spark/*")
    assert quick.anew
    assert quick.rows != parse([]).rows == rows.FOUND
    with pytest.raises(SystemExit):
        parse(["--quick", "--write-docs"])
    assert "omit --quick" in capsys.readouterr().err


def test_only_what_is_missing_is_run_and_a_failure_stops_nothing(tmp_path, monkeypatch):
    path, asked = tmp_path / "rows.json", []

    def run(setting):
        asked.append(setting.engine)
        return None if setting.engine == "dask" else row(*setting)

    monkeypatch.setattr("benchmarks.scale.__main__.run", run)
    wanted = rows.settings([1000], [2])
    assert run_missing(wanted, path, anew=False) == 1
    assert sorted(rows.load(path)) == ["spark-lda-100/1000/2", "spark-lda/1000/2", "spark/1000/2"]
    asked.clear()
    assert run_missing(wanted, path, anew=False) == 1
    assert asked == ["dask"]


def test_time_in_which_the_machine_stood_still_is_left_out():
    assert stalls.lasted((10.0, 20.0), [(0.0, 11.0), (15.0, 18.0), (19.0, 30.0)]) == 5.0
    with stalls.watched() as seen:
        time.sleep(0.2)
    assert all(end > start for start, end in seen)


def test_table_and_figure_go_between_the_markers_of_the_page(tmp_path):
    page, figure = tmp_path / "scale.md", tmp_path / "figures" / "scale.svg"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
    points = [(2.0, -5.7), (4.0, -5.6)]
    ours = row("dask", 1000, 2, points=points, n_passes=10, down=1e6, up=2e6)
    for _ in range(2):  # the second time as the first
        report.write({"a": row("spark-lda", 1000, 2), "b": ours}, page, figure)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    first, second = [line for line in text.splitlines() if "| 1,000 |" in line]
    assert first.startswith("| dask | 1,000 | 2 | 4.0 | 0.40 |")
    assert second.startswith("| spark-lda ")
    assert "4 s in which the whole machine stalled" in text
    assert figure.exists()
    assert report.BEGIN in report.PAGE.read_text(encoding="utf-8")
