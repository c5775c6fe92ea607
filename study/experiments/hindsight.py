"""Reference models that know the stream in advance: the truth, and the best static model."""

from __future__ import annotations

from spectralleader.documents import Documents
from spectralleader.learners import Learner
from spectralleader.learners.fixed import Fixed
from spectralleader.models import TopicModel
from study.experiments.corpus import CorpusSource
from study.experiments.setting import Setting
from study.experiments.sources import Source
from study.rows import Contender
from study.sources.synthetic import Replaced


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


def true_model(source: Source, setting: Setting) -> Learner:
    """Return the true model of the stream; if it changes, the current one at each step."""
    if isinstance(source, Replaced):
        n_docs = setting.block_size * (setting.n_steps // 2)
        return Sequel(source.before.truth, source.truth, n_docs=n_docs)
    return Fixed(source.truth)


def best_static(
    contender: Contender, learner: Learner, source: Source, setting: Setting, seed: int
) -> TopicModel:
    """Return the model that an offline learner fits to all documents of the stream.

    The documents of a corpus are the same for every seed, so they are learned once per process,
    with the first seed.
    """
    kept = source.statics if isinstance(source, CorpusSource) else {}
    key = repr((contender, setting.block_size, setting.n_steps))
    if key not in kept:
        size = {"block_size": setting.block_size, "n_steps": setting.n_steps}
        blocks = source.blocks(**size, seed=seed)
        learner.learn(Documents.concatenate([block.documents for block in blocks]))
        kept[key] = learner.model
    return kept[key]
