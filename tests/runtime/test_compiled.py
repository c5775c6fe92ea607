import io
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import spectralleader
from spectralleader.runtime.compiled import (
    COMPILING,
    before_each_kernel,
    is_terminal,
    nothing,
    say,
    show,
)

LOG_PROB = "from spectralleader import TopicModel, Documents; "
LOG_PROB += "print(*TopicModel([1.0], [[0.5, 0.5]]).log_prob(Documents.from_tokens([[0]], 2)))"
NO_CACHE = "so kernels are compiled again in every process, which takes some 20 seconds; set NUMBA_"


# Another user, who can read whatever there is (the interpreter may be in a private folder).
NONE_CHOSEN = "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search "
NONE_CHOSEN += "--ambient-caps=+dac_read_search"


def run(code, *start, **environment):
    """Run code in a process of its own."""
    return subprocess.run(
        [*start, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
        cwd="/",
    )


def test_compiled_kernels_are_kept_and_found(tmp_path):
    count = "from spectralleader.models.likelihood import log_joint; print(log_joint.stats)"
    first, second = (run(f"{LOG_PROB}; {count}", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first.stdout.splitlines()[0] == second.stdout.splitlines()[0] == "-0.6931471805599453"
    assert "cache_hits=Counter()" in first.stdout
    assert "cache_misses=Counter()" in second.stdout
    assert (first.stderr, second.stderr) == ("", "")


def test_a_damaged_cache_is_as_good_as_none(tmp_path):
    run(LOG_PROB, NUMBA_CACHE_DIR=str(tmp_path))
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:50])
    done = run(LOG_PROB, NUMBA_CACHE_DIR=str(tmp_path))
    assert (done.stdout, done.stderr) == ("-0.6931471805599453\n", "")


def test_a_cache_that_can_no_longer_be_written_is_lamented_once(tmp_path):
    code = "import numba.core.caching as c, errno, os\ndef full(*a): raise OSError(errno.ENOSPC, "
    code += f"os.strerror(errno.ENOSPC))\nc.Cache.save_overload = full\n{LOG_PROB}"
    done = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "-0.6931471805599453\n"
    assert done.stderr.count(NO_CACHE) == 1
    assert "cannot be saved (No space left on device)" in done.stderr


@pytest.fixture
def image(tmp_path):
    """A copy of the package that a user without a home cannot write to, beside its libraries."""
    if os.name == "nt" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user, by setpriv")
    package = Path(spectralleader.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, tmp_path / "image" / "spectralleader", ignore=ignore)
    return tmp_path / "image"


def as_nobody(image, code=LOG_PROB, **environment):
    paths = {"PYTHONPATH": str(image), "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    return run(code, *NONE_CHOSEN.split(), **paths, **environment)


def test_without_any_writable_folder_kernels_are_compiled_and_it_is_said(image):
    done = as_nobody(image, NUMBA_CACHE_DIR="")
    assert done.stdout == "-0.6931471805599453\n", done.stderr
    assert done.stderr.count(NO_CACHE) == 1
    assert "no folder for compiled kernels can be written" in done.stderr


def test_a_cache_that_can_only_be_read_is_used(image):
    kernels = image / "kernels"
    made = run(LOG_PROB, PYTHONPATH=str(image), NUMBA_CACHE_DIR=str(kernels))
    assert made.returncode == 0, made.stderr
    count = "from spectralleader.models.likelihood import log_joint; print(len(log_joint.stats[2]))"
    done = as_nobody(image, f"{LOG_PROB}; {count}", NUMBA_CACHE_DIR=str(kernels))
    assert (done.stdout, done.stderr) == ("-0.6931471805599453\n0\n", "")


FIRST_USE = """
import sys
sys.path.append({folder!r})
from spectralleader.runtime.compiled import COMPILING, KERNELS
from spectralleader.runtime.first_use import use_first
from mine import work
said = []
COMPILING.report = said.append
{before}
use_first(work, "x")
print(any(kernel.stats.cache_hits for kernel in KERNELS), len(said) > 0)
"""


@pytest.fixture
def first_use(tmp_path):
    """A program that uses some kernels first, and its cache."""
    work = f"def work(name):\n    {LOG_PROB}\n"
    (tmp_path / "mine.py").write_text(work, encoding="utf-8")

    def start(before=""):
        code = FIRST_USE.format(folder=str(tmp_path), before=before)
        return run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))

    return start


def test_on_first_use_another_process_compiles_and_this_one_loads(first_use):
    first, second = first_use(), first_use()
    assert (first.stderr, second.stderr) == ("", "")
    assert first.stdout.splitlines()[-1] == "True True"
    assert second.stdout.splitlines()[-1] == "True False"


@pytest.mark.parametrize("program", ["/usr/sbin/service", "/no/such/python"])
def test_where_no_other_process_can_compile_this_one_does(first_use, program):
    done = first_use(before=f"sys.executable = {program!r}")
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "False True"


def test_what_one_thread_does_before_kernels_is_nothing_to_another():
    entered, leave = threading.Event(), threading.Event()

    def refuse():
        raise AssertionError

    def other():
        with before_each_kernel(refuse):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with before_each_kernel(print):  # begins within the other's, and ends after it
        leave.set()
        thread.join()
        assert COMPILING.thread_hooks.before_each is print
    assert COMPILING.thread_hooks.before_each is nothing


class Written:
    """As programs put it in the place of standard error, to log what is written."""

    def write(self, text):
        raise RuntimeError(text)


@pytest.mark.parametrize("stream", [None, Written(), io.TextIOWrapper(io.BytesIO())])
def test_a_standard_error_that_cannot_much_is_no_terminal_and_stops_nothing(monkeypatch, stream):
    if stream is not None and hasattr(stream, "detach"):
        stream.detach()
    monkeypatch.setattr(sys, "stderr", stream)
    assert not is_terminal(stream)
    show(True)
    say("nobody hears it")
