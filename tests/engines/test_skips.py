"""`make test-engines` cannot pass if the tests on Spark were skipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--no-skips"], 1)])
def test_without_java_spark_is_skipped_with_a_reason_and_no_skips_fails(options, status):
    tests = ["tests/engines/test_spark.py", "tests/engines/test_extras.py"]
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *options, *tests]
    environment = os.environ | {"PATH": "", "JAVA_HOME": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stdout
    assert "2 passed, 1 skipped" in done.stdout
    assert "SKIPPED [1] tests/engines/test_spark.py" in done.stdout
