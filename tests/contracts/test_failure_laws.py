"""Laws of failure: a step that is broken off anywhere leaves a learner as it was."""

import importlib
from inspect import signature

import pytest

from tests.factories import documents, growing, known_learners, same_state

# where steps are broken off: kernels, and whatever takes long or takes memory
LEAVES = {
    "hedged": [
        "samples.places.exchange",
        "learners.hedged.panel.likelihoods",
        "learners.hedged.panel.log_probs",
        "learners.hedged.mixing.weigh",
        "learners.hedged.background.count_words",
        "learners.hedged.tracking.follow",
        "learners.hedged.tables.add_posteriors",
        "learners.hedged.polishing.race",
        "learners.hedged.polishing.polish",
        "learners.hedged.panel.best_order",
    ],
    "spectral": [
        "samples.places.exchange",
        "learners.anchored.find_basis",
        "learners.anchored.estimate",
    ],
    "spectral, shrunk": [
        "learners.anchored.estimate",
        "learners.leader.split",
        "learners.shrinkage.judge",
    ],
    "algorithm1": ["samples.places.exchange"],
    "stepwise-em": ["learners.statistics.smoothed_posterior", "learners.statistics.add_block"],
    "incremental-em": [
        "samples.places.exchange",
        "learners.statistics.smoothed_posterior",
        "learners.statistics.add_block",
    ],
    "variance-reduced-em": ["samples.places.exchange", "learners.statistics.add_block"],
    "batch-em": ["samples.places.exchange"],
    "spectral-method": ["samples.places.exchange"],
    "unigram": [],
}
CASES = [(name, place) for name, places in LEAVES.items() for place in places]


class Broken:
    """A function that works a few times, then fails once: taking back is not to fail."""

    def __init__(self, function, n_calls, error):
        self.function, self.n_left, self.error = function, n_calls, error

    def __call__(self, *args, **more):
        self.n_left -= 1
        if self.n_left == -1:
            raise self.error
        return self.function(*args, **more)


def test_every_learner_is_broken_somewhere():
    assert LEAVES.keys() == known_learners().keys()


@pytest.mark.parametrize(("name", "place"), CASES)
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_step_that_fails_changes_nothing(name, place, error, monkeypatch):
    cls = known_learners()[name]
    path, _, attribute = f"spectralleader.{place}".rpartition(".")
    module = importlib.import_module(path)
    small = {"reservoir_size": 12} if "reservoir_size" in signature(cls).parameters else {}
    learner, untroubled = cls(2, **small), cls(2, **small)
    n_failures = 0
    for step, block in enumerate(growing(documents(50, 9), 5)):
        before = learner.to_state()
        for n_calls in (0, 1 + step % 4):
            broken = Broken(getattr(module, attribute), n_calls, error)
            with monkeypatch.context() as patch:
                patch.setattr(module, attribute, broken)
                try:
                    learner.learn(block)
                except error:
                    n_failures += 1
            if broken.n_left >= 0:  # it was not called that often
                learner = type(learner).from_state(before)
            assert same_state(learner.to_state(), before)
        learner.learn(block)
        untroubled.learn(block)
        assert same_state(learner.to_state(), untroubled.to_state())
    assert n_failures > 0
