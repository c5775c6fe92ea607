"""Thousands of files that were tampered with, in a process of their own: it may crash."""

import json
import subprocess
import sys

import pytest

N_FILES = 2000  # a process


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_a_file_that_was_tampered_with_works_or_is_refused(first):
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.storage.fuzzing"]
    done = subprocess.run(
        [*command, str(first), str(first + N_FILES)], capture_output=True, text=True, timeout=600
    )
    lines = done.stdout.split("\n")
    culprit = next((line for line in reversed(lines) if line.isdecimal()), "none")
    assert done.returncode == 0, f"file {culprit}: {done.stderr[-3000:]}"
    outcomes = json.loads(lines[-2])
    assert sum(outcomes.values()) == N_FILES
    # a test that refused all or none would see nothing
    assert outcomes["refused"] > 0.5 * N_FILES
    assert outcomes["worked"] > 0.05 * N_FILES
