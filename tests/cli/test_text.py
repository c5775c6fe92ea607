import errno
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from spectralleader import TextTopics, Vocabulary, Words, load, save
from spectralleader.cli import app, evaluate, text
from spectralleader.cli.tables import CURVE
from spectralleader.errors import StorageError
from spectralleader.jobs import Source, learn
from spectralleader.jobs.evaluating import DEFAULT_LEARNERS
from spectralleader.topics.text_topics import DEFAULT_LEARNER
from tests.factories import same_state, texts, texts_with_rare_words, without_position, write_csv

COMMANDS = [*text.app.registered_commands, *evaluate.app.registered_commands]

COMMAND = [sys.executable, "-m", "spectralleader"]


def run(*arguments, given=None, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=given,
        capture_output=True,
        text=True,
        timeout=600,  # the first command compiles kernels: minutes on a busy machine
        **options,
    )


@pytest.fixture
def command():
    """Run a command in this process, where everything is imported and compiled."""

    def invoke(*arguments, given=None):
        return CliRunner().invoke(
            app, [str(a) for a in arguments], input=given, catch_exceptions=False
        )

    return invoke


@pytest.fixture
def file(tmp_path):
    return write_csv(tmp_path / "news.csv")


def test_learn_prints_topics_and_saves_what_topics_and_predict_take(command, file, tmp_path):
    saved = tmp_path / "news.model"
    learned = command("learn", file, "-k", 3, "--save", saved)
    assert learned.exit_code == 0
    assert learned.output.count("guessed: text from the column") == 1
    for part in ("300 documents", "nats/document (unigram ", "top words", f"Saved: {saved}"):
        assert part in learned.stdout
    described = command("topics", saved)
    assert described.exit_code == 0
    for part in ("2020-01-01  ", "Trends: shares from", "The single-topic", "The spectrum"):
        assert part in described.stdout
    recent = command("topics", saved, "--recent")
    assert recent.exit_code == 0
    assert "The topics of the last 300 documents only:" in recent.stdout
    predicted = command("predict", saved, file)
    assert predicted.exit_code == 0
    assert predicted.stdout.count("\n") == 301
    header = "file,line,topic,probability,known_words,log_prob,p_value,p1,p2,p3"
    assert predicted.stdout.startswith(header)


def test_numbers_and_weights_are_shown_however_long_words_are(command, tmp_path):
    lines = [f"{'a' * 90}{i % 7} {'b' * 90}{i % 5} {'c' * 90}{i % 3}" for i in range(60)]
    (tmp_path / "long.txt").write_text("\n".join(lines))
    shown = command("learn", tmp_path / "long.txt", "-k", 2).stdout
    assert re.search(r"^1 +0\.\d{3}", shown, re.MULTILINE)


def test_numbers_are_those_of_the_library(command, file):
    options = ("--vocabulary", 15, "--block", 40, "--seed", 2, "--stop-words", "none")
    result = command("learn", file, "-k", 3, *options, "--json")
    told = json.loads(result.stdout)
    source = Source((str(file),), block=40)
    expected = learn(source, n_topics=3, vocabulary=15, stop_words="none", seed=2).summary()
    for summary in (told, expected):
        summary.pop("seconds")
    assert told == expected
    assert told["documents"] == 300
    assert told["vocabulary"] == {"words": 15, "grows": False}


def learned_state(topics):
    """What was learned, without its position and the scores of documents for p-values.

    `learn` scores new words of a growing vocabulary, and `TextTopics.learn` ignores them.
    """
    state = without_position(topics)
    del state["annotations"]["surprise"]
    return state


@pytest.mark.parametrize("vocabulary", ["grow", "5000"])
def test_a_minimum_count_is_that_of_the_library(vocabulary, command, tmp_path):
    file, saved, written = tmp_path / "a.txt", tmp_path / "m", texts_with_rare_words(1500)
    file.write_text("\n".join(written))
    counted, words = None, Words(stop_words="english")
    if vocabulary != "grow":
        counted = Vocabulary.most_frequent(written, 5000, words=words, min_count=3)
    topics = TextTopics(3, vocabulary=counted, min_count=3)
    topics.learn(written)
    options = ("-k", 3, "--vocabulary", vocabulary, "--min-count", 3)
    assert command("learn", file, *options, "--save", saved).exit_code == 0
    assert same_state(learned_state(load(saved)), learned_state(topics))
    n_words = topics.vocabulary.n_words
    assert n_words < json.loads(command("learn", file, "--json").stdout)["vocabulary"]["words"]


