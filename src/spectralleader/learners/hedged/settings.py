"""Settings: every constant of HedgedLeader, and how it was chosen.

By `python -m benchmarks.hedged`, on development streams only (election tweets, health tweets,
synthetic ones; see `role` in sources/corpora.py); docs/decisions.md has the figures. Older are the
priors of the experts, the pool's memory and the sizes of window and reservoir: they were chosen
before corpora were divided into development and test, partly on headlines and newsgroups, and were
not varied again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What a user need not set."""

    # Experts
    strengths: tuple[float, ...] = (0.02, 0.5)  # words of background in a topic, per known word
    memories: tuple[float, ...] = (1000.0, 10_000.0)  # documents, of the EMs that forget
    prior_memories: tuple[float, ...] = (3.0, 30.0, 300.0)  # documents, of tracked weights
    prior_runs: tuple[float, ...] = (10.0, 100.0)  # documents that a topic stays for
    pool_memory: float = 1000.0  # documents that the pool's weights remember
    lately: float = 2000.0  # documents that recent losses are of

    # Topics that are read
    tried: tuple[float, ...] = (0.1, 0.3, 1.0)  # background words in a topic, per known word
    window: int = 2000  # last documents, whose topics are `recent`
    n_visits: float = 1.0  # remembered documents visited again for each one learned
    n_recent_visits: float = 0.5  # the same in the window
    unmoved: float = 1e-3  # change of a posterior that is not worth adding
    step: float = 0.04  # growth of the stream after which the model that is read moves on
    inertia: float = 0.25  # share of the stream that it averages

    # Races
    raced: tuple[int, int] = (4000, 8000)  # documents of a race at most: with many topics, and few
    many: int = 25  # topics up to which they are few
    early: int = 8000  # documents in a race after which races become rare
    spectral: int = 2000  # documents that a spectral start is of, at most
    first: int = 400  # documents until which races are thick, and cheap
    first_growth: float = 1.5  # of the stream between these
    growth: float = 2.0  # between other early ones: the work per document stays bounded
    late_growth: int = 4  # between late ones, and while there are fewer documents than topics
    held_out: float = 0.2  # share of the documents that contenders are judged on
    few: int = 100  # documents below which contenders are judged on all
    margin: float = 0.01  # of the loss, that a late newcomer must be better by
    n_sigmas: float = 2.0  # standard errors that it must be better by, too
    n_passes: int = 5  # over all remembered documents, for a winner
    work: float = 100.0  # visits of each document that a start may cost in a race
    scalings: tuple[float, ...] = (0.0,)  # of words, for the spectral starts
    n_random: int = 2  # random starts, where the over-complete one is too much
    n_over: int = 1  # over-complete starts
    ratio: int = 3  # topics of the over-complete start for each one wanted

    # Changes
    fresh: int = 50  # documents after a change that topics are first sought in
    suspicion: float = 1000.0  # odds at which they are
    run_length: float = 1e6  # documents between false alarms, at least, on average
    dead: float = 0.02  # of an even share of the documents: a topic with less is restarted


SETTINGS = Settings()
