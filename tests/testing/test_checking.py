"""Learners that break one law each: each is found out, and by its law."""

from functools import partial

import numpy as np
import pytest

from spectralleader import LEARNERS, StepwiseEM, TopicModel, Unigram
from spectralleader.testing import LawError, check_learner, run_laws
from spectralleader.testing.__main__ import main
from tests.factories import example_learner


def broken_laws(learner):
    return [outcome.law for outcome in run_laws(learner) if outcome.error is not None]


class ReadingChanges(Unigram):
    @property
    def model(self):
        self._counts[0] += 1
        return super().model


class InputChanges(Unigram):
    def learn(self, documents):
        super().learn(documents)
        documents.counts.flags.writeable = True
        documents.counts[:] += 1


class Invalid(Unigram):
    @property
    def model(self):
        model = super().model
        return TopicModel.trusted(model.weights, model.topics * 1.01)


class Forgetful(Unigram):
    @classmethod
    def from_state(cls, state):
        return cls(state["n_topics"], n_words=None if state["grows"] else state["n_words"])


class Hoarder(Unigram):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.kept = []

    def learn(self, documents):
        super().learn(documents)
        self.kept += [1.0] * documents.n_docs

    def to_state(self):
        return {**super().to_state(), "kept": list(self.kept)}

    @classmethod
    def from_state(cls, state):
        learner = super().from_state(state)
        learner.kept = list(state["kept"])
        return learner


class Fails(Unigram):
    def learn(self, documents):
        raise RuntimeError("not today")


class Reserved(Unigram):
    def to_state(self):
        return {**super().to_state(), "kind": "mine"}


class Predicting(Unigram):
    """A learner whose predictions are not those of its model."""

    @property
    def predictive(self):
        return self

    def log_prob(self, block):
        raise NotImplementedError


class Certain(Predicting):
    def log_prob(self, block):
        return np.zeros(block.n_docs)


class Peeking(Predicting):
    def log_prob(self, block):
        peeked = Unigram(1, n_words=block.n_words)
        peeked.learn(block)
        return peeked.model.log_prob(block)


class HalfChanged(Unigram):
    """Fails outside of what `LearnerBase` guards, after a change."""

    def learn(self, block):
        super().learn(block[:1])
        self.n_seen = block.n_docs + len(block.words)
        super().learn(block[1:])


class Unlocked(Unigram):
    @property
    def n_seen(self):
        return self._counts.sum()


class Merging(Unigram):
    def merge(self, others, rng):
        super().merge(others, rng)
        self._counts += np.random.default_rng().random(self.n_words)  # not that of the seed


class Doubling(Unigram):
    is_empty = False

    def merge(self, others, rng):
        super().merge([self, *others], rng)


class Stopping(Unigram):
    def merge(self, others, rng):
        self._counts[:] = np.nan


PROPER = "Predictions sum to 1 over all documents, and do not depend on the others in the block."


@pytest.mark.parametrize(
    ("learner", "law"),
    [
        (Certain, PROPER),
        (Peeking, PROPER),
        (
            HalfChanged,
            "A step that fails half-way, out of memory, changes nothing, or every use says "
            "BrokenError.",
        ),
        (
            Unlocked,
            "If it locks its steps, all its public methods and properties wait for their end.",
        ),
        (Merging, "Merging changes no learner, and is the same for the same seed."),
        (Doubling, "If it can be merged, one that learned nothing adds nothing."),
        (Stopping, "A merged learner has a valid model, learns, is saved and is merged again."),
        (ReadingChanges, "Reading the model changes nothing."),
        (InputChanges, "Learning leaves its input unchanged."),
        (Invalid, "The model is a finite distribution at every step, and predictions are finite."),
        (Forgetful, "Saved, loaded and continued, it equals one that never stopped, bit for bit."),
        (
            Hoarder,
            'Memory does not grow with the stream, unless the docstring says "memory grows".',
        ),
        (Fails, "The same seed gives the same model."),
        (
            Reserved,
            "It has learn, recode, model, predictive, to_state, from_state, n_topics, n_words, "
            "grows.",
        ),
    ],
)
def test_a_broken_law_is_found(learner, law):
    assert law in broken_laws(learner)
    with pytest.raises(LawError, match="laws are violated:\nBROKEN  "):
        check_learner(learner)


def test_an_outcome_says_how_a_law_is_broken():
    told = "\n".join(map(str, run_laws(Fails)))
    assert "BROKEN  The same seed gives the same model.\n        RuntimeError: not today" in told
    assert "ok      Seeds and numbers of topics must be integers within bounds." in told


def test_the_example_to_copy_and_learners_with_parameters_keep_all_laws():
    check_learner(example_learner())
    check_learner(partial(StepwiseEM, step_power=0.8))


@pytest.mark.parametrize("name", ["unigram", "stepwise-em"])
def test_the_command_prints_a_line_for_each_law(name, capsys):
    assert main([name]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok      ") for line in lines)
    assert last == f"{name} satisfies {len(lines)} of {len(lines)} laws"
    assert name in LEARNERS


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "required: name"),
        (["nothing"], 2, "unknown learner 'nothing'"),
        (["--help"], 0, "package.module:Class, or the name of a built-in learner"),
    ],
)
def test_misuse_of_the_command_is_said(capsys, arguments, code, told):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == code
    assert told in " ".join("".join(capsys.readouterr()).split())
