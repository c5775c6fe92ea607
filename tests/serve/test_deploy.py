"""What is in docs/deploy parses, and speaks of metrics, paths and options that exist.

Grafana, systemd, Docker and Kubernetes themselves are not run here.
"""

import configparser
import json
import re
from pathlib import Path

import pytest
from typer.main import get_command

from spectralleader import TextTopics, save
from spectralleader.cli.app import app
from tests.factories import texts
from tests.serve.serving import Serving

FOLDER = Path(__file__).parents[2] / "docs" / "deploy"


def test_the_dashboard_asks_for_metrics_that_exist(tmp_path):
    topics = TextTopics(3)
    topics.learn(texts(200)[0])
    found = json.loads((FOLDER / "grafana.json").read_text())
    asked = {target["expr"] for panel in found["panels"] for target in panel["targets"]}
    names = {name for expression in asked for name in re.findall(r"spectralleader_\w+", expression)}
    assert len({panel["id"] for panel in found["panels"]}) == len(found["panels"]) > 5
    with Serving(save(topics, tmp_path / "t.model")) as service:
        service.post("/learn", {"texts": texts(300)[0]})
        service.wait(lambda: "loss_nats" in service.get("/metrics").body.decode())
        there = service.get("/metrics").body.decode()
    assert {name for name in names if name not in there} == set()


def options_of(command: str) -> list[str]:
    return re.findall(r"(?<=[\s\"])--[a-z-]+", command)


def test_commands_have_options_that_exist():
    known = {option for one in get_command(app).commands["serve"].params for option in one.opts}
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(FOLDER / "spectralleader.service")
    assert set(options_of(unit["Service"]["ExecStart"])) <= known
    assert unit["Service"]["SuccessExitStatus"] == "143"  # SIGTERM while it starts
    lines = (FOLDER / "Dockerfile").read_text().splitlines()
    commands = [line for line in lines if line.startswith(("ENTRYPOINT", "CMD"))]
    assert set(options_of(" ".join(commands))) <= known
    for line in commands:
        json.loads(line.partition(" ")[2])  # the form that starts no shell, so that SIGTERM arrives


def test_the_manifest_has_probes_and_no_rights():
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, of the extra dev")
    parts = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))
    assert [part["kind"] for part in parts] == ["PersistentVolumeClaim", "Deployment", "Service"]
    pod = parts[1]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["securityContext"]["runAsNonRoot"] is True
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
