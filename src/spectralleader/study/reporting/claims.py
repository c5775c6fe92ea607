"""The paper's claims, as data: the abstract's and section 7's, one a line."""

from __future__ import annotations

from spectralleader.study.reporting.findings import (
    best_power,
    best_power_differs,
    falls,
    higher,
    improves,
    lower,
    much_lower,
    no_worse,
    sensitive,
    stays_below,
    vanishes,
)
from spectralleader.study.reporting.verdicts import EM, NOISE_FREE, Claim

EASY, HARD, BLOCKS, TURNS = (
    f"figure1-{name}" for name in ("easy", "hard", "hard-blocks", "non-stochastic")
)
NEWS_10, NEWS_1000, TWEETS_10, TWEETS_1000 = (
    f"figure2-{name}" for name in ("news-10", "news-1000", "tweets-10", "tweets-1000")
)
STOCHASTIC = (EASY, HARD, BLOCKS)
TEXT = (NEWS_10, NEWS_1000, TWEETS_10, TWEETS_1000)
REGRET = ("regret-stationary", "regret-cyclic", "regret-switching")

CLAIMS = (
    Claim(
        "abstract",
        "SpectralLeader always converges to the global optimum (here: L2 keeps falling, every run)",
        STOCHASTIC,
        vanishes("L2"),
    ),
    Claim(
        "abstract",
        "The n-step regret is sublinear (here: R(n)/n falls, with a reservoir of n)",
        REGRET,
        falls("regret_per_step", leader="SpectralLeader", epsilon=0.035),
    ),
    Claim(
        "abstract",
        "On synthetic problems it is similar to or better than tuned online EM",
        (*STOCHASTIC, TURNS),
        no_worse("L1", "L2"),
    ),
    Claim(
        "abstract",
        "On real problems (stand-ins here) it is similar to or better than tuned online EM",
        TEXT,
        no_worse("L1", "L2"),
    ),
    Claim(
        "6.1",
        "Theorem 1 as printed: noise-free regret is at most 4 sqrt(d^3) log n",
        REGRET,
        stays_below("regret", "bound_printed", leader="noise-free", epsilon=None),
        learner=NOISE_FREE,
        min_seeds=1,
    ),
    Claim(
        "6.1",
        "Theorem 1 repaired: noise-free regret is at most 4 sqrt(d^3) (1 + log n)",
        REGRET,
        stays_below("regret", "bound_repaired", leader="noise-free", epsilon=None),
        learner=NOISE_FREE,
        min_seeds=1,
    ),
    Claim(
        "6.2",
        "Theorem 2: with a reservoir, at most 4 sqrt(d^3) (epsilon n + log n) + 8",
        REGRET,
        stays_below("regret", "bound_theorem2", leader="noise-free"),
        learner=NOISE_FREE,
        min_seeds=1,
    ),
    Claim("7.1", "EM's L1 is very sensitive to its power", STOCHASTIC, sensitive("L1"), EM),
    Claim(
        "7.1",
        "EM's best power (L1) is 0.7, or ties with it, on easy, blocks of 1",
        (EASY,),
        best_power("L1", 0.7),
        learner=EM,
    ),
    Claim(
        "7.1",
        "EM's best power (L1) is 0.9, or ties with it, on hard, blocks of 1",
        (HARD,),
        best_power("L1", 0.9),
        learner=EM,
    ),
    Claim(
        "7.1",
        "EM's best power (L1) is 0.5, or ties with it, on hard, blocks of 100",
        (BLOCKS,),
        best_power("L1", 0.5),
        learner=EM,
    ),
    Claim(
        "7.1",
        "EM's best power changes with the block size",
        (HARD, BLOCKS),
        best_power_differs("L1"),
        learner=EM,
    ),
    Claim("7.1", "SpectralLeader has the lowest L1 on easy, blocks of 1", (EASY,), lower("L1")),
    Claim("7.1", "SpectralLeader has the lowest L1 on hard, blocks of 1", (HARD,), lower("L1")),
    Claim(
        "7.1",
        "EM improves when blocks grow to 100 (and documents tenfold)",
        (HARD, BLOCKS),
        improves("L1"),
        learner=EM,
    ),
    Claim("7.1", "SpectralLeader has the lowest L1 on hard, blocks of 100", (BLOCKS,), lower("L1")),
    Claim(
        "7.1", "SpectralLeader's L2 is much lower on easy, blocks of 1", (EASY,), much_lower("L2")
    ),
    Claim(
        "7.1", "SpectralLeader's L2 is much lower on hard, blocks of 1", (HARD,), much_lower("L2")
    ),
    Claim(
        "7.1",
        "SpectralLeader's L2 is much lower on hard, blocks of 100",
        (BLOCKS,),
        much_lower("L2"),
    ),
    Claim(
        "7.2",
        "With topics in turn, EM's best power (L1) is 0.5, or ties with it",
        (TURNS,),
        best_power("L1", 0.5),
        learner=EM,
    ),
    Claim(
        "7.2",
        "There SpectralLeader's L1 is lower than EM's at 0.5",
        (TURNS,),
        lower("L1", "EM 0.5"),
    ),
    Claim("7.2", "There SpectralLeader's L2 is lower than tuned EM's", (TURNS,), lower("L2")),
    Claim(
        "7.3",
        "News (headlines here), blocks of 10: SpectralLeader's L2 is lower",
        (NEWS_10,),
        lower("L2"),
    ),
    Claim(
        "7.3",
        "News (headlines here), blocks of 1000: SpectralLeader's L2 is lower",
        (NEWS_1000,),
        lower("L2"),
    ),
    Claim(
        "7.3",
        "Tweets (of Congress here), blocks of 10: SpectralLeader's L2 is lower",
        (TWEETS_10,),
        lower("L2"),
    ),
    Claim(
        "7.3",
        "Tweets (of Congress here), blocks of 1000: SpectralLeader's L2 is lower",
        (TWEETS_1000,),
        lower("L2"),
    ),
    Claim(
        "7.3",
        "News (headlines here): EM's best power differs between blocks of 10 and of 1000",
        (NEWS_10, NEWS_1000),
        best_power_differs("L1"),
        learner=EM,
    ),
    Claim(
        "7.3",
        "Tweets (of Congress here): EM's best power differs between blocks of 10 and of 1000",
        (TWEETS_10, TWEETS_1000),
        best_power_differs("L1"),
        learner=EM,
    ),
    Claim(
        "7.3",
        "Blocks of 10 (both): SpectralLeader's L1 is similar to tuned EM's or lower",
        (NEWS_10, TWEETS_10),
        no_worse("L1"),
    ),
    Claim(
        "7.3",
        "News (headlines here), blocks of 1000: tuned EM has the lower L1",
        (NEWS_1000,),
        higher("L1"),
    ),
    Claim(
        "7.3",
        "Tweets (of Congress here), blocks of 1000: tuned EM has the lower L1",
        (TWEETS_1000,),
        higher("L1"),
    ),
)
