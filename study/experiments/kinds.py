"""Kinds of scenarios: how one run works, and which metrics exist.

A new kind of experiment takes one `Kind` and one line in `KINDS`.
"""

from __future__ import annotations

import dataclasses
import tracemalloc
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from spectralleader.documents import Documents
from spectralleader.learners import HedgedLeader, Learner
from spectralleader.learners.hedged.finer import finer_names
from spectralleader.learners.hedged.settings import SETTINGS, Settings
from spectralleader.learners.learner_base import Fixed
from spectralleader.learners.registry import create_learner
from spectralleader.models import TopicModel
from spectralleader.samples import SAMPLES, Sample
from study import regret
from study.experiments.scenario import Scenario
from study.experiments.streams import CorpusSource, Source, open_source, stand_in
from study.judging import METRICS, judge, running_averages
from study.rows import Contender
from study.sources.synthetic import REGRET_PROBLEMS, Replaced

TRUTH = "truth"  # the true model
STATIC = "best-static"  # batch EM on all documents of the stream, in hindsight
Step = tuple[int, dict[str, float]]  # a step and its metrics


class Kind(NamedTuple):
    """One kind of experiment."""

    metrics: Collection[str]
    kept: Callable[[Scenario], list[int]]  # the steps that get a row
    run: Callable[[Contender, Scenario, int, Path | None], Iterable[Step]]  # for one seed
    check: Callable[[Contender, Scenario], object]  # raises the errors that `run` would raise


class Sequel(Fixed):
    """One given model, and another after some documents: the truth of a changing stream.

    Examples
    --------
    >>> learner = Sequel(TopicModel.uniform(2, 3), TopicModel.uniform(1, 3), n_docs=1)
    >>> learner.learn(Documents.from_tokens([[0, 0, 0]], n_words=3))
    >>> learner.model.n_topics
    1
    """

    def __init__(self, model: TopicModel, then: TopicModel, *, n_docs: int) -> None:
        super().__init__(model)
        self._then, self._n_left = then, n_docs

    def learn(self, documents: Documents) -> None:
        """Count the documents, and switch the model when it is time."""
        super().learn(documents)
        self._n_left -= documents.n_docs
        if self._n_left <= 0:
            self.model = self._then


def run_prequential(
    contender: Contender, scenario: Scenario, seed: int, data: Path | None
) -> Iterable[Step]:
    """Return the running averages of prequential metrics at the steps that are kept."""
    source = open_source(scenario.stream, data)
    learner = make_contender(contender, source, scenario, seed)
    metrics = {metric: METRICS[metric](source.truth) for metric in scenario.metrics}
    stream = source.blocks(block_size=scenario.block_size, n_steps=scenario.n_steps, seed=seed)
    kept = set(even_steps(scenario))
    steps = enumerate(running_averages(judge(learner, stream, metrics)), start=1)
    norm = source.truth.norm()
    return ((step, {**values, "norm": norm}) for step, values in steps if step in kept)


