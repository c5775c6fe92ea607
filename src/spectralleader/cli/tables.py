"""Output: a console for a terminal of any width, or for a file or pipe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spectralleader.jobs import Description, Evaluation, LearnResult, MergeResult
from spectralleader.jobs.evaluating import METRICS, Contender
from spectralleader.jobs.learning import LearnedTopics
from spectralleader.reading.findings import (
    Level,
    Readable,
    describe_collapse,
    describe_history,
    truncate,
)
from spectralleader.reading.levels import ALL
from spectralleader.reading.snapshot import Snapshot
from spectralleader.reading.trends import Trends, find_curves, name_date
from spectralleader.sources.reader import Reader
from spectralleader.topics.text_topics import TextTopics

PIPE_WIDTH = 120  # width of the output without a terminal
HANGING = "    "  # indentation of the further lines of a text


class PlainConsole(Console):
    """A console for a file or a pipe: lines have no trailing spaces."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print like `Console`, without the spaces that fill up the cells of tables."""
        with self.capture() as printed:
            super().print(*objects, **options)
        self.file.write(re.sub(r" +$", "", printed.get(), flags=re.MULTILINE))
        self.file.flush()


def make_output() -> Console:
    """Return a console for standard output."""
    console = Console(highlight=False)
    return console if console.is_terminal else PlainConsole(highlight=False, width=PIPE_WIDTH)


def say(out: Console, line: str) -> None:
    """Print a line; on a terminal, break it between words."""
    out.print(line, soft_wrap=not out.is_terminal, markup=False)


def say_whole(out: Console, line: str) -> None:
    """Print a line that contains something to copy, without breaking it."""
    out.print(line, soft_wrap=True, markup=False)


def say_hanging(out: Console, text: Text) -> None:
    """Print a text; if it is longer than a line, indent its further lines."""
    first, *others = text.wrap(out, max(20, out.width - len(HANGING)))
    for line in (first, *(Text(HANGING) + other for other in others)):
        line.rstrip()
        out.print(line, soft_wrap=True)


BAR = 20  # length of the bar of a weight of 1, in characters
N_WORDS = 10
SPARK, SMALL_SPARK = 24, 12  # length of a sparkline, and of one in a table
NARROW = 60  # narrower terminals show no bars
COLOUR = "blue"  # of bars, curves and names
CURVE = "▁▂▃▄▅▆▇█"


def count_of(n: int, noun: str) -> str:
    """Return a number with a noun in singular or plural."""
    return f"{n:,} {noun}" + ("" if n == 1 else "es" if noun.endswith("ch") else "s")


def topic_table(
    topics: TextTopics | Snapshot,
    width: int,
    *,
    curves: Sequence[Sequence[float]] | None = None,
) -> Table:
    """Return a table of topics with weights, sparklines and top words, fitted to a width.

    Unused topics are omitted; the others keep their numbers.

    In a narrow terminal words are truncated and bars omitted, but numbers are complete.
    """
    topics = topics if isinstance(topics, Snapshot) else topics.at(ALL)
    weights, shown, names = topics.model.weights.tolist(), topics.top_words(N_WORDS), topics.names
    longest = round(BAR * max(weights)) if width >= NARROW else 0
    widths = [len("topic"), len("weight"), longest, SMALL_SPARK if curves else 0]
    table = Table(box=None, pad_edge=False)
    for header, size in zip(("topic", "weight", "", ""), widths, strict=True):
        if size:
            table.add_column(header, min_width=size, max_width=size, no_wrap=True)
    table.columns[1].justify = "right"
    # Words get what is left of the line: numbers are never cut.
    left = max(10, width - sum(widths) - 2 * len(table.columns))
    table.add_column("top words", max_width=left, no_wrap=True, overflow="ellipsis")
    for k in np.flatnonzero(topics.model.used).tolist():
        weight, top = weights[k], shown[k]
        cells = [str(k + 1), f"{weight:.3f}"]
        bar = Text("█" * round(BAR * weight), style=COLOUR)
        curve = Text(sparkline(curves[k], SMALL_SPARK) if curves else "", style=COLOUR)
        words = Text(list_words(top))
        if names[k]:
            words = Text(f"{names[k]}  ", style="bold") + words
        table.add_row(*cells, *([bar] if longest else []), *([curve] if curves else []), words)
    return table


def show_table(
    out: Console, shown: Snapshot, curves: Sequence[Sequence[float]] | None = None
) -> None:
    """Print the table of topics, and the number of those in use if not all are."""
    out.print(topic_table(shown, out.width, curves=curves))
    for line in describe_collapse(Readable.of(shown)):
        out.print()
        say(out, line)


def list_words(words: list[str]) -> str:
    """Return words in one line, long ones truncated; tokens with spaces are separated by dots."""
    return (" · " if any(" " in word for word in words) else " ").join(map(truncate, words))


