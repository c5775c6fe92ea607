import copy
import inspect
import pickle
import threading
import time

import pytest

from spectralleader import Unigram
from spectralleader.errors import BrokenError
from spectralleader.runtime.locks import StepLock, ThreadSafe, changing, is_locked, lock_of, locked
from tests.factories import known_learners

# Public methods without a lock of their own, with the reason.
FREE = {
    "TextTopics.learn": "every block is a step of its own; readers come in between",
}


class Counter(ThreadSafe):
    """Two numbers that are equal between two steps."""

    def __init__(self):
        self.a = self.b = 0

    @locked
    def learn(self):
        with changing(self):
            self.a += 1
            time.sleep(1e-4)
            self.b += 1

    @property
    @locked
    def model(self):
        return self.a, self.b


class Named(Counter):
    """A subclass of somebody who does not know of locks."""

    @property
    def model(self):
        return "named", self.a, self.b


class Reader:
    """A mixin of somebody else."""

    @property
    def model(self):
        return self.a, self.b

    def learn(self):
        super().learn()


class Mixed(Reader, Counter):
    pass


class MixedAgain(Mixed):
    pass


@pytest.mark.parametrize("cls", [Counter, Named, Mixed, MixedAgain])
def test_one_thread_at_a_time_uses_an_object(cls):
    counter, seen = cls(), []

    def read():
        while len(seen) < 10_000 and counter.a < 200:
            seen.append(counter.model[-2:])

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        counter.learn()
    for thread in threads:
        thread.join()
    assert seen
    assert all(a == b for a, b in seen)


@pytest.mark.parametrize("cls", [Counter, Named, Mixed, MixedAgain])
def test_an_override_is_locked_without_being_told(cls):
    counter = cls()
    counter.a = None
    with pytest.raises(TypeError):
        counter.learn()
    for use in (counter.learn, lambda: counter.model):
        with pytest.raises(BrokenError, match=f"this {cls.__name__} was being changed"):
            use()


def test_a_setter_and_a_docstring_survive_the_lock():
    class Renamed(Counter):
        @property
        def model(self):
            """Both."""
            return self.a

        @model.setter
        def model(self, value):
            self.a = value

    counter = Renamed()
    counter.model = 3
    assert (counter.model, Renamed.model.__doc__) == (3, "Both.")


def test_copies_have_locks_of_their_own():
    counter = Counter()
    counter.learn()
    for other in (copy.deepcopy(counter), pickle.loads(pickle.dumps(counter))):
        assert other.model == (1, 1)
        assert lock_of(other) is not lock_of(counter)
    assert isinstance(lock_of(counter), StepLock)
    assert lock_of(counter) is lock_of(counter)


def thread_safe_classes():
    """Return our own classes whose objects several threads may share."""
    known_learners()  # imports them all
    found, new = [], [ThreadSafe]
    while new:
        new = [sub for cls in new for sub in cls.__subclasses__()]
        found += [cls for cls in new if cls.__module__.startswith("spectralleader.")]
    return found


def public_members(cls):
    """Yield the public methods and properties of an object, with their names."""
    for name in dir(cls):
        member = inspect.getattr_static(cls, name)
        if not name.startswith("_") and (inspect.isfunction(member) or hasattr(member, "fget")):
            yield name, member


def unlocked(cls):
    return [f"{cls.__name__}.{name}" for name, m in public_members(cls) if not is_locked(m)]


@pytest.mark.parametrize("cls", thread_safe_classes())
def test_everything_public_is_locked(cls):
    assert set(unlocked(cls)) <= set(FREE)


def test_the_law_finds_a_reader_without_a_lock():
    class Careless(Unigram):
        @property
        def counts(self):
            return self._counts

    assert unlocked(Careless) == ["Careless.counts"]


def test_the_law_finds_a_writer_without_a_lock():
    class Careless(Unigram):
        @property
        @locked
        def counts(self):
            return self._counts

        @counts.setter
        def counts(self, counts):
            self._counts = counts

    assert unlocked(Careless) == ["Careless.counts"]


def test_an_overridden_setter_is_locked_without_being_told():
    class Settable(Counter):
        @property
        def model(self):
            return self.a

        @model.setter
        def model(self, value):
            self.a = value

    counter = Settable()
    assert unlocked(Settable) == []
    counter._broken = "lost"
    with pytest.raises(BrokenError, match="was being changed when lost was raised"):
        counter.model = 3