def test_a_file_a_pipe_and_texts_in_python_give_one_model(tmp_path):
    file, written = tmp_path / "a.txt", texts_with_rare_words(2000)
    file.write_text("".join(f"{line}\n" for line in written))
    topics = TextTopics()
    topics.learn(written)
    assert topics.vocabulary.n_words > 1000  # later words came at their second occurrence
    for name, given in ((file, None), ("-", file.read_text())):
        saved = tmp_path / f"{given is None}.model"
        assert run("learn", name, "--save", saved, given=given).returncode == 0
        assert same_state(learned_state(load(saved)), learned_state(topics))
        assert np.array_equal(load(saved).model.topics, topics.model.topics)


def test_times_that_cannot_be_read_are_reported_with_an_example(command, tmp_path):
    file, saved = tmp_path / "a.csv", tmp_path / "m"
    rows = "".join(f"{text},{i % 28 + 1:02}/01/2025\n" for i, text in enumerate(texts()[0]))
    file.write_text(f"text,day\n{rows}")
    options = ("learn", file, "-k", 3, "--learner", "stepwise-em", "--save", saved)
    shown = command(*options, "--time", "day").stdout
    assert (
        "problem: 300 rows: missing or unreadable time; the text is used (such as '01/01" in shown
    )
    assert "known are ISO 8601, Unix time" in shown
    assert "as in --time-format %d/%m/%Y" in shown
    assert "warning: no time in the column 'day' can be read: trends count documents" in shown
    with pytest.raises(ValueError, match="time was day, is day as %d/%m/%Y"):
        command(*options, "--time", "day", "--time-format", "%d/%m/%Y")
    shown = command(*options, "--time", "day", "--time-format", "%d/%m/%Y", "--fresh").stdout
    assert "unreadable" not in shown
    assert "warning" not in shown
    assert load(saved).timeline.by_time


def test_a_time_format_is_checked_before_anything_is_read(command, file):
    for given, message in (
        (("--time-format", "%d/%Q"), "'%d/%Q' is not a format of times: 'Q' is a bad directive"),
        (("--time-format", "%d", "--time", ""), "cannot read the times of .* without times: name"),
        (("--time-format", "%d", "--follow"), "the times of live sources have known formats"),
    ):
        with pytest.raises(ValueError, match=message):
            command("learn", file, *given)


def test_new_documents_without_known_words_are_a_warning(command, tmp_path):
    file, saved = tmp_path / "a.txt", tmp_path / "m"
    file.write_text("rain and wind\nlate goal\n" * 50)
    options = ("learn", file, "-k", 2, "--vocabulary", 9, "--save", saved)
    assert "warning" not in command(*options).stdout
    with file.open("a") as end:
        end.write("bonds falling\nlate goal\n" * 50)
    shown = command(*options).stdout
    assert "warning: 50 of 100 new documents have no known word" in shown
    assert "start over with --fresh --vocabulary grow" in shown


def test_a_round_trip_through_files_predicts_as_the_library_does(command, file, tmp_path):
    saved, out = tmp_path / "m", tmp_path / "p.jsonl"
    command("learn", file, "-k", 3, "--save", saved)
    assert command("predict", saved, file, "--to", "jsonl", "--out", out).exit_code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    vocabulary = Vocabulary.most_frequent(texts()[0], 5000)
    topics = TextTopics(3, vocabulary=vocabulary)
    topics.learn(texts()[0])
    assert [row["probabilities"] for row in rows] == topics.posterior(texts()[0]).round(4).tolist()
    assert rows[0]["file"] == str(file)


