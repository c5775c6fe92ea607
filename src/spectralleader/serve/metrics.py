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

PREFIX = "spectralleader"
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
        labels = ("path", "status")
        self._latencies = Histogram(
            f"{PREFIX}_request_seconds",
            "Seconds that requests took.",
            labels,
            buckets=SECONDS,
            registry=self._registry,
        )
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
        info = GaugeMetricFamily(f"{PREFIX}_info", "Version.", labels=["version"])
        info.add_metric([__version__], 1)
        yield info
        yield gauge("ready", "1 if it learns and answers.", float(not service.problems()))
        if service.inbox is not None:
            said = "Times that the files of posted documents were deleted, and restored."
            name = f"{PREFIX}_inbox_restored"
            yield CounterMetricFamily(name, said, value=service.inbox.n_restored)
        topics = service.topics
        if topics is None:
            return
        name = f"{PREFIX}_documents"
        yield CounterMetricFamily(name, "Documents learned.", value=topics.n_docs)
        yield gauge("documents_per_second", "Documents learned per second, recently.", service.rate)
        yield gauge("words", "Words of the vocabulary.", topics.vectoriser.vocabulary.n_words)
        drifts = service.drifts_since is not None
        yield gauge("drifting", "1 while the stream drifts.", float(drifts))
        yield CounterMetricFamily(f"{PREFIX}_events", "Changes of topics.", len(service.history()))
        if service.points:
            last = service.points[-1]
            yield gauge(
                "loss_nats_per_word",
                "Recent prequential loss: documents are predicted before they are learned.",
                last.loss,
            )
            yield gauge("baseline_nats_per_word", "The same of word frequencies.", last.baseline)
        if (behind := read_lag(service.lag)) is not None:
            lag = GaugeMetricFamily(f"{PREFIX}_lag", "How far behind its source.", labels=["unit"])
            lag.add_metric([UNITS.get(service.kind, "bytes")], behind)
            yield lag
        yield from self._per_topic()
        yield from self._checkpoint()

    def _per_topic(self) -> Iterator[Metric]:
        """Yield share and surprise of each topic by number; words would disclose texts."""
        weights = self._service.snapshot().model.weights
        share = GaugeMetricFamily(f"{PREFIX}_topic_share", "Share of topics.", labels=["topic"])
        said = "Mean of -log p of a topic's latest documents: 1 if they are like the past."
        surprise = GaugeMetricFamily(f"{PREFIX}_topic_surprise", said, labels=["topic"])
        for k, weight in enumerate(weights.tolist()):
            share.add_metric([str(k + 1)], weight)
            surprise.add_metric([str(k + 1)], float(self._service.surprise[k]))
        yield share
        yield surprise

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


def gauge(name: str, said: str, value: float) -> GaugeMetricFamily:
    """Return a gauge."""
    return GaugeMetricFamily(f"{PREFIX}_{name}", said, value=value)