def show_learned(result: LearnedTopics) -> None:
    """Print the result of learning, in a pass or on an engine."""
    out, topics, vocabulary = make_output(), result.topics, result.topics.vocabulary
    on = "" if result.engine is None else f" on {result.engine}"
    n_docs = count_of(topics.n_docs, "document")
    say(out, f"{n_docs} in {result.seconds:.1f} s{on} ({result.rate:,.0f}/s)")
    if isinstance(result, LearnResult) and result.n_before:
        before = count_of(result.n_before, "document")
        say(out, f"resumed after {before}; {topics.n_docs - result.n_before:,} new")
    grows = "growing vocabulary" if vocabulary.grows else "vocabulary"
    n_words = count_of(vocabulary.n_words, "word")
    say(out, f"{grows} of {n_words}; {topics.n_empty:,} documents without known words")
    if isinstance(result, LearnResult):
        _show_pass(out, result)
    if result.is_useful:
        out.print()
        _show_topics(out, result)
    if result.saved is not None:
        out.print()
        say_saved(out, result.saved, topics.n_docs)
    if result.backup is not None:
        say_whole(out, f"Backup of the previous model: {result.backup}")


def _show_pass(out: Console, result: LearnResult) -> None:
    """Print how well the pass predicted, what it says of its input, and what happened."""
    topics, time = result.topics, result.reader.columns.time
    if result.n_unknown is not None:
        n_new = topics.n_docs - result.n_before
        say(
            out,
            f"warning: {result.n_unknown:,} of {n_new:,} new documents have no known word, so new "
            "subjects do not appear: the vocabulary is that of the first run; to let it grow, "
            "start over with --fresh --vocabulary grow",
        )
    say(out, say_loss(result))
    _show_input(out, result.reader)
    if time is not None and not topics.timeline.by_time and topics.n_docs:
        say(
            out,
            f"warning: no time in the column {time!r} can be read: trends count documents instead, "
            "and do not show dates",
        )
    for line in describe_history(topics.read(), topics.at().groups):
        say(out, line)


def say_saved(out: Console, path: Path | str, n_docs: int) -> None:
    """Print where a model was saved, and how to show it."""
    saved = f"{path}, {count_of(n_docs, 'document')}"
    say_whole(out, f"Saved: {saved}  (show it: spectralleader topics {path})")


def _show_topics(out: Console, result: LearnedTopics) -> None:
    """Print the topics with their trends, at the default level."""
    shown, curves = result.topics.at(), find_curves(result.topics.trends())
    # A single interval has no trend.
    show_table(out, shown, curves if len(curves[0]) > 1 else None)
    if result.topics.annotations.is_auto:
        out.print()
        model = result.saved or "MODEL"
        say_whole(out, f"{say_default(result.topics)}: spectralleader topics {model} --level N|all")


def say_default(topics: TextTopics) -> str:
    """Return a sentence about the default level of `-k auto`, to be followed by the way out."""
    n, n_fine = topics.level(), topics.learner.n_topics
    return f"{n} topics (suggested), merged from {n_fine}; to see more, fewer or all"


