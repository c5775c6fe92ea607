"""The paper's hard problem, learned online, and the figure of how."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from spectralleader import __version__
from spectralleader.evaluation import judge, log_loss, recovery_error, running_averages
from spectralleader.learners import Learner, SpectralLeader, StepwiseEM
from spectralleader.learners.fixed import Fixed
from spectralleader.models import TopicModel
from spectralleader.sources.synthetic import Problem, hard
from spectralleader.study.reporting.figures import draw_over_steps, save_figure
from spectralleader.study.reporting.report import Report, write_page
from spectralleader.study.reporting.study import Study
from spectralleader.study.reporting.tables import as_rich, final_table
from spectralleader.study.rows import Contender, Row

LEADER, TRUTH = "SpectralLeader", "true model"
STEP_POWERS = (0.5, 0.7, 0.9)  # which is best depends on the problem: the leader has none to set


def show_problem(console: Console, *, n_steps: int, n_runs: int, seed: int, folder: Path) -> None:
    """Learn, print the tables, write the figure."""
    problem = hard()
    console.print(
        "The paper's hard problem: 3 topics over 3 words, one document of 3 words a step.\n"
        "Each model predicts the next document, is judged by it, then learns from it:\n"
        "L1 is the average negative log-likelihood, L2 the average recovery error.\n"
    )
    rows: list[Row] = []
    learned: list[TopicModel] = []
    with Progress(console=console, transient=True) as progress:
        runs = progress.track(range(seed, seed + n_runs), description="learning")
        for run in runs:
            learners = contenders(problem.truth, run)
            for name, learner in learners.items():
                rows += judged(name, learner, problem, n_steps, run)
            learned.append(learners[LEADER].model.aligned_to(problem.truth))
    shown = study(rows)
    title = f"Average loss over {n_steps} steps, mean ± standard error of {n_runs} runs"
    console.print(parameters(problem.truth, learned[0], n_steps))
    console.print(as_rich(final_table(shown), title))
    console.print(f"Figure: {save_figure(draw_over_steps([shown]), folder / 'demo.png')}")
    console.print(f"Page: {write_page(report(shown), folder / 'index.html')}")
    console.print("The paper's whole study, in half a minute: spectralleader reproduce --quick")


def study(rows: list[Row]) -> Study:
    """Return what the demonstration shows."""
    question = "Does SpectralLeader come close to the true model?"
    return Study("demo", "The hard problem", question, ("L1", "L2"), rows, "section 7.1")


def report(shown: Study) -> Report:
    """Return what the page of the demonstration says."""
    lead = "Each model predicts the next document, is judged by it, then learns from it."
    title = "SpectralLeader: a demonstration"
    return Report(title, lead, [shown], "spectralleader demo", __version__)


def contenders(truth: TopicModel, seed: int) -> dict[str, Learner]:
    """Return the learners to show, by name."""
    learners: dict[str, Learner] = {LEADER: SpectralLeader(3, n_words=3, seed=seed)}
    for power in STEP_POWERS:
        name = f"StepwiseEM, step power {power}"
        learners[name] = StepwiseEM(3, n_words=3, step_power=power, seed=seed)
    return learners | {TRUTH: Fixed(truth)}


def judged(name: str, learner: Learner, problem: Problem, n_steps: int, seed: int) -> list[Row]:
    """Return a row a step: the running averages of L1 and L2."""
    metrics = {"L1": log_loss, "L2": recovery_error(problem.truth)}
    stream = problem.blocks(block_size=1, n_steps=n_steps, seed=seed)
    averages = running_averages(judge(learner, stream, metrics))
    shown = Contender(name, role="reference" if name == TRUTH else "other")
    return [Row(shown, seed, step, values) for step, values in enumerate(averages, start=1)]


def parameters(truth: TopicModel, learned: TopicModel, n_steps: int) -> Table:
    """Return true and learned parameters side by side."""
    table = Table(
        title=f"True | learned by {LEADER} from {n_steps} documents", title_justify="left"
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