def test_levels_and_names_go_from_topics_to_predictions_and_trends(command, file, tmp_path):
    saved = tmp_path / "m"
    command("learn", file, "-k", 6, "--save", saved)
    told = command("topics", saved, "--level", 3, "--name", "2=ball games").stdout
    assert "Level 3: merged from 6 topics" in told
    assert "topic 2  ball games" in told
    rows = command("predict", saved, file, "--level", 3).stdout.splitlines()
    assert rows[0].endswith("line,topic,name,probability,known_words,log_prob,p_value,p1,p2,p3")
    assert all(
        (",2,ball games," in row) == (row.split(",")[-8] == "ball games") for row in rows[1:]
    )
    best = command("predict", saved, file, "--best", 2, "--shares").stdout.splitlines()
    assert best[0].endswith("best1,s1,best2,s2")
    command("learn", file, "-k", 6, "--save", saved)  # resumes: there is nothing new
    table = command("trends", saved, "--level", 3).stdout.splitlines()
    assert table[0] == "time,topic,share,error,documents,name"
    assert table[1].startswith("2020-01-01T00:0")
    assert (table[1].split(",")[-1], table[2].split(",")[-1]) == ("", "ball games")
    rows = command("trends", saved, "--level", 3, "--to", "jsonl").stdout.splitlines()
    assert [json.loads(row)["name"] for row in rows[:3]] == [None, "ball games", None]
    found = [
        json.loads(line) for line in command("trends", saved, "--to", "jsonl").stdout.splitlines()
    ]
    assert {row["topic"] for row in found} == {1, 2, 3, 4, 5, 6}
    with pytest.raises(ValueError, match="the form N=NAME"):
        command("topics", saved, "--name", "2")
    assert command("topics", saved, "--level", 3, "--name", "2=").exit_code == 0
    assert "ball games" not in command("topics", saved, "--level", 3).stdout


def test_auto_learns_many_topics_and_shows_as_many_as_prices_suggest(command, tmp_path):
    file, saved = write_csv(tmp_path / "news.csv", 900), tmp_path / "m"
    told = command("learn", file, "-k", "auto", "--save", saved).stdout
    assert "3 topics (suggested), merged from 32" in told
    told = command("topics", saved)
    assert "Level 3 (suggested): merged from 32" in told.stdout
    assert "--level all for all" in told.stdout
    assert json.loads(command("topics", saved, "--level", "all", "--json").stdout)["level"] is None
    told = command("predict", saved, file)
    assert "3 topics (suggested), merged from 32" in told.stderr
    assert told.stdout.splitlines()[0].endswith("p1,p2,p3")
    recent = command("topics", saved, "--recent").stdout
    assert "The topics of the last 900 documents only:\nLevel 3 (suggested): merged from" in recent
    assert ", then refined" not in recent
    assert "Level 5: merged from" in command("topics", saved, "--recent", "--level", 5).stdout
    told = command("predict", saved, file, "--level", "all")
    assert (told.stderr, told.stdout.splitlines()[0][-7:]) == ("", "p31,p32")
    resumed = command("learn", file, "-k", "auto", "--save", saved, "--json")
    assert json.loads(resumed.stdout)["suggested_level"] == 3
    for name in ("topics", "predict", "trends", "page"):
        file_or_out = {"predict": [file], "page": ["--out", tmp_path / "p.html"]}.get(name, [])
        with pytest.raises(ValueError, match=r"a level, .* must be at most 32, got 33"):
            command(name, saved, *file_or_out, "--level", 33)


def test_columns_of_the_input_are_kept_and_every_row_has_a_line(command, file, tmp_path):
    saved, new = tmp_path / "m", tmp_path / "new.csv"
    command("learn", file, "-k", 3, "--save", saved)
    new.write_text('id,text,when\n7,rain and wind,today\n8,,later\n9,"a, goal",\n')
    told = command("predict", saved, new, "--keep", "id,when", "--best", 1)
    lines = told.stdout.splitlines()
    assert lines[0] == "id,when,file,line,topic,probability,known_words,log_prob,p_value,best1,p1"
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["7", "today"],
        ["8", "later"],
        ["9", ""],
    ]
    assert lines[2].split(",")[6:8] == ["0", "0.0"]
    assert "skipped" not in told.stderr


def test_predict_reads_the_columns_that_the_model_learned(command, tmp_path):
    saved, new, old = tmp_path / "m", tmp_path / "new.csv", tmp_path / "old.csv"
    new.write_text("text,title,note\nrain and wind,a goal,the vote\n" * 30)
    command("learn", new, "-k", 2, "--text", "title,text", "--save", saved)
    told = command("predict", saved, new, "--to", "jsonl")
    assert json.loads(told.stdout.splitlines()[0])["known_words"] == 3  # goal, rain, wind
    assert told.stderr == ""
    named = command("predict", saved, new, "--to", "jsonl", "--text", "title")
    assert json.loads(named.stdout.splitlines()[0])["known_words"] == 1
    assert named.stderr == ""
    old.write_text("text,note\nrain and wind,the vote\n")
    guessed = command("predict", saved, old, "--to", "jsonl")
    assert json.loads(guessed.stdout)["known_words"] == 2
    assert guessed.stderr == "guessed: text from the column 'text'\n"


