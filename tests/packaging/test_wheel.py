"""The wheel, built and installed in an environment of its own, as users do."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.factories import write_csv
from tools import dist

ROOT = Path(__file__).parents[2]
EXTRAS = {
    "sklearn": "import spectralleader.sklearn as s; s.SpectralTopics(n_components=2)",
    "river": "import spectralleader.river as r; r.SpectralTopics(n_components=2)",
    "parquet": "from spectralleader.sources import read; print(list(read('a.parquet')))",
    "dask": "import spectralleader.engines.dask",
    "study": "import spectralleader.cli.figure",
    "zstd": "import backports.zstd",
}


@pytest.fixture
def wheel(tmp_path):
    """The wheel, built without a network."""
    command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    run(sys.executable, *command)
    return next(tmp_path.glob("*.whl"))


def run(*command, env=None, cwd=None):
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=os.environ | (env or {})
    )
    assert result.returncode == 0, f"{command}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
    return result.stdout


def test_the_wheel_has_the_library_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "spectralleader/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for kind in ("html", "css", "js"):
        assert f"spectralleader/page/page.{kind}" in names
    assert "spectralleader/text/english.txt" in names
    allowed = (
        ".py",
        ".html",
        ".css",
        ".js",
        "py.typed",
        "METADATA",
        "WHEEL",
        "RECORD",
        "LICENSE",
        "points.txt",
        "english.txt",
    )
    assert [name for name in names if not name.endswith(allowed)] == []
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2  # the package and its metadata: no tests, no tools, no study
    assert all(top.startswith("spectralleader") for top in tops)


def test_two_builds_are_the_same_bytes(tmp_path):
    first, second = dist.build(tmp_path / "a"), dist.build(tmp_path / "b")
    assert [path.suffix for path in first] == [".whl", ".gz"]
    assert dist.compare(first, second) == []
    second[0].write_bytes(b"other")
    second[1].unlink()
    assert dist.compare(first, second[:1]) == sorted(path.name for path in first)


@pytest.fixture
def clean(tmp_path):
    """An environment with pip alone, and how to install into it; skipped without a registry."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    probe = [python, "-m", "pip", "download", "-q", "--no-deps", "-d", tmp_path, "typer"]
    probe += ["-c", ROOT / "constraints.txt"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("no registry to install from")
    return str(python)


def test_the_wheel_works_in_a_clean_environment_with_and_without_extras(wheel, clean, tmp_path):
    def install(requirement):
        constraints = str(ROOT / "constraints.txt")
        run(clean, "-m", "pip", "install", "-q", "--no-input", "-c", constraints, requirement)

    elsewhere = {"cwd": tmp_path, "env": {"PYTHONPATH": "", "NUMBA_DISABLE_JIT": "1"}}
    install(str(wheel))
    assert "learn" in run(clean, "-m", "spectralleader", "--help", **elsewhere)
    assert "usage" in run(str(Path(clean).parent / "spectralleader"), "--help", **elsewhere).lower()
    write_csv(tmp_path / "tweets.csv", 60)
    learn = ["learn", "tweets.csv", "-k", "2", "--learner", "stepwise-em", "--save", "m.sl"]
    run(clean, "-m", "spectralleader", *learn, **elsewhere)
    shown = run(clean, "-c", "from spectralleader import load; print(load('m.sl'))", **elsewhere)
    assert "TextTopics" in shown
    run(clean, "-c", "import importlib.util as u; assert u.find_spec('polars') is None")
    parquet.write_table(pa.table({"text": ["rain"]}), tmp_path / "a.parquet")
    for extra, code in EXTRAS.items():
        if extra != "zstd":  # what is not installed is named with its extra
            missing = subprocess.run(
                [clean, "-c", code], capture_output=True, text=True, cwd=tmp_path
            )
            assert f"requires the extra {extra!r}: pip install" in missing.stderr
        install(f"{wheel}[{extra}]")
        run(clean, "-c", code, **elsewhere)
