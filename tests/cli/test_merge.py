import json

import pytest
from typer.testing import CliRunner

from spectralleader import TextTopics, TopicModel, load, save
from spectralleader.cli import app
from spectralleader.cli.text import app as commands
from tests.factories import texts


@pytest.fixture
def models(tmp_path):
    written = texts(400)[0]
    made = []
    for i in range(2):
        topics = TextTopics(3, learner="spectral")
        topics.learn(written[i::2])
        made.append(save(topics, tmp_path / f"{i}.model"))
    return made


def command(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_merge_prints_a_table_and_saves_plain_text_topics(models, tmp_path):
    out = tmp_path / "both.model"
    result = command("merge", *models, "-o", out)
    assert result.exit_code == 0
    merged, parts = load(out), [load(name) for name in models]
    assert type(merged) is TextTopics
    rows = {row[0]: row[1:] for line in result.stdout.splitlines() if (row := line.split())}
    for name, one in zip([*models, out], [*parts, merged], strict=True):
        expected = [one.n_docs, one.vocabulary.n_words, len(one.learner.sample)]
        assert rows[str(name)] == [f"{n:,}" for n in expected]
    assert merged.n_docs == 400
    assert "top words" in result.stdout
    assert command("topics", out).exit_code == 0


def test_merge_as_json(models, tmp_path):
    result = command("merge", *models, "-o", tmp_path / "both.model", "--json")
    summary = json.loads(result.stdout)
    assert summary["merged"]["documents"] == sum(part["documents"] for part in summary["parts"])
    assert len(summary["topics"]) == 3


def test_different_settings_are_refused_in_one_line_that_says_what_differs(models, tmp_path):
    other = save(TextTopics(4, learner="spectral"), tmp_path / "other.model")
    result = command("merge", *models, other, "-o", tmp_path / "all.model")
    message = f"cannot merge: n_topics is 3 in {models[0]} and 4 in {other}"
    assert str(result.exception) == message
    assert not (tmp_path / "all.model").exists()


def test_only_an_earlier_outcome_is_overwritten(models, tmp_path):
    out, data, learned = tmp_path / "both.model", tmp_path / "news.csv", tmp_path / "one.model"
    assert [command("merge", *models, "-o", out).exit_code for _ in range(2)] == [0, 0]
    data.write_text("text\n" + "rain and wind\n" * 9)
    result = command("merge", *models, "-o", data)
    assert str(result.exception) == f"{data} was not saved by spectralleader"
    assert command("learn", data, "--learner", "unigram", "--save", learned).exit_code == 0
    before = learned.read_bytes()
    assert "a checkpoint of learn --save" in str(command("merge", *models, "-o", learned).exception)
    assert (data.read_text()[:4], learned.read_bytes()) == ("text", before)


def test_bad_files_are_refused(models, tmp_path):
    out = tmp_path / "out.model"
    model = save(TopicModel.uniform(2, 3), tmp_path / "plain.model")
    for arguments, message in [
        ((models[0], "-o", out), "at least two files, got 1"),
        ((models[0], models[0], "-o", out), "is named twice"),
        ((*models, "-o", models[1]), "would be overwritten"),
        ((models[0], model, "-o", out), "contains a TopicModel"),
        ((models[0], tmp_path / "none", "-o", out), "does not exist"),
    ]:
        result = command("merge", *arguments)
        assert message in str(result.exception)
    assert command("merge", *models).exit_code == 2
    assert not out.exists()


def test_the_example_of_the_help_names_the_command():
    (one,) = (c for c in commands.registered_commands if c.callback.__name__ == "merge")
    assert "spectralleader merge " in str(one.epilog)
