"""Kinds of scenarios: what one run of a learner is, and which learners and metrics there are.

Another kind of experiment is one `Kind` and one line in `KINDS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from spectralleader.evaluation import judge, running_averages
from spectralleader.evaluation.metrics import METRICS
from spectralleader.experiments.sources import Source
from spectralleader.learners import LEARNERS, Learner
from spectralleader.learners.fixed import Fixed
from spectralleader.model import TopicModel
from spectralleader.samples import SAMPLES, Sample

Parameters = Mapping[str, Any]
Steps = Iterator[dict[str, float]]  # the metrics at every step 1, 2, ..., n_steps


class Setting(NamedTuple):
    """What a run needs of its scenario, beside the learner."""

    block_size: int
    n_steps: int
    metrics: tuple[str, ...]


class Kind(NamedTuple):
    """One kind of experiment."""

    learners: Mapping[str, frozenset[str]]  # the parameters that each may be given
    metrics: tuple[str, ...]
    steps: Callable[[str, Parameters, Source, Setting, int], Steps]  # of a learner and a seed


def make_learner(name: str, parameters: Parameters, truth: TopicModel, seed: int) -> Learner:
    """Return a learner of the truth's size; "truth" is the true model itself."""
    if name == "truth":
        return Fixed(truth)
    given = {"n_topics": truth.n_topics, "n_words": truth.n_words, "seed": seed, **parameters}
    if "sample" in given:
        given["sample"] = make_sample(given["sample"], truth.n_words)
    return LEARNERS[name].learner(**given)


def make_sample(table: Any, n_words: int) -> Sample:
    """Return the sample of a table such as ``{kind = "window", capacity = 500}``."""
    if not isinstance(table, Mapping) or table.get("kind") not in SAMPLES:
        kinds = ", ".join(SAMPLES)
        raise ValueError(f"sample must be a table whose kind is one of {kinds}; got {table!r}")
    make: Callable[..., Sample] = SAMPLES[table["kind"]]
    return make(**{k: v for k, v in table.items() if k != "kind"}, n_words=n_words)


def prequential(
    name: str, parameters: Parameters, source: Source, setting: Setting, seed: int
) -> Steps:
    """Judge a learner by each block before it learns it: the paper's running averages."""
    learner = make_learner(name, parameters, source.truth, seed)
    metrics = {metric: METRICS[metric](source.truth) for metric in setting.metrics}
    stream = source.blocks(block_size=setting.block_size, n_steps=setting.n_steps, seed=seed)
    return running_averages(judge(learner, stream, metrics))


def parameters_of(learner: type[Learner]) -> frozenset[str]:
    """Return what a scenario may set: the constructor's arguments but sizes and seeds it gives."""
    return frozenset(inspect.signature(learner).parameters) - {"n_words", "seed"}


KINDS: dict[str, Kind] = {
    "prequential": Kind(
        learners={name: parameters_of(entry.learner) for name, entry in LEARNERS.items()}
        | {"truth": frozenset()},
        metrics=tuple(METRICS),
        steps=prequential,
    ),
}
