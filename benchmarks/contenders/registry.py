"""Every contender by name: what it runs and in which races."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.contenders import gensim, ours, river, scikit, vowpal
from benchmarks.task import ALONE, LONG, TENS, THOUSANDS, Race, Task
from benchmarks.timing import Trial

HEDGED = "HedgedLeader"
SPECTRAL = "SpectralLeader"
STEPWISE = "StepwiseEM"
BATCH = "BatchEM, best of 10 starts (offline)"
SKLEARN_LDA = "scikit-learn LDA"
SKLEARN_LDA_5 = "scikit-learn LDA, five passes"
NMF_KL = "MiniBatchNMF, Kullback-Leibler loss"  # the likelihood of a topic model
NMF_SQUARED = "MiniBatchNMF, squared loss"  # its default
GENSIM = "gensim LdaModel"
RIVER = "river LDA"
VECTORIZER = "CountVectorizer.transform"
VOWPAL = tuple(f"Vowpal Wabbit, minibatch {size}" for size in (1, 10, 100))


@dataclass(frozen=True)
class Contender:
    """A name, a function that prepares a trial of a task, and the races to run it in."""

    name: str
    start: Callable[[Task], Trial]
    races: tuple[Race, ...]
    most_docs: int | None = None  # a slow one gets the first so many documents


nmf_kl = partial(scikit.nmf, loss="kullback-leibler")
nmf_squared = partial(scikit.nmf, loss="frobenius")

CONTENDERS = (
    Contender(HEDGED, ours.hedged_leader, (TENS, THOUSANDS)),
    Contender(SPECTRAL, ours.spectral_leader, (TENS, THOUSANDS, ALONE, LONG)),
    Contender(STEPWISE, ours.stepwise_em, (TENS, THOUSANDS, ALONE)),
    Contender(SKLEARN_LDA, scikit.lda, (TENS, THOUSANDS), most_docs=50_000),
    Contender(GENSIM, gensim.lda, (TENS, THOUSANDS), most_docs=50_000),
    Contender(NMF_KL, nmf_kl, (THOUSANDS,)),
    Contender(NMF_KL, nmf_kl, (TENS,), most_docs=10_000),
    Contender(NMF_SQUARED, nmf_squared, (THOUSANDS,)),
    Contender(NMF_SQUARED, nmf_squared, (TENS,), most_docs=10_000),
    Contender(RIVER, river.lda, (TENS,), most_docs=500),
    Contender(VECTORIZER, scikit.vectorizer, (TENS, THOUSANDS)),
    Contender(VOWPAL[0], partial(vowpal.lda, minibatch=1), (ALONE, LONG)),
    Contender(VOWPAL[1], partial(vowpal.lda, minibatch=10), (ALONE,)),
    Contender(VOWPAL[2], partial(vowpal.lda, minibatch=100), (ALONE,)),
)

STEP_POWERS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SMOOTHINGS = (1e-5, 1e-4, 1e-3)


@dataclass(frozen=True)
class Labeller:
    """Who is asked for the topics of labelled documents; of several settings the best counts."""

    name: str
    settings: dict[str, Callable[[Task], Trial]]  # what each is called, "" if there is only one
    is_peer: bool = False  # learns online as ours does, and is to be beaten
    most_seeds: int = 10  # slow ones get fewer


LABELLERS = (
    Labeller(HEDGED, {"": ours.hedged_leader}),
    Labeller(SPECTRAL, {"": ours.spectral_leader}),
    Labeller(
        BATCH,
        {"": partial(ours.batch_em, n_restarts=10, tolerance=1e-4)},
        most_seeds=3,
    ),
    Labeller(
        STEPWISE,
        {
            f"power {power}, smoothing {smoothing:g}": partial(
                ours.stepwise_em, step_power=power, smoothing=smoothing
            )
            for power in STEP_POWERS
            for smoothing in SMOOTHINGS
        },
        is_peer=True,
    ),
    Labeller(SKLEARN_LDA, {"": scikit.lda}, is_peer=True, most_seeds=3),
    Labeller(SKLEARN_LDA_5, {"": partial(scikit.lda, n_passes=5)}, is_peer=True, most_seeds=3),
    Labeller(GENSIM, {"": gensim.lda}, is_peer=True, most_seeds=3),
    Labeller(NMF_KL, {"": nmf_kl}, is_peer=True, most_seeds=3),
    Labeller(NMF_SQUARED, {"": nmf_squared}, is_peer=True, most_seeds=3),
)


def contenders_of(race: Race) -> list[Contender]:
    """Return who runs in a race, in the order of the registry."""
    return [contender for contender in CONTENDERS if race in contender.races]