def test_predict_tells_its_guess_if_the_model_does_not_know_its_columns(command, file, tmp_path):
    saved = tmp_path / "m"
    topics = TextTopics(2)
    topics.learn(["rain and wind"] * 3)
    save(topics, saved)
    assert command("predict", saved, file).stderr == "guessed: text from the column 'text'\n"
    piped = run("predict", saved, "-", given="rain\n")
    assert piped.stderr == "guessed: each line is a text\n"


def test_predict_reads_the_tokens_that_the_model_learned(command, tmp_path):
    saved, new = tmp_path / "m", tmp_path / "new.jsonl"
    new.write_text('{"items": ["a", "b"], "tags": ["c"], "text": "a b"}\n' * 20)
    command("learn", new, "-k", 2, "--tokens", "items", "--save", saved)
    told = command("predict", saved, new, "--to", "jsonl")
    assert json.loads(told.stdout.splitlines()[0])["known_words"] == 2
    assert told.stderr == "guessed: items: 2 tokens, first 'a'\n"


def test_no_texts_keeps_none(command, file, tmp_path):
    saved = tmp_path / "m"
    command("learn", file, "-k", 3, "--save", saved, "--no-texts")
    assert "words of a document:" in command("topics", saved).stdout


def test_topics_can_be_read_by_machines(command, file, tmp_path):
    command("learn", file, "-k", 3, "--save", tmp_path / "m")
    told = json.loads(command("topics", tmp_path / "m", "--json", "--words", 4).stdout)
    assert [len(topic["words"]) for topic in told["topics"]] == [4, 4, 4]
    assert len(told["findings"]) == 3
    assert told["diagnosis"]["spectrum"]["above_noise"] >= 3


def test_evaluate_compares_numbers_of_topics_and_draws_them(command, file, tmp_path):
    figure = tmp_path / "numbers.svg"
    result = command("evaluate", file, "-k", "2,3", "--figure", figure)
    assert result.exit_code == 0
    for part in ("coherence", "diversity", "hedged, 2 topics", "hedged, 3 topics"):
        assert part in result.stdout
    assert "coherence, NPMI" in figure.read_text()
    assert "used" not in result.stdout
    assert "such as 5,10,20" in command("evaluate", file, "-k", "2,x").stderr


def test_unused_topics_are_not_listed_but_counted(command, tmp_path):
    file, saved = write_csv(tmp_path / "news.csv", 800), tmp_path / "m"
    learned = command("learn", file, "-k", 20, "--save", saved).stdout
    model = load(saved).model
    used = (np.flatnonzero(model.used) + 1).tolist()
    assert 0 < len(used) < 20
    told = f"{len(used)} of 20 topics are in use: use {len(used)} or fewer (-k {len(used)}, or "
    assert f"{told}--level {len(used)} for this model); if the documents have more " in learned
    assert [int(line.split()[0]) for line in learned.splitlines() if line[:1].isdigit()][
        1:-1
    ] == used
    shown = command("topics", saved).stdout
    assert [int(k) for k in re.findall(r"^topic (\d+)  ", shown, re.MULTILINE)] == used
    assert shown.count(told) == 1
    assert shown.splitlines()[1].startswith(told)  # below the header, before the topics
    described = json.loads(command("topics", saved, "--json").stdout)
    assert described["findings"][0].startswith(told)
    listed = described["topics"]
    assert [topic["topic"] for topic in listed] == list(range(1, 21))
    assert [topic["topic"] for topic in listed if not topic["unused"]] == used
    compared = command("evaluate", file, "-k", "3,20").stdout
    assert re.search(r"hedged, 3 topics .* all *\n", compared)
    assert re.search(r"hedged, 20 topics .* \d+ of 20 *\n", compared)
    assert "Some topics are unused: use fewer, or learn more documents." in compared


