"""Sources of a scenario's documents, constructed from its [stream] table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from spectralleader.models import TopicModel
from spectralleader.sources import Block
from study.experiments.corpus import CorpusSource, check_corpus, locate_file
from study.experiments.keys import check_choice, check_keys
from study.sources import corpora, priors
from study.sources.synthetic import PROBLEMS, REGRET_PROBLEMS, Problem, Replaced, random_problem

Table = Mapping[str, Any]

KNOWN_PROBLEMS = PROBLEMS | REGRET_PROBLEMS
RANDOM = ("random", "replaced")  # "replaced": halfway, by topics of the next seed
RANDOM_KEYS = ("n_topics", "n_words", "weights", "concentration", "lengths", "seed")
PRIORS: dict[str, Callable[..., priors.Prior]] = {
    "constant": priors.constant,
    "cyclic": priors.cyclic,
    "random-walk": priors.random_walk,
    "in-turn": lambda weights, *, runs: priors.in_turn(runs),
}


class Source(Protocol):
    """Blocks of documents, and the model to compare with; a `Problem` is one."""

    @property
    def truth(self) -> TopicModel:
        """Theta*: the true model of a synthetic problem, or the offline spectral method's."""

    def blocks(self, *, block_size: int, n_steps: int, seed: int) -> Iterator[Block]:
        """Yield n_steps blocks."""


def check_stream(stream: Table, where: str) -> None:
    """Raise for an invalid [stream] table."""
    if "corpus" in stream:
        return check_corpus(stream, where)
    known = ("problem", "prior", *RANDOM_KEYS, "corpus")
    check_keys(stream, where, required=["problem"], known=known)
    check_choice(stream["problem"], "problem", where, [*KNOWN_PROBLEMS, *RANDOM])
    is_random = stream["problem"] in RANDOM
    required = ["problem", "n_topics", "n_words"] if is_random else ["problem"]
    check_keys(
        stream, where, required=required, known=["prior", *(RANDOM_KEYS if is_random else ())]
    )
    if not isinstance(stream.get("prior", {}), Mapping):
        raise ValueError(
            f'{where}: prior must be a table such as {{ kind = "cyclic", period = 9 }}'
        )
    if "prior" in stream:
        check_choice(stream["prior"].get("kind"), "prior.kind", where, PRIORS)
    try:
        make_problem(stream).prior(0, 1)
    except TypeError as error:  # an unknown or missing parameter of the prior
        raise ValueError(f"{where}: {error}") from error


def make_problem(stream: Table) -> Problem:
    """Return the synthetic problem of a [stream] table; for "replaced", the first one."""
    parameters = {key: stream[key] for key in RANDOM_KEYS if key in stream}
    if isinstance(parameters.get("lengths"), Mapping):  # keys of a TOML table are strings
        parameters["lengths"] = {int(k): float(v) for k, v in parameters["lengths"].items()}
    name = stream["problem"]
    problem = random_problem(**parameters) if name in RANDOM else KNOWN_PROBLEMS[name]()
    if "prior" not in stream:
        return problem
    chosen = dict(stream["prior"])
    prior = PRIORS[chosen.pop("kind")](problem.truth.weights, **chosen)
    return dataclasses.replace(problem, prior=prior)


def locate(stream: Table, scenario: Path) -> dict[str, Any]:
    """Return a [stream] table with the path of its corpus file resolved from the scenario's."""
    if not isinstance(stream.get("corpus"), Mapping):
        return dict(stream)
    try:
        return {**stream, "corpus": locate_file(stream["corpus"], scenario.parent)}
    except OSError as error:
        raise ValueError(f"{scenario}: corpus: {error}") from error


def portable(stream: Table) -> dict[str, Any]:
    """Return a [stream] table without the folder of its corpus file, for fingerprints."""
    corpus = stream.get("corpus")
    if not isinstance(corpus, Mapping):
        return dict(stream)
    return {**stream, "corpus": {**corpus, "file": Path(corpus["file"]).name}}


def why_missing(stream: Table, data: Path | None) -> str | None:
    """Return why a stream is not available, or None if it is."""
    if isinstance(stream.get("corpus"), str):
        return corpora.why_missing(stream["corpus"], data)
    return None  # a corpus file was found when the scenario was loaded


def open_source(stream: Table, data: Path | None = None) -> Source:
    """Return the source that a [stream] table describes."""
    if "corpus" in stream:
        return CorpusSource.open(stream, data)
    problem = make_problem(stream)
    if stream["problem"] == "replaced":
        return Replaced(problem, make_problem({**stream, "seed": stream.get("seed", 0) + 1}))
    return problem


def stand_in(stream: Table) -> TopicModel:
    """Return a model of the size of the stream's truth, without reading a corpus."""
    if "corpus" in stream:
        return TopicModel.uniform(stream["n_topics"], stream["n_words"])
    return make_problem(stream).truth
