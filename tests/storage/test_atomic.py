import builtins
import contextlib
import errno
import os
import signal
import stat

import pytest

from spectralleader import Documents, StorageError, load, save
from spectralleader.storage.container import pack
from tests.factories import model, same_state

OLD, NEW = model(seed=1), model(seed=2)
CALLS = [(builtins, "open"), (os, "fsync"), (os, "replace"), (os, "open"), (os, "close")]


class HalfFull:
    """A file on a disk that is full when half of what comes is written."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, content):
        self.file.write(content[: len(content) // 2])
        self.file.flush()
        raise OSError(errno.ENOSPC, "No space left on device")


class Steps:
    """All calls by which a file is written; before the one of a given number something happens."""

    def __init__(self, monkeypatch, before, number):
        self.before, self.number, self.names = before, number, []
        for module, name in CALLS:
            monkeypatch.setattr(module, name, self.watched(name, getattr(module, name)))

    def watched(self, name, function):
        def call(*arguments, **keywords):
            self.names.append(name)
            if len(self.names) - 1 == self.number:
                self.before()
            return function(*arguments, **keywords)

        return call


def is_whole(path, *models):
    found = load(path).to_state()
    return any(same_state(found, one.to_state()) for one in models)


def test_what_is_written_is_on_the_disk_before_the_old_file_goes(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        steps = Steps(patched, None, None)
        save(NEW, tmp_path / "m")
    order = [name for name in steps.names if name in ("fsync", "replace")]
    assert order == ["fsync", "replace", "fsync"]  # the file, then the folder's names


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("number", range(20))
def test_whatever_step_fails_a_whole_file_is_left_and_no_other(
    tmp_path, monkeypatch, number, error
):
    path = save(OLD, tmp_path / "m")

    def fail():
        raise error

    with monkeypatch.context() as patched:
        steps = Steps(patched, fail, number)
        with contextlib.suppress(StorageError, KeyboardInterrupt):
            save(NEW, path)
    was_renamed = "replace" in steps.names[:number]
    assert is_whole(path, NEW if was_renamed else OLD)
    assert os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize("number", range(8))
def test_a_signal_handler_that_raises_waits_until_the_file_is_there(tmp_path, monkeypatch, number):
    def late(number, frame):
        raise TimeoutError

    path, fds = save(OLD, tmp_path / "m"), len(os.listdir("/proc/self/fd"))
    before = signal.signal(signal.SIGALRM, late)
    try:
        with monkeypatch.context() as patched:
            steps = Steps(patched, lambda: signal.raise_signal(signal.SIGALRM), number)
            with contextlib.suppress(TimeoutError):
                save(NEW, path)
                assert len(steps.names) <= number
    finally:
        signal.signal(signal.SIGALRM, before)
    assert is_whole(path, NEW)
    assert os.listdir(tmp_path) == ["m"]
    assert len(os.listdir("/proc/self/fd")) == fds


@pytest.mark.parametrize("number", range(12))
def test_at_any_instant_the_old_or_the_new_file_is_whole(tmp_path, monkeypatch, number):
    path = save(OLD, tmp_path / "m")
    instants = []
    with monkeypatch.context() as patched:

        def look():
            patched.undo()
            instants.append(is_whole(path, OLD, NEW))

        Steps(patched, look, number)
        save(NEW, path)
    assert instants in ([], [True])
    assert is_whole(path, NEW)


def test_a_full_disk_is_an_error_of_one_line_and_keeps_the_old_file(tmp_path, monkeypatch):
    path = save(OLD, tmp_path / "m")
    real = open
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", lambda *arguments: HalfFull(real(*arguments)))
        with pytest.raises(StorageError, match=r"m: No space left on device$"):
            save(NEW, path)
    assert is_whole(path, OLD)
    assert os.listdir(tmp_path) == ["m"]


def test_a_file_system_that_cannot_sync_folders_is_no_error(tmp_path, monkeypatch):
    fsync = os.fsync

    def refuse(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    assert is_whole(save(NEW, tmp_path / "m"), NEW)


def test_a_thing_that_cannot_be_written_down_leaves_the_old_file(tmp_path):
    with pytest.raises(TypeError, match="arrays of dtype complex128 cannot be saved"):
        pack({"state": {"x": NEW.topics.astype(complex)}})


def test_a_saved_file_has_the_permissions_of_any_new_file(tmp_path):
    other = tmp_path / "other"
    other.touch()
    saved = save(Documents.empty(3), tmp_path / "m")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_a_private_file_stays_private(tmp_path):
    saved = save(Documents.empty(3), tmp_path / "m")
    saved.chmod(0o600)
    save(Documents.empty(4), saved)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_saving_through_a_link_keeps_the_link_and_a_pipe_is_not_replaced(tmp_path):
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "there.model")
    save(model(), link)
    assert link.is_symlink()
    assert same_state(load(tmp_path / "there.model").to_state(), model().to_state())
    os.mkfifo(pipe)
    with pytest.raises(StorageError, match="not a regular file"):
        save(model(), pipe)
    assert pipe.is_fifo()
