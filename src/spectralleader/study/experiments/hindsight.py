"""Models that learn nothing, because they know the stream: the truth, the best static model."""

from __future__ import annotations

from functools import lru_cache

from spectralleader.documents import Documents
from spectralleader.learners import Learner
from spectralleader.learners.fixed import Fixed, Sequel
from spectralleader.models import TopicModel
from spectralleader.sources.synthetic import Replaced
from spectralleader.study.experiments.corpus import CorpusSource
from spectralleader.study.experiments.setting import Setting
from spectralleader.study.experiments.sources import Source


def true_model(source: Source, setting: Setting) -> Learner:
    """Return the model that the stream comes from; where it changes, each in its time."""
    if isinstance(source, Replaced):
        n_docs = setting.block_size * (setting.n_steps // 2)
        return Sequel(source.before.truth, source.truth, n_docs=n_docs)
    return Fixed(source.truth)


def best_static(learner: Learner, source: Source, setting: Setting, seed: int) -> TopicModel:
    """Return what an offline learner makes of all the documents that are to come.

    The documents of a corpus are the same for every seed: they are learned once in a process, by
    the learner of the seed that is first.
    """
    size = (setting.block_size, setting.n_steps)
    if isinstance(source, CorpusSource):
        return _of_corpus(_Once(learner, source), *size)
    return _learn(learner, source, *size, seed)


class _Once:
    """A learner and its corpus; two are equal if the corpora and the parameters are."""

    def __init__(self, learner: Learner, source: CorpusSource) -> None:
        self.learner, self.source = learner, source
        names = getattr(learner, "parameters", ())
        facts = {name: getattr(learner, name) for name in names if name != "seed"}
        self._key = (id(source.documents), repr(facts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Once) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=4)
def _of_corpus(once: _Once, block_size: int, n_steps: int) -> TopicModel:
    return _learn(once.learner, once.source, block_size, n_steps, 0)


def _learn(
    learner: Learner, source: Source, block_size: int, n_steps: int, seed: int
) -> TopicModel:
    blocks = source.blocks(block_size=block_size, n_steps=n_steps, seed=seed)
    learner.learn(Documents.concatenate([block.documents for block in blocks]))
    return learner.model
