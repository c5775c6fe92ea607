"""docs/serving.md is true: its requests are answered as shown, its paths and metrics exist."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from spectralleader import TextTopics, save
from spectralleader.serve.routes import ROUTES
from tests.factories import texts
from tests.serve.serving import Serving

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_requests_are_answered_as_shown(tmp_path):
    commands, answers = re.search(r"```sh\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL).groups()
    with Serving(tmp_path / "news.model", "-k", "2") as service:
        for command, shown in zip(commands.splitlines(), answers.splitlines(), strict=True):
            script = command.replace("localhost:8000", f"localhost:{service.port}")
            done = subprocess.run(
                ["bash", "-c", script.replace("curl ", "curl -sSf ", 1)],
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            assert re.findall(r'^{"(\w+)"', done.stdout) == re.findall(r'^{"(\w+)"', shown)
            assert [key for key in json.loads(done.stdout) if f'"{key}"' not in shown] == []


def test_paths_and_metrics_exist(tmp_path):
    metrics = re.search(r"\| metric \|.*?\n\n", PAGE, re.DOTALL)[0]
    named = re.findall(
        r"`(\w+)`", " ".join(row.split("|")[1] for row in metrics.splitlines() if row)
    )
    assert len(named) > 10
    topics = TextTopics(8)
    topics.learn(texts(200)[0])
    with Serving(save(topics, tmp_path / "news.model"), "--checkpoint-every", "1s") as service:
        service.post("/learn", {"texts": texts(300)[0]})
        service.wait(lambda: "loss_nats" in service.get("/metrics").body.decode())
        service.wait(lambda: "checkpoint_seconds" in service.get("/metrics").body.decode())
        there = service.get("/metrics").body.decode()
        assert [name for name in named if f"spectralleader_{name}" not in there] == []
        for path in re.findall(r"^\| `GET (/\S*)`", PAGE, re.MULTILINE):
            assert service.get(path).status == 200, path


def test_the_page_has_every_route():
    table = re.search(r"\| path \|.*?\n\n", PAGE, re.DOTALL)[0]
    named = [path.partition("?")[0] for path in re.findall(r"`(?:GET |POST )?(/[^`]*)`", table)]
    # the page itself reads /live, and docs show an example of a topic's path
    paths = {route.path for route in ROUTES} - {"/live"}
    assert {path.replace("/topics/3", "/topics/{id}") for path in named} == paths
    for route in ROUTES:
        assert route.body is None or f"`POST {route.path}`" in table
