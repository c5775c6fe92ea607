"""Settings: the constants of HedgedLeader, and how they were chosen.

By `python -m benchmarks.hedged`, on development streams only (election tweets, health tweets,
question titles, news stories, synthetic ones);
docs/decisions.md has the figures. Older are the priors of the experts, the pool's memory and the
sizes of window and reservoir: they were chosen before corpora were divided into development and
test, partly on headlines and newsgroups, and were not varied again.
"""

from __future__ import annotations

from dataclasses import dataclass

from spectralleader.models.model import UNUSED

LEAST = 0.05  # minimum pseudo-words of background per topic: those of a vocabulary of one word


@dataclass(frozen=True)
class Settings:
    """The constants of the learner; users set none of them, studies and tests do."""

    # Experts
    strengths: tuple[float, ...] = (0.02, 0.5)  # background words per topic and known word
    memories: tuple[float, ...] = (1000.0, 10_000.0)  # of the forgetting EMs, in documents
    n_finer: int = 64  # topics of those that are never read: more gain little, and take memory
    prior_memories: tuple[float, ...] = (3.0, 30.0, 300.0)  # of the tracked priors, in documents
    prior_runs: tuple[float, ...] = (10.0, 100.0)  # expected run length of a topic, in documents
    pool_memory: float = 1000.0  # of the pool's weights, in documents
    lately: float = 2000.0  # memory of the recent losses, in documents

    # Topics that are read
    # EM fits with as many background words per topic as this share of its own words, at most this
    # share of the vocabulary: never with what a race chose, see docs/decisions.md.
    fit_share: float = 0.3
    fit_most: float = 0.1
    tried: tuple[float, ...] = (0.1, 0.3, 1.0)  # smoothing compared for reading, per known word
    window: int = 2000  # most recent documents, described by `recent`
    n_visits: float = 1.0  # remembered documents revisited per learned document, in the long run
    n_early_visits: float = 1.0  # more of them, until topics are settled; fewer in proportion later
    n_recent_visits: float = 0.5  # the same, in the window
    unmoved: float = 1e-3  # posteriors that change by less are not updated
    step: float = 0.04  # relative growth of the stream between updates of `model`
    inertia: float = 0.3  # share of the stream over which `model` is averaged

    # Races
    raced: int = 8000  # maximum documents of a race
    raced_per_topic: int = 80  # more if there are many topics
    early: int = 16_000  # documents after which topics are settled and races rare
    filled: int = 50  # documents that fill a topic: with fewer, a race may close topics
    coarser: float = 1.4  # ratio of the numbers of topics that are compared then
    spectral: int = 2000  # maximum documents of a spectral start; 0: there is none
    growth: float = 1.5  # of the stream between early races; bounds the work per document
    outdated_growth: float = 1.1  # instead while the topics fail the latest documents
    failing: float = 0.03  # relative gain in loss of the topics of the window from which they do
    late_growth: int = 4  # between late races, and while documents are fewer than topics
    outdated: float = 1.125  # instead after a change whose documents the topics fail, since then
    renewal: float = 1.25  # and between races while they do
    held_out: float = 0.2  # share of held-out documents in a race
    few: int = 100  # with fewer documents none is held out
    margin: float = 0.01  # relative gain in loss that a late newcomer needs
    outdated_margin: float = 0.002  # the same while the topics fail the documents since a change
    n_sigmas: float = 2.0  # and the gain in standard errors
    n_passes: int = 5  # EM passes over all remembered documents, for a winner
    work: float = 100.0  # maximum cost of a start, in visits of every document
    n_random: int = 2  # random starts, if the over-complete one costs too much
    ratio: int = 3  # topics of the over-complete start per final topic

    # Changes
    fresh: int = 50  # documents after a suspected change, at the first search for new topics
    suspicion: float = 1000.0  # odds that start such a search
    searched: float = 0.125  # documents of all searches, as a share of the stream
    run_length: float = 1e6  # minimum mean number of documents between false alarms
    dead: float = UNUSED  # topics below this fraction of an even share are restarted
    used: float = 0.1  # topics that fewer documents prefer, relative to an even share, are unused
    collapsed: float = 0.5  # a race is due if fewer of the topics that can be filled are in use

    def fit_strength(self, n_tokens: float, n_topics: int, n_words: int) -> float:
        """Return the pseudo-words of background per topic with which EM fits.

        A rule of the documents, not a choice: a strength chosen with few documents is heavy, and
        statistics fitted with it prefer a heavy one again, until few topics are better than many.
        """
        share = self.fit_share * n_tokens / max(1, n_topics)
        return max(LEAST, min(share, self.fit_most * n_words))


SETTINGS = Settings()
