"""The paper's hard problem, learned online, with a figure of the losses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from spectralleader import __version__
from spectralleader.learners import SpectralLeader
from study.experiments import load
from study.experiments.trials import rows_of, trials_of
from study.reporting.figures import draw_over_steps, save_figure
from study.reporting.report import Report, write_page
from study.reporting.tables import as_rich, final_table
from study.reproduce import study_of
from study.sources.synthetic import Problem, hard


def show_problem(console: Console, *, n_steps: int, n_runs: int, seed: int, folder: Path) -> None:
    """Run the learners, print the tables and write the figure."""
    console.print(
        "The paper's hard problem: 3 topics over 3 words, one document of 3 words per step.\n"
        "Each model predicts the next document, is evaluated on it, then learns from it:\n"
        "L1 is the average negative log-likelihood, L2 the average recovery error.\n"
    )
    seeds = tuple(range(seed, seed + n_runs))
    scenario = load(Path(__file__).with_name("hard.toml"))
    scenario = replace(scenario, n_steps=n_steps, max_rows=n_steps, seeds=seeds)
    with Progress(console=console, transient=True) as progress:
        trials = progress.track(trials_of(scenario), description="learning")
        shown = study_of(scenario, [row for trial in trials for row in rows_of(trial)])
    lead = "Each model predicts the next document, is evaluated on it, then learns from it."
    name = "SpectralLeader: a demonstration"
    page = Report(name, lead, [shown], "python -m study demo", __version__)
    title = f"Average loss over {n_steps} steps, mean ± standard error of {n_runs} runs"
    console.print(parameters(hard(), n_steps, seed))
    console.print(as_rich(final_table(shown), title))
    console.print(f"Figure: {save_figure(draw_over_steps([shown]), folder / 'demo.png')}")
    console.print(f"Page: {write_page(page, folder / 'index.html')}")
    console.print("Next, the paper's study in half a minute: python -m study reproduce --quick")


def parameters(problem: Problem, n_steps: int, seed: int) -> Table:
    """Return true and learned parameters side by side."""
    learner = SpectralLeader(3, n_words=3, seed=seed)
    for block in problem.blocks(block_size=1, n_steps=n_steps, seed=seed):
        learner.learn(block.documents)
    truth = problem.truth
    learned = learner.model.aligned_to(truth)
    table = Table(
        title=f"True | learned by SpectralLeader from {n_steps} documents", title_justify="left"
    )
    table.add_column("topic")
    table.add_column("weight", justify="right")
    for word in range(truth.n_words):
        table.add_column(f"P(word {word + 1})", justify="right")
    for k in range(truth.n_topics):
        pairs = [(truth.weights[k], learned.weights[k])]
        pairs += zip(truth.topics[k], learned.topics[k], strict=True)
        table.add_row(str(k + 1), *(f"{true:.2f} | {found:.3f}" for true, found in pairs))
    return table
