"""Metrics in the format of Prometheus, computed on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import time
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spectralleader import __version__
from spectralleader.arrays import Floats
from spectralleader.serve.inbox import Inbox
from spectralleader.serve.service import Service
from spectralleader.sources.files.problems import SKIPPED

PREFIX = "spectralleader"
# Buckets from a prediction (1 ms) to a page of many topics (5 s).
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Metrics(Collector):
    """The metrics of a service: those of learning, and how long its requests took."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)  # memory, CPU and open files
        name, meaning = f"{PREFIX}_request_seconds", "Seconds that requests took."
        labels = ("path", "status")
        self._latencies = Histogram(name, meaning, labels, buckets=SECONDS, registry=self._registry)

    def note(self, path: str, status: int, seconds: float) -> None:
        """Record a request."""
        self._latencies.labels(path, status).observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics of learning; those whose value is None are left out."""
        for name, meaning, value, label in measure(self._service):
            if value is None:
                continue
            # Prometheus names what only grows in this way.
            kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            metric = kind(f"{PREFIX}_{name}", meaning, labels=[label] if label else [])
            for key, number in value.items() if isinstance(value, Mapping) else [("", value)]:
                metric.add_metric([key] if label else [], number)
            yield metric


class Row(NamedTuple):
    """A metric: its name, its meaning and its value, or values by their label."""

    name: str
    help: str
    value: float | Mapping[str, float] | None
    label: str = ""


def measure(service: Service) -> list[Row]:
    """Return the metrics as they are now."""
    now = service.published
    rows = [
        Row("info", "Version.", {__version__: 1}, "version"),
        Row("ready", "1 if it learns and answers.", not service.problems()),
    ]
    if now.topics is None:
        return rows
    full, events, saved_at = now.topics.full, now.events, now.saved_at
    _, loss, baseline = now.points[-1] if now.points else (0, None, None)
    return [
        *rows,
        Row("documents_total", "Documents learned.", now.n_docs),
        Row("documents_per_second", "Documents learned per second, recently.", now.rate),
        Row("words", "Words of the vocabulary.", full.vocabulary.n_words),
        Row("long_words_total", "Occurrences of words that are too long to be learned.",
            full.vocabulary.n_too_long),
        Row("drifting", "1 while the stream drifts.", events.drifts_since is not None),
        Row("events_total", "Changes of topics.", len(events.events)),
        Row("loss_nats_per_word", "Recent prequential loss.", loss),
        Row("baseline_nats_per_word", "The same of word frequencies.", baseline),
        Row("lag", "How far behind its source.",
            now.lag and {now.lag.unit: now.lag.number}, "unit"),
        Row("skipped_total", "Documents that could not be read, since the start.",
            # From 0 on, or Prometheus would not see the first one as an increase.
            dict.fromkeys(SKIPPED, 0) | {row.reason: row.documents for row in now.skipped},
            "reason"),
        Row("topic_share", "Share of topics.", by_number(full.model.weights), "topic"),
        Row("topic_surprise", "Mean -log p of latest documents: 1 if they are like the past.",
            by_number(now.surprise), "topic"),
        Row("checkpoint_age_seconds", "Age of the last checkpoint.",
            saved_at and time() - saved_at),
        Row("checkpoint_bytes", "Size of the model file.",
            saved_at and now.saved_bytes),
        Row("checkpoint_documents", "Documents that it has.", saved_at and now.n_saved),
        Row("checkpoint_seconds", "Seconds that writing it took.", now.save_seconds),
        Row("checkpoint_failures_total", "Checkpoints that could not be written.", now.n_failed),
        Row("reconnects_total", "How often the source could be reached again.", now.n_reconnects),
        *measure_inbox(service.inbox),
    ]  # fmt: skip


def measure_inbox(inbox: Inbox | None) -> list[Row]:
    """Return the metrics of posted documents, if they are learned."""
    if inbox is None:
        return []
    return [
        Row("accepted_total", "Posted documents that were stored.", inbox.n_accepted),
        Row("duplicates_total", "Posted documents that had been stored before.", inbox.n_known),
        Row("inbox_bytes", "Size of the documents that wait.", inbox.n_bytes()),
    ]


def by_number(values: Floats) -> dict[str, float]:
    """Return the values of topics by their numbers, from 1: words would disclose texts."""
    return {str(number): value for number, value in enumerate(values.tolist(), 1)}