def test_documents_without_times_are_numbered_from_1(command, tmp_path):
    file, saved = tmp_path / "news.txt", tmp_path / "m"
    file.write_text("\n".join(texts()[0][:50]) + "\n")
    command("learn", file, "-k", 2, "--save", saved)
    shown = command("topics", saved).stdout
    assert "shares from document 1 to document 50, in 1 interval\n" in shown
    assert not set(CURVE) & set(shown)  # one interval has no curve
    listed = json.loads(command("topics", saved, "--json").stdout)["topics"]
    lines = file.read_text().splitlines()
    shown = [one for topic in listed for one in topic["typical"]]
    assert shown
    assert all(lines[int(one["time"]) - 1] == one["text"] for one in shown)
    rows = command("trends", saved).stdout.splitlines()[1:]
    assert [int(row.split(",")[0]) for row in rows[::2]] == list(range(1, 51))


def test_a_page_is_written(command, file, tmp_path):
    saved, out = tmp_path / "news.model", tmp_path / "topics.html"
    command("learn", file, "-k", 3, "--save", saved)
    assert command("page", saved, "-o", out, "--no-texts").exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert "<h1>Topics of news</h1>" in page
    assert '"documents":[]' in page


def test_a_full_disk_costs_no_page_and_is_named(command, file, tmp_path, monkeypatch):
    saved, out = tmp_path / "news.model", tmp_path / "topics.html"
    command("learn", file, "-k", 3, "--save", saved)
    out.write_text("yesterday's")

    def fail(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("spectralleader.storage.atomic.os.fsync", fail)
        with pytest.raises(StorageError, match=r"topics\.html: No space left on device"):
            command("page", saved, "-o", out)
    assert out.read_text() == "yesterday's"
    assert sorted(one.name for one in tmp_path.iterdir() if "html" in one.name) == ["topics.html"]
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="cannot write to /dev/full: No space left on device"):
            command("predict", saved, file, "--out", "/dev/full")


def test_evaluate_prints_a_table_and_draws(command, file, tmp_path):
    figure = tmp_path / "losses.svg"
    options = ("-k", 3, "--block", 30, "--learners", "spectral, unigram", "--figure", figure)
    result = command("evaluate", file, *options)
    assert result.exit_code == 0
    assert re.search(r"learner +L1 +perplexity +µs/document +accuracy +NMI", result.stdout)
    assert "<svg" in figure.read_text()
    told = json.loads(command("evaluate", file, "-k", 3, "--json").stdout)
    assert {"spectral", "stepwise-em", "unigram"} <= set(told["learners"])


def test_a_pipe_is_learned_with_a_vocabulary_that_grows_under_a_cap(tmp_path):
    lines = [f"{text} rare{i}" for i, text in enumerate(texts()[0])]
    saved, options = tmp_path / "m", ("-k", 3, "--vocabulary", "grow:30", "--json")
    result = run("learn", "-", *options, "--save", saved, given="\n".join(lines))
    assert result.returncode == 0
    told = json.loads(result.stdout)
    assert told["documents"] == 300
    assert told["vocabulary"]["grows"]
    assert 30 <= told["vocabulary"]["words"] <= 37
    assert load(saved).vocabulary.n_words == told["vocabulary"]["words"]
    predicted = run("predict", saved, "-", given="rain and snow\nnothing\n")
    assert predicted.stdout.splitlines()[2].startswith("-,2,")


def test_a_first_pass_over_a_pipe_is_refused_in_one_line(file):
    result = run("learn", "-", "--vocabulary", "500", given=file.read_text())
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith(
        "spectralleader: standard input can only be read once"
    )


def test_problems_of_the_input_are_told_with_their_lines(command, tmp_path):
    rows = "".join(f'{i},"{text}"\n' for i, text in enumerate(texts(50)[0]))
    broken = tmp_path / "broken.csv"
    broken.write_bytes(b"id,text\n" + rows.encode() + b"50,\n51,\xff\xfe\n52,a,b,c\n")
    result = command("learn", broken, "-k", 3)
    assert result.exit_code == 0
    assert f"problem: 1 row: no text ({broken} line 52)" in result.stdout
    assert f"({broken} line 53)" in result.stdout
    told = json.loads(command("learn", broken, "-k", 3, "--json").stdout)
    assert sum(problem["rows"] for problem in told["problems"].values()) == 3
    strict = run("learn", broken, "--strict")
    assert strict.returncode == 2
    assert strict.stderr.splitlines()[-1].startswith(f"spectralleader: {broken} line 5")


