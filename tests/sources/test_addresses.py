"""A source of one's own: a module with the protocol, and one line in the table of addresses."""

import sys
import types

import pytest

from spectralleader import load
from spectralleader.cli import options
from spectralleader.jobs import Progress, Source, learn
from spectralleader.serve.metrics import Metrics
from spectralleader.serve.service import Service
from spectralleader.sources import LiveSource, MessageBatch, addresses, open_source
from tests.factories import texts

WRITTEN = texts(120)[0]


class Pigeons(LiveSource):
    """Texts that are always there; a position is the number of those that were read."""

    kind, unit, form = "pigeons", "pigeons", "pigeon://LOFT"

    def __init__(self, address, options):
        self.name, self._options, self._at = address, options, 0

    def open(self, position):
        self._at = position or 0
        return self._at

    def take(self, n):
        first = self._at
        found = WRITTEN[first : first + n]
        self._at += len(found)
        ids = [str(first + i) for i in range(len(found))]
        payloads = [text.encode() for text in found]
        return MessageBatch(ids, payloads, self._at, at_end=not found)

    def lag(self, position):
        return len(WRITTEN) - position


@pytest.fixture
def loft(monkeypatch):
    module = types.ModuleType("lofts")
    module.Pigeons = Pigeons
    monkeypatch.setitem(sys.modules, "lofts", module)
    monkeypatch.setitem(addresses.ADDRESSES, "pigeon", "lofts:Pigeons")
    return "pigeon://home"


class Until(Progress):
    def __init__(self, n_docs):
        self.n_docs, self.lags, self.said = n_docs, [], []

    def say(self, line):
        self.said.append(line)

    def stepped(self, result):
        self.lags.append(result.reader.lag())
        if result.n_docs >= self.n_docs:
            raise KeyboardInterrupt


def test_it_is_learned_resumed_and_its_lag_has_its_unit(loft, tmp_path):
    source, saved = Source((loft,), block=40), tmp_path / "m"
    learn(source, n_topics=2, learner="unigram", save=saved, progress=Until(40))
    assert load(saved).position["at"] == 40
    progress = Until(120)
    found = learn(source, n_topics=2, learner="unigram", save=saved, progress=progress)
    assert (found.n_before, found.n_docs) == (40, 120)
    assert progress.lags == [(40, "pigeons"), (0, "pigeons")]
    assert "resuming after 40 documents; 80 pigeons behind" in progress.said


def test_the_service_measures_its_lag_in_its_unit(loft, tmp_path):
    service = Service(tmp_path / "m")
    source = Source((loft,), block=40)
    service.publish(learns=True)
    ends = Until(40)
    service.stepped = ends.stepped
    learn(source, n_topics=2, learner="unigram", progress=service)
    service.publish(lag=ends.lags[-1])
    assert b'spectralleader_lag{unit="pigeons"} 80.0' in Metrics(service).text()
    assert service.pulse()["lag"] == "80 pigeons behind"


def test_help_and_errors_name_its_address(loft):
    assert addresses.list_forms()[-1] == "pigeon://LOFT"
    assert [form for form in addresses.list_forms()[:-1] if form not in options.FILES] == []
    known = ", ".join(f"{scheme}://" for scheme in addresses.ADDRESSES)
    assert known.endswith(", pigeon://")
    with pytest.raises(ValueError, match=f"use {known}, a file"):
        open_source("owl://home")
    with open_source(loft, follow=False, block=100) as reader:
        assert [len(block) for block in reader] == [100, 20]
