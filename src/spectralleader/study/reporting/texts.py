"""Texts of reports: headings, notes and captions, all of them here."""

from __future__ import annotations

from spectralleader.study.reporting.verdicts import COUNTS, MARGIN, MUCH

RULE = (
    "A difference (mean ± standard error, paired over seeds) counts when it is more than "
    f"{COUNTS:g} standard errors. Tuned: the best power in hindsight, for each problem and metric. "
    f"Similar: the difference does not count, or is at most {MARGIN:.0%}. Much lower: at most "
    f"{MUCH:.0%}. A best power: no other is better by a difference that counts."
)
COMPARED_HEADING = "The same claims, with other learners"
COMPARED_NOTE = (
    "The verdicts on the paper are those of SpectralLeader, the paper's learner made fast. "
    "Algorithm 1 is the same learner line by line, in NumPy, without the Newton steps, warm "
    "starts and anchors of the fast one: where the two agree, none of these decides a verdict. "
    "Both make line 5's estimates a valid model in the same way (method.md), and are judged by "
    "that. Algorithm 1 is too slow for the corpora, so verdicts there are not checked against it; "
    "nor is the regret, which has a study of its own. Each column puts a claim to its own learner, "
    'whatever the text calls it. Shrunk is shrinkage="cross-validated", scaled is scaling=0.5.'
)
TABLE1_HEADING = "Table 1: against the best of 54 EMs, chosen in hindsight"
TABLE1_NOTE = (
    "HedgedLeader is for prediction (L1), SpectralLeader for recovery (L2); neither has anything "
    "set. SpectralLeader is the paper's learner; shrunk means with the option "
    'shrinkage="cross-validated", scaled with scaling=0.5, which are ours. EM is '
    "StepwiseEM at the best of 54 "
    "settings (6 powers from 0.5 to 1, Dirichlet starts of 1, 10 and 100, smoothings of 1e-4, "
    "1e-3 and 1e-2), chosen in hindsight for every stream and metric. All 54 are run on the first"
    " 2 seeds, the 5 best by each metric on all; the best of these is shown. A run is a seed: on "
    "synthetic streams of the documents and the learners; on text, whose documents are the same "
    "in every run, of the learners only. VarianceReducedEM has smoothing 1e-3 on text and its "
    "default on synthetic streams. The best static model is batch EM's (best of 3 starts) of all "
    "the documents of the stream, known beforehand; on synthetic streams it is the true model, of"
    " each half its own. The group of a stream is development if constants and defaults may be "
    "chosen on it, else test. Text: the 500 most frequent words; theta* is the offline spectral "
    "method's model of the whole corpus. A difference is paired over seeds, and is called lower "
    "or higher when it is more than 2 standard errors."
)
LABELS_LINK = (
    "Table 2, how topics agree with the labels that people gave, is on the page labels.md, which "
    'make bench ARGS="--only labels --write-docs" writes.'
)
HEADINGS = {
    "figure1": "Figure 1: synthetic problems",
    "figure2": "Figure 2's questions, on other text",
    "regret": "The analysis: regret, and the bounds on it",
    "reservoir": "The reservoir: how much must be remembered",
}
NOTES = {
    "figure2": "The paper's two corpora cannot be had here. Headlines of 2020 to 2022 and tweets "
    "of the US Congress around Election Day 2020 stand in for them: these are results on these "
    "corpora, not reproductions of the paper's Figure 2. English stop words are removed; the 500 "
    "most frequent words are kept, and the first 100,000 documents with at least 3 of them, in "
    "order of time; theta* is the offline spectral method's model of all of them. The documents "
    "are the same in every run, so that the error over runs is the learners' own: their random "
    "starts and reservoirs. Stepwise EM has the smoothing that text likes, also chosen in "
    "hindsight: 1e-3 with blocks of 10, 1e-4 with blocks of 1000. At the 1e-5 of the synthetic "
    "problems its L1 with blocks of 10 is higher, and SpectralLeader's within 1% of it.",
}
AVERAGES = (
    "Each curve is a running average over the steps, the mean of all runs with a band of one "
    "standard error; lower is better. L1 is in nats per document, of each block before it is "
    "learned. L2 is the squared distance between the learner's third moments and the true ones "
    "(no unit). All learners see the same documents: what all curves do together is the stream, "
    "what they do differently is the learner. A curve that falls is of a learner that improves; "
    "one that rises meets documents that are harder to predict. The average at step n is divided "
    "by n, but nothing can be predicted before the first document, so the first step counts as 0: "
    "L1 starts at 0 and rises to its level in the first steps. The power of stepwise EM is told by "
    "shade and marker; the best one in hindsight is drawn thicker and named in each panel."
)
CAPTIONS = {
    "figure1": AVERAGES,
    "figure2": f"{AVERAGES} HedgedLeader's L2 leaps on tweets in blocks of 1000 after step 55: its "
    "model then is that of the last 2,000 documents, which predict better (see its L1) and are "
    "further from theta*, the model of the whole corpus.",
    "reservoir": AVERAGES,
}
