"""Metrics in the format of Prometheus, computed on request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import time

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spectralleader import __version__
from spectralleader.serve.service import Service
from spectralleader.text.topics import TextTopics

PREFIX = "spectralleader"
# Buckets from a prediction (1 ms) to a page of many topics (5 s).
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
BEHIND = re.compile(r"([\d,.]+) \w+ behind")
UNITS = {
    "kafka": "messages",
    "redis": "s",
    "folder": "files",
    "inbox": "documents",
}  # by kind of source, else bytes
UP_TO_DATE = ("up to date", "in the last file", "no messages yet")


class Metrics:
    """The metrics of a service."""

    def __init__(self, service: Service) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(Collected(service))
        name, said = f"{PREFIX}_request_seconds", "Seconds that requests took."
        labels = ("path", "status")
        self._latencies = Histogram(name, said, labels, buckets=SECONDS, registry=self._registry)
        self._found: dict[tuple[str, int], Histogram] = {}

    def note(self, path: str, status: int, seconds: float) -> None:
        """Record a request."""
        latency = self._found.get((path, status))
        if latency is None:  # looking it up takes longer than noting it
            latency = self._found[path, status] = self._latencies.labels(path, str(status))
        latency.observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class Collected(Collector):
    """The metrics of learning."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        service = self._service
        yield labelled("info", "Version.", "version", {__version__: 1.0})
        yield gauge("ready", "1 if it learns and answers.", float(not service.problems()))
        if service.inbox is not None:
            said = "Times that the files of posted documents were deleted, and restored."
            yield counter("inbox_restored", said, service.inbox.n_restored)
        if service.topics is not None:
            yield from self._learned(service.topics)
            yield from self._per_topic()
            yield from self._checkpoint()

    def _learned(self, topics: TextTopics) -> Iterator[Metric]:
        service = self._service
        yield counter("documents", "Documents learned.", topics.n_docs)
        yield gauge("documents_per_second", "Documents learned per second, recently.", service.rate)
        yield gauge("words", "Words of the vocabulary.", topics.vectoriser.vocabulary.n_words)
        is_drifting = service.drifts_since is not None
        yield gauge("drifting", "1 while the stream drifts.", float(is_drifting))
        yield counter("events", "Changes of topics.", len(service.history()))
        if service.points:
            said = "Recent prequential loss: documents are predicted before they are learned."
            yield gauge("loss_nats_per_word", said, service.points[-1].loss)
            said = "The same of word frequencies."
            yield gauge("baseline_nats_per_word", said, service.points[-1].baseline)
        if (behind := read_lag(service.lag)) is not None:
            unit = UNITS.get(service.kind, "bytes")
            yield labelled("lag", "How far behind its source.", "unit", {unit: behind})

    def _per_topic(self) -> Iterator[Metric]:
        """Yield share and surprise of each topic by number; words would disclose texts."""
        weights = self._service.snapshot().model.weights.tolist()
        yield labelled("topic_share", "Share of topics.", "topic", by_number(weights))
        said = "Mean of -log p of a topic's latest documents: 1 if they are like the past."
        surprise = by_number(self._service.surprise.tolist())
        yield labelled("topic_surprise", said, "topic", surprise)

    def _checkpoint(self) -> Iterator[Metric]:
        service = self._service
        if service.saved_at is not None and service.path.exists():
            age, size = time() - service.saved_at, service.path.stat().st_size
            yield gauge("checkpoint_age_seconds", "Age of the last checkpoint.", age)
            yield gauge("checkpoint_bytes", "Size of the model file.", size)
            yield gauge("checkpoint_documents", "Documents that it has.", service.n_saved)


def read_lag(said: str) -> float | None:
    """Return the lag behind the source as a number, or None if it is unknown."""
    if found := BEHIND.search(said):
        return float(found[1].replace(",", ""))
    return 0.0 if said in UP_TO_DATE else None


def gauge(name: str, said: str, value: float) -> Metric:
    """Return a gauge."""
    return GaugeMetricFamily(f"{PREFIX}_{name}", said, value=value)


def counter(name: str, said: str, value: float) -> Metric:
    """Return a counter."""
    return CounterMetricFamily(f"{PREFIX}_{name}", said, value=value)


def labelled(name: str, said: str, label: str, values: dict[str, float]) -> Metric:
    """Return a gauge with a value for each value of a label."""
    found = GaugeMetricFamily(f"{PREFIX}_{name}", said, labels=[label])
    for value, number in values.items():
        found.add_metric([value], number)
    return found


def by_number(values: list[float]) -> dict[str, float]:
    """Return the values of topics by their numbers, from 1."""
    return {str(number): value for number, value in enumerate(values, 1)}
