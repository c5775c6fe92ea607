"""IncrementalEM: every remembered document keeps its posterior, which revisits replace."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints
from spectralleader.checks import check_whole
from spectralleader.checks.saved import field, fields
from spectralleader.checks.states import distributions, take, whole
from spectralleader.documents import Documents
from spectralleader.em.start import Start
from spectralleader.em.statistics import Statistics, log_prior
from spectralleader.learners.protocol import MAX_REVISITS
from spectralleader.learners.stepwise_em import OnlineEM
from spectralleader.samples import Change, Reservoir, Sample, read_sample


class IncrementalEM(OnlineEM):
    """EM that improves one document's posterior at a time (Neal & Hinton 1998).

    The statistics are those of the remembered documents under the posterior that each had when it
    was last visited. A document that enters adds its own, one that leaves takes them out, and with
    every block the next remembered documents in turn are revisited: none of these revisits lowers
    the `free_energy`. Memory is bounded by the sample: it grows until that is full.

    Parameters
    ----------
    n_topics : int
        Number of topics, K.
    n_words : int, optional
        Vocabulary size, d. If omitted, it grows with the stream.
    reservoir_size : int
        Documents remembered.
    seed : int
        Of the reservoir and of a random start.
    sample : Sample, optional
        Which documents to remember, instead of a reservoir: `Window`, `Everything`.
    start, smoothing
        As in `StepwiseEM`. The start stays in the statistics, as one more document.
    n_revisits : int
        Remembered documents revisited for each one learned.

    Examples
    --------
    >>> learner = IncrementalEM(n_topics=2, n_words=2)
    >>> for _ in range(20):
    ...     learner.learn(Documents.from_tokens([[0, 0, 0], [1, 1, 1], [0, 0, 0]], n_words=2))
    >>> sorted(learner.model.weights.round(1).tolist())
    [0.3, 0.7]
    """

    saved = fields(
        OnlineEM.saved,
        n_revisits=take,
        sample=field(read_sample, n_words=lambda known: known["n_words"]),
        posterior=field(
            distributions, shape=lambda known: (len(known["sample"]), known["n_topics"])
        ),
        _next=field(whole, most=lambda known: len(known["sample"])),
    )

    def __init__(
        self,
        n_topics: int,
        *,
        n_words: int | None = None,
        reservoir_size: int = 10_000,
        seed: int = 0,
        sample: Sample | None = None,
        start: Start = 10.0,
        smoothing: float = 1e-5,
        n_revisits: int = 3,
    ) -> None:
        super().__init__(n_topics, n_words, seed, start, smoothing)
        self.n_revisits = check_whole("n_revisits", n_revisits, 0, MAX_REVISITS)
        reservoir = Reservoir(reservoir_size, n_words=self.n_words, seed=seed)
        self.sample: Sample = reservoir if sample is None else sample
        self._posterior = np.zeros((0, n_topics))  # of the document in each slot; grows in steps
        self._next = 0  # slot to revisit next

    @property
    def posterior(self) -> Floats:
        """P(topic | document) of the document in each slot."""
        return self._posterior[: len(self.sample)]

    @posterior.setter
    def posterior(self, posterior: Floats) -> None:
        self._posterior = posterior

    @property
    def _pseudo_count(self) -> float:
        # the statistics are sums over the documents and the start; without the start, the first
        # document would make all topics equal for good
        return self.smoothing * (1 + len(self.sample))

    def _update(self, block: Documents) -> None:
        n_before = len(self.sample)
        self._exchange(self.sample.add(block), n_before)
        self.revisit(self.n_revisits * block.n_docs)

    def _exchange(self, change: Change, n_before: int) -> None:
        """Take out the statistics of what left the sample, add those of what entered."""
        taken = change.slots[change.slots < n_before]
        self._statistics.add(change.left, self._posterior[taken], -1.0, least=0.0)
        self._reserve(len(self.sample))
        self._posterior[change.slots] = 0.0
        self._visit(change.entered, change.slots)

    def _recode(self, new_ids: Ints | None, n_words: int) -> None:
        super()._recode(new_ids, n_words)
        self.sample.recode(new_ids, n_words)

    def revisit(self, n_docs: int) -> None:
        """Go on to the next remembered documents: E-step for each of them, then one M-step."""
        n_docs = min(n_docs, len(self.sample))
        if n_docs == 0:
            return
        slots = (self._next + np.arange(n_docs)) % len(self.sample)
        self._visit(self.sample.documents[slots], slots)
        self._next = int(slots[-1]) + 1

    def _visit(self, documents: Documents, slots: Ints) -> None:
        """Replace the posteriors of the documents in these slots, in the statistics too."""
        posterior = self._statistics.posterior(documents, self._pseudo_count)
        self._statistics.add(documents, posterior - self._posterior[slots], least=0.0)
        self._posterior[slots] = posterior
        self._model = None

    def _reserve(self, n_slots: int) -> None:
        if n_slots > len(self._posterior):
            room = np.zeros((2 * n_slots, self.n_topics))
            room[: len(self._posterior)] = self._posterior
            self._posterior = room

    @property
    def free_energy(self) -> float:
        """What a revisit never lowers, see `free_energy`."""
        return free_energy(self.posterior, self._statistics, self._pseudo_count)


def free_energy(posterior: Floats, statistics: Statistics, pseudo_count: float) -> float:
    """Return the free energy of topic posteriors, (n_docs, K), and of the model that they lead to.

    ``sum_i sum_k r_ik (log P(topic k, document i) - log r_ik)`` and the prior's part, where the
    statistics are those of the documents under r (and of whatever counts beside them). It is at
    most the log-probability of the documents, and equal to it where r are the true posteriors.
    """
    model = statistics.maximise(pseudo_count)
    expected = statistics.totals[0] @ np.log(model.weights)
    expected += np.vdot(statistics.words.T, np.log(model.topics))
    entropy = -(posterior * np.log(np.maximum(posterior, 1e-300))).sum()  # 0 log 0 = 0
    return float(statistics.scale * expected + entropy) + log_prior(model, pseudo_count)
