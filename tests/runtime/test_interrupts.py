import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from spectralleader import TopicModel, load, save
from spectralleader.runtime.interrupts import (
    DEFER_SIGNALS,
    Interrupts,
    Terminated,
    raise_if_interrupted,
    raising,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")


@pytest.fixture(autouse=True)
def handlers():
    """Ctrl-C is not ignored, as it is in background jobs; all is as before afterwards."""
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_signal_waits_for_the_end_of_the_outermost_hold():
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  # which of these raises is the point
        with DEFER_SIGNALS:
            with DEFER_SIGNALS:
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")
        done.append("after")
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_are_called_once_in_the_order_of_the_signals():
    called = []
    signal.signal(signal.SIGALRM, lambda number, frame: called.append(number))
    signal.signal(signal.SIGTERM, lambda number, frame: called.append(number))
    with DEFER_SIGNALS:
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGTERM):
            signal.raise_signal(number)
        assert called == []
    assert called == [signal.SIGTERM, signal.SIGALRM]  # as Python, too, calls them


def test_signals_without_a_python_handler_are_left_alone():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with DEFER_SIGNALS:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.raise_signal(signal.SIGINT)


def test_other_signals_are_left_alone():
    called, before = [], signal.getsignal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    with DEFER_SIGNALS:
        signal.raise_signal(signal.SIGUSR1)
        assert called == [signal.SIGUSR1]
    signal.signal(signal.SIGUSR1, before)


def test_a_handler_that_raises_leaves_every_handler_in_its_place():
    def fail(number, frame):
        raise ValueError(number)

    signal.signal(signal.SIGALRM, fail)
    with pytest.raises(ValueError, match="14"), DEFER_SIGNALS:
        signal.raise_signal(signal.SIGALRM)
    assert signal.getsignal(signal.SIGALRM) is fail
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_all_handlers_are_called_also_if_the_first_raises():
    called = []
    signal.signal(signal.SIGTERM, lambda number, frame: called.append(number))
    with pytest.raises(KeyboardInterrupt), DEFER_SIGNALS:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert called == [signal.SIGTERM]


def test_in_a_step_no_handler_of_ones_own_is_called_by_look():
    called = []
    signal.signal(signal.SIGINT, lambda number, frame: called.append(number))
    with DEFER_SIGNALS:
        signal.raise_signal(signal.SIGINT)
        raise_if_interrupted()
        assert called == []
    assert called == [signal.SIGINT]


def test_a_handler_that_is_installed_in_a_hold_stays():
    mine = signal.SIG_IGN
    with DEFER_SIGNALS:
        signal.signal(signal.SIGINT, mine)
    assert signal.getsignal(signal.SIGINT) is mine


STORM = """
import signal, time
from spectralleader.runtime.interrupts import DEFER_SIGNALS
n_to_raise = n_late = 0
def late(number, frame):
    global n_to_raise
    if n_to_raise:
        n_to_raise -= 1
        raise TimeoutError
signal.signal(signal.SIGALRM, late)
signal.signal(signal.SIGTERM, late)
signal.setitimer(signal.ITIMER_REAL, 1e-5, 37e-6)
ends = time.monotonic() + {seconds}
while time.monotonic() < ends:
    try:
        n_to_raise = 3
        for _ in range(30):
            with DEFER_SIGNALS:
                pass
    except TimeoutError:
        n_to_raise = 0  # and nothing is called before
        n_late += 1
    n_to_raise = 0
signal.setitimer(signal.ITIMER_REAL, 0)
with DEFER_SIGNALS:
    pass
assert n_late > 20, n_late  # some thousand on an idle machine, few on a busy one
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert signal.getsignal(signal.SIGALRM) is late
try:
    with DEFER_SIGNALS:
        signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("as it should be", flush=True)
"""


def test_handlers_that_raise_at_any_instant_leave_nothing_torn():
    done = subprocess.run(
        [sys.executable, "-c", STORM.format(seconds=1.5)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("as it should be\n", "")


def test_look_handles_what_waits():
    with pytest.raises(KeyboardInterrupt), DEFER_SIGNALS:  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        raise_if_interrupted()
        pytest.fail("looked away")
    with DEFER_SIGNALS:
        raise_if_interrupted()


def test_in_other_threads_nothing_is_installed():
    seen = []

    def work():
        with DEFER_SIGNALS:
            seen.append(signal.getsignal(signal.SIGINT))
        with Interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler] * 2


@pytest.mark.parametrize(("number", "error"), [(2, KeyboardInterrupt), (15, Terminated)])
def test_a_request_to_end_is_raised_where_a_job_looks_and_once(number, error):
    with Interrupts() as outer, Interrupts() as inner:
        assert inner is outer
        signal.raise_signal(number)
        with pytest.raises(error) as raised:
            raise_if_interrupted()
        assert type(raised.value) is error
        raise_if_interrupted()
    assert Interrupts.entered is None


def test_a_request_reaches_a_job_also_through_a_step():
    with Interrupts():
        with DEFER_SIGNALS:
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Terminated):
            raise_if_interrupted()


def test_raising_raises_at_once():
    with pytest.raises(Terminated), raising():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def run(code, *numbers, wait=0.0):
    """Run code in a process that is sent signals once it has printed something."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    for number in numbers:
        process.send_signal(number)
        time.sleep(wait)
    err = process.communicate(timeout=60)[1]
    return process.returncode, err


COMMAND = """
import time
from spectralleader.runtime.interrupts import Interrupts
with Interrupts(owns_process=True{}) as interrupts:
    interrupts.at_stake = {}
    print("ready", flush=True)
    time.sleep(30)
"""


def test_a_command_with_nothing_at_stake_ends_at_once():
    assert run(COMMAND.format("", False), 15) == (143, "spectralleader: stopped\n")


def test_a_second_ctrl_c_ends_a_command_at_once():
    assert run(COMMAND.format("", True), 2, 2, wait=0.2)[0] == 130


def test_a_command_that_does_not_look_is_ended_when_patience_is_over():
    assert run(COMMAND.format(", patience=0.2", True), 15)[0] == 143


def test_what_a_handler_raises_while_a_file_is_loaded_is_not_the_files_fault(tmp_path, monkeypatch):
    def late(number, frame):
        raise TimeoutError

    path = save(TopicModel([1.0], [[0.5, 0.5]]), tmp_path / "m")
    whole = TopicModel.from_state.__func__

    def interrupted(cls, state):
        signal.raise_signal(signal.SIGALRM)
        return whole(cls, state)

    signal.signal(signal.SIGALRM, late)
    monkeypatch.setattr(TopicModel, "from_state", classmethod(interrupted))
    with pytest.raises(TimeoutError):
        load(path)