def show_merged(result: MergeResult) -> None:
    """Print the sizes of the parts and of the merged model, and its topics."""
    out = make_output()
    table = Table("model", "documents", "words", "remembered", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for part in (*result.parts, result.whole):
        numbers = (part.documents, part.words, part.remembered)
        # A learner without a sample remembers nothing, which is not the number 0.
        cells = ["-" if n is None else f"{n:,}" for n in numbers]
        table.add_row(Text(part.file), *cells, style="bold" if part is result.whole else None)
    out.print(table)
    out.print()
    show_table(out, result.topics.at())
    out.print()
    say_saved(out, result.whole.file, result.whole.documents)


def say_loss(result: LearnResult) -> str:
    """Return the prequential loss, beside that of the unigram baseline."""
    losses, unigram = result.losses, result.unigram_losses
    if losses is None:
        return "L1 unknown: the learner is offline and cannot be evaluated while it learns"
    if losses.mean_loss is None or unigram.mean_loss is None:
        return "L1 unknown: all documents were in the first block, which cannot be predicted"
    return (
        f"L1 {losses.mean_loss:.3f} nats/document (unigram {unigram.mean_loss:.3f}); "
        f"perplexity {losses.perplexity:.1f} (unigram {unigram.perplexity:.1f})"
    )


def show_description(found: Description) -> None:
    """Print topics with typical documents, and the diagnosis."""
    out, shown = make_output(), found.shown
    n_docs, n_words = (
        count_of(shown.n_docs, "document"),
        count_of(shown.vocabulary.n_words, "word"),
    )
    over = f"{len(found.topics)} topics over {n_words}"
    say(out, f"{found.reading.learner}: {n_docs}, {shown.n_empty:,} without known words; {over}")
    # Before the topics, which it is about: below twenty topics nobody would see it.
    for line in (collapse := describe_collapse(found.readable)):
        say(out, line)
    if found.n_recent is not None:
        say(out, f"The topics of the last {count_of(found.n_recent, 'document')} only:")
    if found.level is not None:
        say(out, say_level(found.level, refined=found.n_recent is None))
    if found.trends is not None:
        say(out, say_intervals(found.trends))
    curves = None if found.trends is None else find_curves(found.trends)
    for k, topic in enumerate(found.topics):
        if not topic["unused"]:
            out.print()
            _show_topic(out, topic, None if curves is None else curves[k])
    findings = Table.grid(padding=(0, 1))
    for finding in (*found.findings()[len(collapse) :], *found.history):
        findings.add_row("-", Text(finding))
    out.print()
    out.print(findings)


def _show_topic(out: Console, topic: dict[str, Any], curve: Sequence[float] | None) -> None:
    """Print a topic with its trend, top words and typical documents."""
    words = list_words([word["word"] for word in topic["words"]])
    line = Text(f"topic {topic['topic']}  ", style="bold")
    if topic["name"]:
        line.append(f"{topic['name']}  ", style=f"bold {COLOUR}")
    line.append(f"{topic['weight']:.3f}  ")
    if curve is not None and len(curve) > 1:
        line.append(f"{sparkline(curve)}  ", style=f"not bold {COLOUR}")
    say_hanging(out, line.append(words))
    for document in topic["typical"]:
        # Without texts in MODEL, the known words of a document are all that is left of it.
        shown = f"  words of a document: {document}"
        if isinstance(document, dict):
            shown = f"  {document['time'][:10]}  {document['text']}"
        out.print(Text(shown, style="dim"), no_wrap=True, overflow="ellipsis")


def say_level(level: Level, *, refined: bool) -> str:
    """Return a sentence about a level of the merge tree."""
    suggested = " (suggested)" if level.is_default else ""
    then = ", then refined" if refined else ""
    return (
        f"Level {level.n_topics}{suggested}: merged from {level.n_fine} topics, which loses "
        f"{level.price:.3f} nats per word{then}. Use --level N for more or fewer topics, "
        "--level all for all."
    )


def say_intervals(trends: Trends) -> str:
    """Return a line about the time span of the sparklines, and their intervals."""
    first, last = (name_date(end, trends.width, by_time=trends.by_time) for end in trends.span)
    n = len(find_curves(trends)[0])
    return f"Trends: shares from {first} to {last}, in {count_of(n, 'interval')}"


def sparkline(values: Sequence[float], width: int = SPARK) -> str:
    """Return a sparkline of values, scaled from 0 to their maximum, of at most `width` characters.

    Examples
    --------
    >>> sparkline([0.0, 0.1, 0.4, 0.8])
    '▁▂▅█'
    """
    parts = np.array_split(np.asarray(values, float), min(width, len(values)) or 1)
    means = [float(part.mean()) if len(part) else 0.0 for part in parts]
    # From 0: scaled from the minimum, noise in a steady share would look like a trend.
    top = max(max(means), 1e-12)
    return "".join(CURVE[min(7, int(8 * value / top))] for value in means)


ALWAYS = tuple(METRICS)[:3]  # what every learner has, once it has predicted


def contender_table(result: Evaluation) -> Table:
    """Return a table of the learners' metrics; the lowest L1 is bold."""
    summaries = {name: contender.summary() for name, contender in result.contenders.items()}
    # Without labels, or held-out documents, there is nothing to fill the other columns with.
    known = {metric for s in summaries.values() for metric in s if s[metric] is not None}
    shown = [metric for metric in METRICS if metric in known.union(ALWAYS)]
    has_unused = any(s["unused_topics"] for s in summaries.values())
    header = ["learner", *(METRICS[metric].heading for metric in shown)] + ["used"] * has_unused
    table = Table(*header, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    least = min((s["L1"] for s in summaries.values() if s["L1"] is not None), default=None)
    for name, s in summaries.items():
        cells = [_cell(s[metric], METRICS[metric].digits) for metric in shown]
        cells += [_used_cell(result.contenders[name])] * has_unused
        # Only the loss is marked: it is what the learners are compared by.
        is_best = least is not None and s["L1"] == least
        table.add_row(name, *cells, style="bold" if is_best else None)
    return table


def _used_cell(contender: Contender) -> str:
    """Return how many of a learner's topics are in use."""
    n = contender.learner.n_topics
    return f"{n - contender.n_unused} of {n}" if contender.n_unused else "all"


def show_evaluation(result: Evaluation) -> None:
    """Print the comparison of learners."""
    out = make_output()
    say(
        out,
        f"{count_of(result.n_docs, 'document')}, {result.n_empty:,} without known words, in "
        f"{count_of(result.n_steps, 'step')}; {result.vectoriser.vocabulary.n_words:,} words",
    )
    _show_input(out, result.reader)
    out.print()
    out.print(contender_table(result))
    if any(one.n_unused for one in result.contenders.values()):
        out.print()
        also = "" if result.held_out is None else " Coherence and diversity include their words."
        say(out, f"Some topics are unused: use fewer, or learn more documents.{also}")


def _show_input(out: Console, reader: Reader) -> None:
    """Print the guessed columns, unless the log already shows them, and the problems."""
    if Console(stderr=True).is_terminal:  # the live display, which showed them, is gone
        for guess in reader.guesses:
            say(out, f"guessed: {guess}")
    for problem in reader.problems.summary():
        say(out, f"problem: {problem}")


def _cell(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