def even_steps(scenario: Scenario) -> list[int]:
    """Return at most max_rows evenly spaced steps, including the first and the last."""
    n_steps, max_rows = scenario.n_steps, scenario.max_rows
    if n_steps <= max_rows:
        return list(range(1, n_steps + 1))
    return [1 + i * (n_steps - 1) // (max_rows - 1) for i in range(max_rows)]


def check_prequential(contender: Contender, scenario: Scenario) -> None:
    """Raise for a learner that cannot be constructed."""
    # The truth has nothing to construct; the others must not read a corpus only to be checked.
    if contender.name != TRUTH:
        make_learner(contender, stand_in(scenario.stream), seed=0)


def make_contender(contender: Contender, source: Source, scenario: Scenario, seed: int) -> Learner:
    """Return a learner, or one of the reference models that know the stream in advance."""
    if contender.name != TRUTH:
        learner = make_learner(contender, source.truth, seed)
        if contender.name != STATIC:
            return learner
        return Fixed(best_static(contender, learner, source, scenario, seed))
    if isinstance(source, Replaced):  # the current model at each step
        n_docs = scenario.block_size * (scenario.n_steps // 2)
        return Sequel(source.before.truth, source.truth, n_docs=n_docs)
    return Fixed(source.truth)


def make_learner(contender: Contender, truth: TopicModel, seed: int) -> Learner:
    """Return a learner with the numbers of topics and words of the truth."""
    sizes = {"n_topics": truth.n_topics, "n_words": truth.n_words, "seed": seed}
    parameters: dict[str, Any] = sizes | dict(contender.parameters)
    if "settings" in parameters:
        parameters["settings"] = make_settings(parameters["settings"])
    if "sample" in parameters:
        parameters["sample"] = make_sample(parameters["sample"], truth.n_words)
    name = "batch-em" if contender.name == STATIC else contender.name
    return create_learner(name, **parameters)


def make_settings(table: Mapping[str, Any]) -> Settings:
    """Return the settings of HedgedLeader with some changed, such as ``{n_visits = 0.0}``."""
    changed: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    return dataclasses.replace(SETTINGS, **changed)


def make_sample(table: Any, n_words: int) -> Sample:
    """Return the sample described by a table such as ``{kind = "window", capacity = 500}``."""
    if not isinstance(table, Mapping) or table.get("kind") not in SAMPLES:
        kinds = ", ".join(SAMPLES)
        raise ValueError(f"sample must be a table whose kind is one of {kinds}; got {table!r}")
    make: Callable[..., Sample] = SAMPLES[table["kind"]]
    return make(**{k: v for k, v in table.items() if k != "kind"}, n_words=n_words)


def best_static(
    contender: Contender, learner: Learner, source: Source, scenario: Scenario, seed: int
) -> TopicModel:
    """Return the model that an offline learner fits to all documents of the stream.

    The documents of a corpus are the same for every seed, so they are learned once per process,
    with the first seed.
    """
    # Keyed by all that decides the model; a synthetic source has other documents for each seed.
    kept = source.statics if isinstance(source, CorpusSource) else {}
    size = {"block_size": scenario.block_size, "n_steps": scenario.n_steps}
    key = repr((contender, size))
    if key not in kept:
        blocks = source.blocks(**size, seed=seed)
        learner.learn(Documents.concatenate([block.documents for block in blocks]))
        kept[key] = learner.model
    return kept[key]


def run_cost(contender: Contender, scenario: Scenario, seed: int, data: Path | None) -> list[Step]:
    """Return time and memory of predicting and learning the stream, and the model's size.

    Time is that of this process, in microseconds per document, without the evaluation's; memory is
    what the learner holds at the end, in megabytes, of what Python and NumPy allocated. These
    rows, unlike others, differ from run to run.
    """
    source = open_source(scenario.stream, data)
    size = {"block_size": scenario.block_size, "n_steps": scenario.n_steps}
    blocks = [block.documents for block in source.blocks(**size, seed=seed)]

    def new() -> Learner:
        return make_contender(contender, source, scenario, seed)

    predict_and_learn(new(), blocks)  # compiles kernels
    tracemalloc.start()
    learner = predict_and_learn(new(), blocks)
    n_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    began = process_time()
    predict_and_learn(new(), blocks)
    seconds = process_time() - began
    n_docs = scenario.block_size * scenario.n_steps
    costs = {"us": 1e6 * seconds / n_docs, "MB": n_bytes / 1e6}
    return [(scenario.n_steps, costs | {"components": n_components(learner)})]


def predict_and_learn(learner: Learner, blocks: Sequence[Documents]) -> Learner:
    """Predict every block and learn it; return the learner."""
    for block in blocks:
        learner.predictive.log_prob(block)
        learner.learn(block)
    return learner


def n_components(learner: Learner) -> int:
    """Return the number of word distributions that a learner's prediction mixes."""
    predictive = learner.predictive
    if isinstance(predictive, TopicModel):
        return predictive.n_topics
    if isinstance(learner, HedgedLeader):
        n_finer = len(SETTINGS.strengths) * len(finer_names(SETTINGS))
        # Two of its experts have no topics.
        n_own = (len(learner.info.shares) - 2 - n_finer) * learner.n_topics
        return n_own + n_finer * SETTINGS.n_finer + 2
    raise ValueError(f"the components of {type(learner).__name__} are not known")


def run_regret(
    contender: Contender, scenario: Scenario, seed: int, data: Path | None
) -> list[Step]:
    """Return the regret, the bounds that apply, and the reservoir size if there is one."""
    problem, epsilon = scenario.stream["problem"], contender.parameters.get("epsilon")
    sizes = {"n_steps": scenario.n_steps, "n_rows": scenario.max_rows}
    return regret.regret_rows(problem, contender.name, epsilon=epsilon, seed=seed, **sizes)


def check_regret(contender: Contender, scenario: Scenario) -> None:
    """Raise for a stream or a learner without a known regret, or an invalid epsilon."""
    if scenario.stream.get("problem") not in REGRET_PROBLEMS:
        raise ValueError(f"the problem must be one of {', '.join(REGRET_PROBLEMS)}")
    if contender.name not in regret.REGRET_LEARNERS or set(contender.parameters) - {"epsilon"}:
        known = ", ".join(regret.REGRET_LEARNERS)
        raise ValueError(f"the learner must be one of {known}, with no parameter but epsilon")
    regret.reservoir_size(1, 1, contender.parameters.get("epsilon", 1.0))


KINDS: dict[str, Kind] = {
    "prequential": Kind(tuple(METRICS), even_steps, run_prequential, check_prequential),
    "cost": Kind(
        ("us", "MB", "components"), lambda scenario: [scenario.n_steps], run_cost, check_prequential
    ),
    "regret": Kind(
        ("regret", "regret_per_step"),
        lambda scenario: regret.log_steps(scenario.n_steps, scenario.max_rows).tolist(),
        run_regret,
        check_regret,
    ),
}
