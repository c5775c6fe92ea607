"""Fixed: a given model as a learner, as a reference for comparisons."""

from __future__ import annotations

from numpy.typing import ArrayLike

from spectralleader.checks.saved import Saved, fields
from spectralleader.documents import Documents
from spectralleader.learners.protocol import Predictive, check_block
from spectralleader.models import TopicModel


class Fixed(Saved):
    """A learner that never changes its model: the truth, or the best static model in hindsight.

    Examples
    --------
    >>> learner = Fixed(TopicModel.uniform(2, 3))
    >>> learner.learn(Documents.from_tokens([[0, 0, 0]], n_words=3))
    >>> learner.model.topics[0].round(2).tolist()
    [0.33, 0.33, 0.33]
    """

    saved = fields(model=TopicModel)
    grows = False

    def __init__(self, model: TopicModel) -> None:
        self.model = model
        self.n_topics, self.n_words = model.n_topics, model.n_words

    def learn(self, documents: Documents) -> None:
        """Check the block, and ignore it."""
        check_block(documents, self.n_words)

    def recode(self, new_ids: ArrayLike | None, n_words: int) -> None:
        """Renumber the words of the model, see `TopicModel.recode`."""
        self.model = self.model.recode(new_ids, n_words)
        self.n_words = self.model.n_words

    @property
    def predictive(self) -> Predictive:
        """The model."""
        return self.model
