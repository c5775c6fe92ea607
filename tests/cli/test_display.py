import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

from spectralleader import TextTopics
from spectralleader.cli import display
from spectralleader.cli.display import Log, Picture
from spectralleader.cli.tables import topic_table
from spectralleader.jobs import Source, evaluate, learn
from tests.factories import texts, write_csv


@pytest.fixture
def source(tmp_path):
    return Source((str(write_csv(tmp_path / "news.csv")),), block=30)


@pytest.fixture
def terminal():
    """A terminal that keeps what is written to it."""
    return Console(file=io.StringIO(), force_terminal=True, width=110, height=40)


def test_a_terminal_shows_topics_as_they_move(source, terminal, monkeypatch):
    monkeypatch.setattr(display, "EVERY", 0.0)
    monkeypatch.setattr(display, "SHARE", 1e9)
    with Live(console=terminal, auto_refresh=False) as live:
        learn(source, n_topics=3, vocabulary=24, progress=Picture(live))
    shown = terminal.file.getvalue()
    for part in ("counting words", "300 documents counted", "30 documents,", "top words", "rain"):
        assert part in shown
    assert shown.count("/s, L1 ") >= 9  # every step but the first


@pytest.mark.parametrize("live", [True, False], ids=["terminal", "lines"])
def test_going_on_is_shown_with_what_is_saved(
    live, source, terminal, monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr(display, "EVERY", 0.0)
    monkeypatch.setattr(display, "LOG_EVERY", 0.0)
    options = {"learner": "stepwise-em", "save": tmp_path / "m", "checkpoint_every": 60}
    learn(source, **options)
    end = "".join(Path(source.files[0]).read_text().splitlines(keepends=True)[1:61])
    with Path(source.files[0]).open("a") as file:
        file.write(end)
    if live:
        with Live(console=terminal, auto_refresh=False) as shown:
            learn(source, **options, progress=Picture(shown))
        told = terminal.file.getvalue()
    else:
        learn(source, **options, progress=Log())
        told = capsys.readouterr().err
    for part in ("resuming after 300", "300 documents read again", "saved 300", "saved 360"):
        assert part in told


def test_a_terminal_shows_learners_side_by_side(source, terminal, monkeypatch):
    monkeypatch.setattr(display, "EVERY", 0.0)
    with Live(console=terminal, auto_refresh=False) as live:
        evaluate(source, learners=["unigram"], progress=Picture(live))
    assert "perplexity" in terminal.file.getvalue()


def test_pictures_take_a_small_share_of_the_time(source, terminal, monkeypatch):
    clock = iter(range(1000))  # every look at the clock takes a second
    monkeypatch.setattr(display, "perf_counter", lambda: float(next(clock)))
    monkeypatch.setattr(display, "LOG_EVERY", 1e9)
    with Live(console=terminal, auto_refresh=False) as live:
        picture = Picture(live)
        learn(source, n_topics=3, vocabulary="grow", progress=picture)
    assert terminal.file.getvalue().count("top words") == 2  # one picture, and again at the end
    assert picture.due > 25


def test_it_is_said_once_that_kernels_are_compiled(terminal, capsys):
    with Live(console=terminal, auto_refresh=False) as live:
        Picture(live).compiling(True)
    log = Log()
    for is_compiling in (True, True, False, True):
        log.compiling(is_compiling)
    line = "compiling kernels for this machine, once: takes some 10 seconds"
    assert line in terminal.file.getvalue()
    assert capsys.readouterr().err == line + "\n"


def test_without_a_terminal_there_is_a_line_now_and_then(source, monkeypatch, capsys):
    monkeypatch.setattr(display, "LOG_EVERY", 0.0)
    for vocabulary in (20, None):
        learn(source, n_topics=3, vocabulary=vocabulary, progress=Log())
        lines = capsys.readouterr().err.splitlines()
        assert ("300 documents counted" in lines) == (vocabulary == 20)
        assert lines[-1].startswith("300 documents, ")
    evaluate(source, learners=["unigram"], progress=Log())
    assert capsys.readouterr().err.splitlines()[-1].startswith("300 documents, L1: unigram ")
    monkeypatch.setattr(display, "LOG_EVERY", 1e9)
    learn(source, n_topics=3, progress=Log())
    assert "documents," not in capsys.readouterr().err


@pytest.mark.parametrize("width", [40, 80, 200])
def test_numbers_are_whole_in_a_terminal_of_any_width(width):
    topics = TextTopics(12, learner="stepwise-em")
    topics.learn(texts(300)[0])
    topics.name(3, "a name")
    console = Console(file=io.StringIO(), width=width)
    console.print(topic_table(topics, width, curves=[[0.1, 0.2]] * 12))
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 13
    assert all(len(line) <= width for line in lines)
    weights = topics.model.weights
    for k, line in enumerate(lines[1:]):
        assert line.split()[:2] == [str(k + 1), f"{weights[k]:.3f}"]
        assert "▅█" in line
    assert "a name" in lines[4]


def test_many_pictures_are_thinned_out(source, terminal, monkeypatch):
    monkeypatch.setattr(display, "EVERY", 0.0)
    monkeypatch.setattr(display, "SHARE", 1e9)
    monkeypatch.setattr(display, "MOST_SHARES", 4)
    with Live(console=terminal, auto_refresh=False) as live:
        picture = Picture(live)
        learn(source, n_topics=3, progress=picture)
    assert 1 < len(picture._shares.values) <= 4
