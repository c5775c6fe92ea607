"""Settings of the test run: modules left out of collection, and an option that forbids skips."""

from importlib.util import find_spec

import pytest

# Doctests import every module, so a module is left out if its extra is not installed.
NEEDS = {
    "src/spectralleader/engines/arrow.py": "pyarrow",
    "src/spectralleader/engines/dask.py": "distributed",
    "src/spectralleader/engines/spark.py": "pyspark",
    "tests/engines/spark_stream.py": "pyspark",
}
collect_ignore = [path for path, engine in NEEDS.items() if find_spec(engine) is None]


def pytest_addoption(parser):
    """Add `--no-skips`, for runs that must not pass without having run every test."""
    parser.addoption("--no-skips", action="store_true", help="Fail the run if a test is skipped.")


def pytest_sessionfinish(session):
    """Fail the run if `--no-skips` was given and a test or a whole module was skipped."""
    # Workers of pytest-xdist have no terminal reporter; their controller decides for them.
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped") if reporter else None
    if skipped and session.config.getoption("--no-skips"):
        reporter.write_line(f"\n--no-skips: the run fails, {len(skipped)} skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
