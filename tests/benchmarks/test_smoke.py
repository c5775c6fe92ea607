import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("sklearn", "gensim", "river", "vowpalwabbit", "psutil", "threadpoolctl")
MISSING = [name for name in NEEDED if find_spec(name) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"needs the bench extra: {', '.join(MISSING)} missing")
def test_a_quick_run_measures_every_contender_and_writes_its_files(tmp_path):
    # a process of its own: threads are limited before NumPy is imported
    command = [sys.executable, "-m", "benchmarks", "--quick", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    record = json.loads((tmp_path / "results.json").read_text())
    assert "SpectralLeader" not in record["left_out"]
    counted = ("nats", "nats per word", "churn", "events", "replaced")  # may be 0 or negative
    assert all(min(row["values"]) > 0 for row in record["rows"] if row["unit"] not in counted)
    assert {
        "blocks of 10",
        "text to counts",
        "live sources: learning, K = 5",
        "long learning alone",
        "growth: topics",
        "scikit-learn adapter, HedgedLeader",
        "river adapter, SpectralLeader",
        "memory",
        "labels: synthetic documents (development), 50 words, K = 3",
        "quality: synthetic_texts, K = 3",
    } <= {row["section"] for row in record["rows"]}
    assert (tmp_path / "growth.svg").exists()
    for name in ("SpectralLeader", "HedgedLeader"):
        assert {"blocks of 10", "blocks of 1000"} <= {
            row["section"] for row in record["rows"] if row["name"] == name
        }
    assert "| HedgedLeader | 1 | " in (tmp_path / "labels.md").read_text()
    assert "| SpectralLeader | " in (tmp_path / "labels.md").read_text()
    assert (tmp_path / "performance.md").read_text().startswith("# Performance")
