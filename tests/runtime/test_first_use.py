"""What first use compiles and what a start imports: both grow unnoticed unless counted."""

import json
import os
import subprocess
import sys

import pytest

# Signatures at present, ours and those that numba has of `np.empty`, `min` and the like: a new
# one must be worth a tenth of a second to everybody's first use. Formerly 236 took 45 s.
MOST_OURS, MOST_OF_NUMBA = 41, 10
# modules beside those of a bare interpreter: 30 and 303 at present
MOST_IMPORTED, MOST_FOR_HELP = 40, 310
HEAVY = {"numba", "numpy", "scipy", "polars"}
NOT_TO_LEARN = {"scipy.sparse", "scipy.optimize", "polars", "matplotlib"}

COUNT = """
import json
from numba.core import event
from spectralleader import DEFAULT_LEARNER, TextTopics
from spectralleader.topics import first_use
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        compiled.append((function.__module__, function.__qualname__, str(event.data["args"])))
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
for grows in (False, True):
    first_use.try_learning(DEFAULT_LEARNER, grows)
n_rehearsed = len(compiled)
TextTopics().learn(first_use.sample_texts(1000))  # with races of all kinds
print(json.dumps([compiled, n_rehearsed]))
"""
MODULES = "import json, sys; before = set(sys.modules)\n{}\n"
MODULES += "print(json.dumps(sorted(set(sys.modules) - before)))"
HELP = """
import contextlib, io
from spectralleader.cli import app
with contextlib.redirect_stdout(io.StringIO()):
    app(["--help"], standalone_mode=False)
"""

LEARN = """
import contextlib, io, pathlib, sys
from spectralleader.cli import app
from spectralleader.topics.first_use import sample_texts
path = pathlib.Path(sys.argv[1], "lines.txt")
path.write_text(chr(10).join(sample_texts(1000)))
with contextlib.redirect_stdout(io.StringIO()):
    # With few topics: if some of many are closed, SciPy matches those of two races.
    app(["learn", str(path), "-k", "2"], standalone_mode=False)
"""


def answer(code, *arguments, **environment):
    """Run code in an interpreter of its own; return what its last line says."""
    environment = {**os.environ, **environment}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_default_path_compiles_few_kernels_each_for_one_signature(tmp_path):
    compiled, n_rehearsed = answer(COUNT, NUMBA_CACHE_DIR=str(tmp_path))
    assert compiled[n_rehearsed:] == []  # learning finds every kernel in the cache
    ours = [(module, name) for module, name, _ in compiled if module.startswith("spectralleader.")]
    assert sorted(ours) == sorted(set(ours))
    assert len(ours) <= MOST_OURS
    assert len(compiled) - len(ours) <= MOST_OF_NUMBA


@pytest.mark.parametrize(
    ("code", "most"), [("import spectralleader", MOST_IMPORTED), (HELP, MOST_FOR_HELP)]
)
def test_a_start_imports_few_modules_and_no_heavy_ones(code, most):
    imported = answer(MODULES.format(code))
    assert not HEAVY & {name.partition(".")[0] for name in imported}
    assert len(imported) <= most


def test_learning_lines_imports_nothing_slow_that_it_does_not_need(tmp_path):
    imported = answer(MODULES.format(LEARN), str(tmp_path))
    assert "numba" in imported
    assert not NOT_TO_LEARN & set(imported)
