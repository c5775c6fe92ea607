"""Kinds of scenarios: how one run works, and which learners and metrics exist.

A new kind of experiment takes one `Kind` and one line in `KINDS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from spectralleader.evaluation import judge, running_averages
from spectralleader.evaluation.metrics import METRICS
from spectralleader.learners import LEARNERS, BatchEM, Learner
from spectralleader.learners.fixed import Fixed
from spectralleader.learners.registry import find_learner
from spectralleader.models import TopicModel
from spectralleader.samples import SAMPLES, Sample
from study.experiments.hindsight import best_static, true_model
from study.experiments.regret import REGRET
from study.experiments.setting import Kind, Setting, Step
from study.experiments.sources import Source, open_source, stand_in
from study.rows import Contender

TRUTH = "truth"  # the true model
STATIC = "best-static"  # batch EM on all documents of the stream, in hindsight


def make_contender(contender: Contender, source: Source, setting: Setting, seed: int) -> Learner:
    """Return a learner, or one of the fixed reference models."""
    if contender.name == TRUTH:
        return true_model(source, setting)
    learner = make_learner(contender, source.truth, seed)
    if contender.name == STATIC:
        return Fixed(best_static(contender, learner, source, setting, seed))
    return learner


def make_learner(contender: Contender, truth: TopicModel, seed: int) -> Learner:
    """Return a learner with the numbers of topics and words of the truth."""
    given: dict[str, Any] = {"n_topics": truth.n_topics, "n_words": truth.n_words, "seed": seed}
    given |= contender.parameters
    if "sample" in given:
        given["sample"] = make_sample(given["sample"], truth.n_words)
    name = "batch-em" if contender.name == STATIC else contender.name
    return find_learner(name)(**given)


def make_sample(table: Any, n_words: int) -> Sample:
    """Return the sample described by a table such as ``{kind = "window", capacity = 500}``."""
    if not isinstance(table, Mapping) or table.get("kind") not in SAMPLES:
        kinds = ", ".join(SAMPLES)
        raise ValueError(f"sample must be a table whose kind is one of {kinds}; got {table!r}")
    make: Callable[..., Sample] = SAMPLES[table["kind"]]
    return make(**{k: v for k, v in table.items() if k != "kind"}, n_words=n_words)


def run_prequential(
    contender: Contender, setting: Setting, seed: int, data: Path | None
) -> Iterable[Step]:
    """Return the running averages of prequential metrics at the steps that are kept."""
    source = open_source(setting.stream, data)
    learner = make_contender(contender, source, setting, seed)
    metrics = {metric: METRICS[metric](source.truth) for metric in setting.metrics}
    stream = source.blocks(block_size=setting.block_size, n_steps=setting.n_steps, seed=seed)
    kept = set(even_steps(setting))
    steps = enumerate(running_averages(judge(learner, stream, metrics)), start=1)
    return ((step, values) for step, values in steps if step in kept)


def check_prequential(contender: Contender, setting: Setting) -> None:
    """Raise for a learner that cannot be constructed."""
    if contender.name != TRUTH:
        make_learner(contender, stand_in(setting.stream), seed=0)


def even_steps(setting: Setting) -> list[int]:
    """Return at most max_rows evenly spaced steps, including the first and the last.

    Examples
    --------
    >>> even_steps(Setting({}, block_size=1, n_steps=1000, metrics=(), max_rows=5))
    [1, 250, 500, 750, 1000]
    """
    n_steps, max_rows = setting.n_steps, setting.max_rows
    if n_steps <= max_rows:
        return list(range(1, n_steps + 1))
    return [1 + i * (n_steps - 1) // (max_rows - 1) for i in range(max_rows)]


def parameters_of(learner: Callable[..., Learner]) -> frozenset[str]:
    """Return the parameters that a scenario may set: all but n_words and seed."""
    return frozenset(inspect.signature(learner).parameters) - {"n_words", "seed"}


KINDS: dict[str, Kind] = {
    "prequential": Kind(
        learners={name: parameters_of(entry.learner) for name, entry in LEARNERS.items()}
        | {TRUTH: frozenset(), STATIC: parameters_of(BatchEM)},
        metrics=tuple(METRICS),
        kept=even_steps,
        run=run_prequential,
        check=check_prequential,
        own_learner=lambda name: parameters_of(find_learner(name)),
    ),
    "regret": REGRET,
}
