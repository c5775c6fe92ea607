import numpy as np
import pytest

from spectralleader.checks.saved import Saved, field, fields
from spectralleader.checks.states import floats, generator, text, whole


class Part(Saved):
    saved = fields(counts=field(floats, shape=("n_words",), least=0.0))

    def __init__(self, n_words):
        self.counts = np.ones(n_words)


class Whole(Saved):
    saved = fields(
        n_words=field(whole, least=1, most=1000),
        part=Part,
        others=field(Part, many=True, n_words=lambda known: known["n_words"] + 1),
        _name=field(text, optional=True),
        _rng=generator,
    )

    def __init__(self, n_words, name=None):
        self.n_words, self._name, self.part = n_words, name, Part(n_words)
        self.others = [Part(n_words + 1), Part(n_words + 1)]
        self._rng = np.random.default_rng(0)

    def _loaded(self):
        self.total = self.part.counts.sum() + sum(other.counts.sum() for other in self.others)
        if self.total > 99:
            raise ValueError("too many counts")


def test_an_object_comes_back_with_its_parts_and_what_follows_from_them():
    original = Whole(3, "abc")
    original._rng.random()
    state = original.to_state()
    assert list(state) == ["n_words", "part", "others", "name", "rng"]
    again = Whole.from_state(state)
    assert (again.n_words, again._name, len(again.others), again.total) == (3, "abc", 2, 11.0)
    assert again._rng.random() == original._rng.random()
    assert Whole.from_state(Whole(1).to_state())._name is None


def test_neither_the_object_nor_what_was_read_shares_arrays_with_the_state():
    original = Whole(2)
    state = original.to_state()
    again = Whole.from_state(state)
    original.part.counts[:] = 7.0
    state["part"]["counts"][:] = 8.0
    assert again.part.counts.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_words": 4}, r"counts must be an array of float64 and shape \(4,\)"),
        ({"n_words": 0}, "n_words must be an integer from 1 to 1000"),
        ({"part": 3}, "part must be a dictionary"),
        ({"part": {"counts": -np.ones(2)}}, "counts must be numbers from 0"),
        ({"part": {"counts": np.full(2, 50.0)}}, "too many counts"),
        ({"others": [{"counts": np.ones(2)}]}, r"shape \(3,\)"),
        ({"others": {}}, "others must be a list of dictionaries"),
        ({"name": 3}, "name must be a line of text"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        Whole.from_state({**Whole(2).to_state(), **change})


@pytest.mark.parametrize("name", Whole.saved)
def test_a_field_that_is_missing_is_named(name):
    state = Whole(2).to_state()
    del state[name.lstrip("_")]
    with pytest.raises(ValueError, match=f"{name.lstrip('_')} is missing"):
        Whole.from_state(state)


def test_a_class_adds_fields_to_those_of_its_base():
    both = fields(Part.saved, more=whole)
    assert list(both) == ["counts", "more"]
    assert list(Part.saved) == ["counts"]
