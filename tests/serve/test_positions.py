"""What a model learned before is not lost by serving it."""

import subprocess
import sys

import pytest

from spectralleader import TextTopics, load, save
from tests.factories import texts
from tests.serve.serving import Serving

WRITTEN = texts(200)[0]


def learn(folder):
    """Learn a file by the command, or go on with it."""
    command = ["learn", "t.txt", "--save", "t.model", "--learner", "unigram", "-k", "1"]
    return subprocess.run(
        [sys.executable, "-m", "spectralleader", *command],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def learned(tmp_path):
    (tmp_path / "t.txt").write_text("\n".join(WRITTEN) + "\n")
    assert learn(tmp_path).returncode == 0
    return tmp_path / "t.model"


def test_a_model_of_files_is_not_served_at_the_cost_of_its_position(learned):
    before = learned.read_bytes()
    with Serving(learned, ready=False) as service:
        assert service.process.wait(60) == 2
    assert "--read-only" in service.said
    assert "--adopt" in service.said
    assert "listening on" not in service.said
    assert sorted(path.name for path in learned.parent.iterdir()) == ["t.model", "t.txt"]
    for option in ("--read-only", "--adopt"):  # nothing is posted
        with Serving(learned, option) as service:
            assert service.stop()[0] == 0
        assert learned.read_bytes() == before
    (learned.parent / "t.txt").write_text("\n".join([*WRITTEN, "rain"]) + "\n")
    assert learn(learned.parent).returncode == 0
    assert load(learned).n_docs == 201


def test_the_position_is_given_up_when_asked_for(learned):
    with Serving(learned, "--adopt") as service:
        service.post("/learn", {"texts": ["rain"]})
        service.wait(lambda: service.n_docs == 201)
        service.stop()
    with Serving(learned) as service:  # from then on its position is that in the inbox
        assert service.n_docs == 201
    assert load(learned).position["kind"] == "inbox"


def test_another_source_does_not_take_the_position_of_files_either(learned):
    before, log = learned.read_bytes(), learned.parent / "log.txt"
    log.write_text("rain\n")
    with Serving(learned, "--learn", str(log), "--follow", ready=False) as service:
        assert service.process.wait(60) == 2
    assert "--adopt" in service.said
    assert learned.read_bytes() == before


def test_advice_names_options_that_serve_has(tmp_path):
    (tmp_path / "t.model").write_bytes(b"other")
    with Serving(tmp_path / "t.model", ready=False) as service:
        assert service.process.wait(60) == 2
    assert "another MODEL" in service.said
    assert "--fresh" not in service.said


def test_a_model_of_a_program_is_served_and_not_written_before_it_learns(tmp_path):
    topics = TextTopics(2)
    topics.learn(WRITTEN[:50])
    path = save(topics, tmp_path / "t.model")
    before = path.read_bytes()
    with Serving(path) as service:
        service.stop()
    assert path.read_bytes() == before
