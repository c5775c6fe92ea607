import threading

import numpy as np
import pytest

from spectralleader.runtime.blas import OneThread, libraries


@pytest.fixture(autouse=True)
def two_threads():
    """Two threads in every library that can be told, as before afterwards."""
    if not libraries():
        pytest.skip("BLAS is none whose threads can be set")
    before = [one.get() for one in libraries()]
    for one in libraries():
        one.set(2)
    yield
    for one, n in zip(libraries(), before, strict=True):
        one.set(n)


def counts():
    return {one.get() for one in libraries()}


def test_the_libraries_of_numpy_and_scipy_are_found():
    assert len(libraries()) == 2
    assert counts() == {2}


def test_inside_there_is_one_thread_and_afterwards_as_many_as_before():
    one_thread = OneThread()
    with one_thread:
        assert counts() == {1}
        assert (np.eye(3) @ np.eye(3)).sum() == 3
        with one_thread:
            assert counts() == {1}
        assert counts() == {1}
    assert counts() == {2}


def test_the_last_of_several_threads_puts_it_back():
    one_thread, entered, leave = OneThread(), threading.Event(), threading.Event()

    def work():
        with one_thread:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=work)
    with one_thread:
        thread.start()
        entered.wait()
    assert counts() == {1}
    leave.set()
    thread.join()
    assert counts() == {2}


def test_an_error_puts_it_back_too():
    with pytest.raises(ValueError, match="no"), OneThread():
        raise ValueError("no")
    assert counts() == {2}
