"""Texts of reports: headings, notes and captions, all of them here."""

from __future__ import annotations

from study.reporting.verdicts import COUNTS, MARGIN, MUCH

RULE = (
    "Differences are mean ± standard error, paired over seeds, and are significant if they exceed "
    f"{COUNTS:g} standard errors. Tuned: the best power in hindsight, for each problem and metric. "
    f"Similar: the difference is not significant, or at most {MARGIN:.0%}. Much lower: at most "
    f"{MUCH:.0%}. Best power: no other power is significantly better. A block is a mini-batch."
)
COMPARED_HEADING = "The same claims, with other learners"
COMPARED_NOTE = (
    "The verdicts above concern SpectralLeader, the fast implementation of the paper's algorithm. "
    "Algorithm 1 is the same learner line by line, in NumPy, without Newton steps, warm starts and "
    "anchors. Where the two agree, none of these decides a verdict. Both convert the estimates of "
    "line 5 to a valid model in the same way (method.md), and that model is evaluated. "
    "Algorithm 1 is too slow for the corpora, so it has no verdicts there; regret has a separate "
    "study. Each column tests the claim with its own learner, whichever learner the text names."
)
TABLE1_HEADING = "Table 1: against the best of 54 EMs, chosen in hindsight"
TABLE1_NOTE = (
    "HedgedLeader is for prediction (L1), SpectralLeader for recovery (L2), both with their "
    "defaults. SpectralLeader is the paper's learner. EM is StepwiseEM at the best of 54 settings "
    "(6 powers from 0.5 to 1, Dirichlet starts of 1, 10 and 100, smoothings of "
    "1e-4, 1e-3 and 1e-2), chosen in hindsight for every stream and metric: all 54 are run on the "
    "first 2 seeds and the 5 best by each metric on all seeds, and the best of these is shown. "
    "On synthetic streams a seed selects the documents and the learners' random states. On text "
    "the documents are the same in every run, and a seed selects the random states only. "
    "VarianceReducedEM has smoothing 1e-3 on text and its default on synthetic streams. The best "
    "static model is that of batch EM (best of 3 starts) on all documents of the stream; on "
    "synthetic streams it is the true model, of each half separately. Constants and defaults may "
    "be chosen on development streams, not on test streams. Text uses the 500 most frequent "
    "words; theta* is the offline spectral method's model of the whole corpus. Differences are "
    "paired over seeds, and are called lower or higher if they exceed 2 standard errors."
)
LABELS_LINK = (
    "Table 2, the agreement of topics with human labels, is on the page labels.md, which "
    'make bench ARGS="--only labels --write-docs" writes.'
)
HEADINGS = {
    "figure1": "Figure 1: synthetic problems",
    "figure2": "Figure 2's questions, on other text",
    "regret": "The analysis: regret and its bounds",
    "reservoir": "The reservoir: how many documents must be remembered",
}
NOTES = {
    "figure2": "The paper's two corpora are not available here. Headlines of 2020 to 2022 and "
    "tweets of the US Congress around Election Day 2020 replace them, so these are results on "
    "these corpora, not reproductions of the paper's Figure 2. English stop words are removed. The "
    "500 most frequent words are kept, and the first 100,000 documents with at least 3 of them, in "
    "order of time. theta* is the offline spectral method's model of all of them, which favours "
    "spectral learners in L2. The documents are the same in every run, so the error over runs is "
    "due to the learners' random starts and reservoirs. The smoothing of stepwise EM is also "
    "chosen in hindsight: 1e-3 with blocks of 10, 1e-4 with blocks of 1000. At the default of 1e-5 "
    "its L1 with blocks of 10 is higher, and that of SpectralLeader within 1% of it.",
}
AVERAGES = (
    "Each curve is a running average over the steps: the mean of all runs, with a band of one "
    "standard error. Lower is better. L1 is the negative log-likelihood in nats per document, of "
    "each block before it is learned. L2 is the squared distance between the learner's third "
    "moments and the true ones. All learners see the same documents: common movements are due to "
    "the stream, differences to the learners. An average falls if the learner improves, and rises "
    "if documents become harder to predict. The average at step n is divided by n, but there is no "
    "prediction at the first step, which counts as 0: L1 starts at 0 and rises to its level in the "
    "first steps. Shade and marker show the power of stepwise EM; the best one in hindsight is "
    "drawn thicker and named in each panel."
)
CAPTIONS = {"figure1": AVERAGES, "figure2": AVERAGES, "reservoir": AVERAGES}