ODD_LINES = [
    b"rain\0wind",
    b"\xff\xfe storm",
    "שלום עולם".encode(),
    "☔ rain 💨".encode(),
    b"the of",
]


def test_a_file_without_a_header_is_told_and_read_if_asked(command, tmp_path):
    file, saved, out = tmp_path / "a.csv", tmp_path / "m", tmp_path / "out.csv"
    rows = texts(60)[0]
    file.write_text("".join(f"{text}\n" for text in rows))
    learned = command("learn", file, "-k", 2, "--save", saved)
    assert "60 documents" not in learned.stdout
    assert f"guessed: text from the column {rows[0]!r}" in learned.stderr
    learned = command("learn", file, "-k", 2, "--save", saved, "--no-header", "--fresh")
    assert learned.stdout.startswith("60 documents")
    assert "problem" not in learned.stdout
    command("predict", saved, file, "--out", out, "--no-header")
    assert len(out.read_text().splitlines()) == 61
    for arguments, message in (
        (("learn", file, "-k", 2, "--save", saved), "learned with other settings: text was 1, is"),
        (("learn", file, "--follow", "--no-header"), "omit --no-header"),
        (("learn", file, "--engine", "dask", "--no-header"), "--no-header is not supported"),
    ):
        refused = run(*arguments)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_odd_bytes_in_a_pipe_are_learned_or_told():
    # A NUL byte in the first 8 KiB would mean binary data.
    given = b"\n".join(
        [*(text.encode() for text in texts(50)[0]), b"rain " * 10_000_000, *ODD_LINES]
    )
    result = subprocess.run(
        [*COMMAND, "learn", "-", "-k", "2", "--json"], input=given, capture_output=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["documents"] == 55
    assert sum(problem["rows"] for problem in told["problems"].values()) == 1


def test_odd_bytes_in_a_file_are_learned_or_told(command, tmp_path):
    file = tmp_path / "odd.txt"
    file.write_bytes(b"\n".join(ODD_LINES))
    refused = run("learn", file)
    assert refused.returncode == 2
    assert "is binary data, not text: it has NUL bytes" in refused.stderr
    file.write_bytes(b"\n".join(reversed(ODD_LINES[1:])))
    told = json.loads(command("learn", file, "-k", 2, "--json").stdout)
    assert told["documents"] == 3
    assert sum(problem["rows"] for problem in told["problems"].values()) == 1


def test_files_of_other_formats_and_columns_are_read(command, tmp_path):
    one, two = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"
    written = [
        json.dumps({"head": text, "rest": "rain", "when": i}) for i, text in enumerate(texts()[0])
    ]
    one.write_bytes(gzip.compress("\n".join(written[:200]).encode()))
    two.write_text("\n".join(written[200:]))
    result = command("learn", one, two, "--text", "head,rest", "-k", 3, "--json")
    assert json.loads(result.stdout)["documents"] == 300
    missing = run("learn", one, "--text", "body")
    assert missing.returncode == 2
    assert "has no column 'body'; its columns are 'head', 'rest', 'when'" in missing.stderr


def test_learning_nothing_useful_is_exit_code_1(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1 2 3\n4 5\n")
    result = run("learn", file, "--vocabulary", "grow", "--save", tmp_path / "m")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "spectralleader: no document had a known word"
    assert run("topics", tmp_path / "m").returncode == 1


MISUSES = {
    "Missing argument 'FILE'": ["learn"],
    "nothing.csv does not exist": ["learn", "nothing.csv"],
    "No such option: --nope": ["learn", "-", "--nope"],
    "Invalid value for '--topics' / '-k': it takes a number of at least 1, or auto; got '0'": [
        *("learn", "-", "-k", "0")
    ],
    "Invalid value for '--level': it takes a number of at least 1, or auto or all; got 'many'": [
        *("topics", "a.model", "--level", "many")
    ],
    "-k': it takes a number of at least 1, or several such as 5,10,20; got ''": [
        *("evaluate", "-", "-k", "5,")
    ],
    "Invalid value for '--format'": ["learn", "-", "--format", "xml"],
    "--checkpoint-every and --fresh require --save MODEL": ["learn", "-", "--fresh"],
    "does not exist": ["learn", "-", "--save", "no/folder/m"],
    "No such command 'nope'": ["nope"],
    "nothing.model does not exist": ["topics", "nothing.model"],
    "a figure must be .png or .svg": ["evaluate", "-", "--figure", "losses.txt"],
}


@pytest.mark.parametrize("message", MISUSES)
def test_misuse_is_one_line_at_once_and_exit_code_2(message, tmp_path):
    result = run(*MISUSES[message], given="", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("spectralleader: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


HEAVY = ("numpy", "numba", "scipy", "polars", "matplotlib")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["learn", "--help"], ["evaluate", "--help"], ["learn", "nothing.csv"], ["topics"]],
    ids=" ".join,
)
def test_help_and_misuse_need_no_heavy_import(arguments):
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "spectralleader", *arguments],
        capture_output=True,
        text=True,
    )
    imported = {line.rsplit("|", 1)[-1].strip() for line in result.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & set(HEAVY)


def test_every_command_for_text_has_an_example_that_names_it():
    for one in COMMANDS:
        assert one.callback is not None
        assert f"spectralleader {one.callback.__name__}" in str(one.epilog)


def test_the_help_names_the_learners_that_are_used_if_none_is(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    for name in ("learn", "serve"):
        assert f"[default: {DEFAULT_LEARNER}]" in command(name, "--help").stdout
    assert f"(default: {','.join(DEFAULT_LEARNERS)})" in command("evaluate", "--help").stdout


def test_the_examples_of_the_help_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("tweets.csv", "new.csv", "news.csv"):
        write_csv(tmp_path / name, 120)
    for day in ("monday", "tuesday"):
        learn("news.csv", learner="unigram", save=f"{day}.model")
    tried = 0
    for one in COMMANDS:
        for example in re.findall(r"\[bold\](.*?)\[/bold\]", str(one.epilog)):
            if "|" not in example:
                result = command(*example.split()[1:])
                assert result.exit_code == 0, (example, result.output)
                tried += 1
    assert tried >= 5
    assert (tmp_path / "topics.csv").read_text().count("\n") == 121


def test_the_examples_with_pipes_work(tmp_path):
    lines = "\n".join(texts()[0])
    options = ("--save", tmp_path / "log.model", "--vocabulary", "grow:20000")
    assert run("learn", "-", *options, given=lines).returncode == 0
    live = run("predict", tmp_path / "log.model", "-", "--block", 1, "--to", "jsonl", given=lines)
    assert live.stdout.count("\n") == 300


def test_a_closed_pipe_is_no_error(file, tmp_path):
    saved = tmp_path / "m"
    many = tmp_path / "many.txt"
    many.write_text("\n".join(texts(3000)[0]))
    assert run("learn", file, "--save", saved).returncode == 0
    reader = subprocess.Popen(
        [*COMMAND, "predict", str(saved), str(many), "--block", "10"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout.readline().startswith("file,line")
    reader.stdout.close()
    assert (reader.wait(60), reader.stderr.read()) == (0, "guessed: each line is a text\n")
    reader.stderr.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_slow_pipe_that_is_stopped_is_saved(number, code, tmp_path):
    saved = tmp_path / "m"
    options = ["learn", "-", "-k", "3", "--block", "10", "--save", str(saved), "--json"]
    slow = subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # ignored in the background
    )
    slow.stdin.write("\n".join(texts(95)[0]) + "\n")
    slow.stdin.flush()
    assert slow.stderr.readline() == "guessed: each line is a text\n"
    time.sleep(3.0)  # learns what there is, and waits for more
    slow.send_signal(number)
    out, err = slow.communicate(timeout=60)
    assert slow.returncode == code
    told = json.loads(out)
    assert told["stopped"]
    n = told["documents"]
    assert n in range(0, 91, 10)  # 90, unless the machine is busy
    assert load(saved).n_docs == n
    assert err.splitlines()[-1] == f"Stopped after {n} documents; saved to {saved}."


def test_learning_goes_on_where_it_ended_and_says_so(command, file, tmp_path):
    saved = tmp_path / "m"
    options = ("-k", 3, "--learner", "stepwise-em", "--save", saved)
    assert f"Saved: {saved}, 300 documents" in command("learn", file, *options).stdout
    with file.open("a") as end:
        end.writelines(f"2020-02-01,{text},x\n" for text in texts(50, seed=1)[0])
    grown = command("learn", file, *options, "--checkpoint-every", "60s")
    assert "resumed after 300 documents; 50 new" in grown.stdout
    assert "resuming after 300 documents" in grown.stderr
    assert f"Saved: {saved}, 350 documents" in grown.stdout
    assert json.loads(command("topics", saved, "--json").stdout)["documents"] == 350
    with pytest.raises(ValueError, match="topics was 3, is 5; use the same"):
        command("learn", file, "--learner", "stepwise-em", "--save", saved)
    anew = command("learn", file, "--learner", "stepwise-em", "--save", saved, "--fresh")
    assert f"Backup of the previous model: {saved}.bak" in anew.stdout
    assert load(f"{saved}.bak").n_docs == 350


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_disk_without_room_is_one_line_and_exit_code_1(file, tmp_path):
    import resource

    saved = tmp_path / "m"
    learn(Source((str(file),)), n_topics=3, save=saved)
    before = saved.read_bytes()
    with file.open("a") as end:
        end.write("2020-02-01,rain and wind,x\n")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**12, 2**12))

    done = run("learn", file, "-k", 3, "--save", saved, preexec_fn=limit)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"spectralleader: cannot save to {saved}: File too large; the last good checkpoint has "
        "300 documents"
    )
    assert saved.read_bytes() == before


def test_what_is_read_is_never_overwritten(file, tmp_path):
    saved, before = tmp_path / "my.model", file.read_bytes()
    learn(file, save=saved)
    link, drawn = tmp_path / "link.html", tmp_path / "texts.svg"
    link.symlink_to(saved)
    drawn.write_bytes(before)
    for arguments in (
        ("learn", file, "--save", file),
        ("predict", saved, file, "--out", file),
        ("predict", saved, file, "--out", saved),
        ("trends", saved, "--out", saved),
        ("page", saved, "-o", saved),
        ("page", saved, "-o", link),
        ("evaluate", drawn, "--format", "csv", "--figure", drawn),
        ("learn", file, "--engine", "dask", "--save", file, "--fresh"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert "would be overwritten" in done.stderr
    assert file.read_bytes() == drawn.read_bytes() == before
    assert load(saved).n_docs > 0
    assert run("predict", saved, file, "--out", "/dev/null").returncode == 0


def test_a_model_that_is_no_file_is_named_for_what_it_is(file, tmp_path):
    for path, what in (
        (tmp_path, "is a folder, not a model file"),
        ("/dev/null", "is a device or a pipe, not a model file"),
        (tmp_path / "none", "does not exist"),
    ):
        for arguments in (
            ("topics", path),
            ("predict", path, file),
            ("merge", path, file, "-o", "x"),
            ("serve", path, "--read-only"),
        ):
            done = run(*arguments)
            assert done.returncode == 2
            assert f"{path} {what}" in done.stderr


def test_a_terminal_that_lacks_characters_shows_them_escaped(tmp_path):
    path = tmp_path / "cz.csv"
    path.write_text("text\nčeská řeka voda\nčeská zima sníh\n", encoding="utf-8")
    done = run("learn", path, encoding="latin-1", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0, done.stderr
    assert "\\u010desk" in done.stdout


def test_a_closed_output_is_no_error(file, tmp_path):
    saved = tmp_path / "my.model"
    learn(file, save=saved)
    shell = f'"{sys.executable}" -m spectralleader predict "{saved}" "{file}" >&-'
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_texts_without_words_are_nothing_useful_for_any_vocabulary(tmp_path):
    file = tmp_path / "stop.txt"
    file.write_text("the of and\nto a in\n")
    for vocabulary in ("10", "grow"):
        found = run("learn", file, "--vocabulary", vocabulary)
        assert found.returncode == 1
        assert len(found.stderr.splitlines()[-1]) > 10


def test_an_error_late_in_the_stream_saves_what_was_learned_before(tmp_path):
    good, empty, saved = write_csv(tmp_path / "good.csv"), tmp_path / "empty.csv", tmp_path / "m"
    empty.write_text("")
    found = run("learn", good, empty, "--vocabulary", "grow", "--save", saved)
    assert found.returncode == 2
    last = found.stderr.splitlines()[-1]
    assert "documents before it were learned and saved to" in last
    assert load(saved).n_docs == 300
