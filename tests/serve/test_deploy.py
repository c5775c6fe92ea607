"""What is in docs/deploy parses, and speaks of metrics, paths and options that exist.

Grafana, systemd, Docker and Kubernetes themselves are not run here; their linters are, of the extra
`deploy` and, for systemd, where the machine has it.
"""

import configparser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from spectralleader import TextTopics, __version__, save
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


def test_alerts_ask_for_metrics_that_exist(tmp_path):
    text = (FOLDER / "alerts.yaml").read_text()
    topics = TextTopics(3)
    topics.learn(texts(200)[0])
    with Serving(save(topics, tmp_path / "t.model")) as service:
        service.post("/learn", {"texts": texts(30)[0]})
        service.wait(lambda: service.n_docs == 230)
        there = service.get("/metrics").body.decode()
    names = set(re.findall(r"(?:spectralleader|process)_\w+", text))
    assert len(names) > 8
    assert {name for name in names if name not in there} == set()


def test_alerts_are_rules_that_prometheus_takes():
    assert "SUCCESS" in lint("promtool", "check", "rules", str(FOLDER / "alerts.yaml"))


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


def lint(*command: str) -> str:
    """Return what a linter finds fault with."""
    where = f"{Path(sys.executable).parent}:/usr/bin"
    if (program := shutil.which(command[0], path=where)) is None:
        pytest.skip(f"needs {command[0]}, of the extra deploy or the machine")
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=120)
    return f"{done.stdout}{done.stderr}"


def test_the_image_is_what_its_linter_wants():
    assert lint("hadolint", "--no-color", str(FOLDER / "Dockerfile")) == ""


def test_the_image_and_the_manifest_are_of_this_version():
    dockerfile = (FOLDER / "Dockerfile").read_text()
    assert f"-t spectralleader:{__version__} ." in dockerfile
    copied = re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE)
    sources = [name for line in copied for name in line.split()]
    assert "constraints.txt" in sources
    assert all((FOLDER.parents[1] / name).exists() for name in sources)
    kept = (FOLDER.parents[1] / ".dockerignore").read_text().splitlines()
    assert {f"!{name}" for name in sources} <= set(kept)  # else they are not sent to the builder
    assert f"image: spectralleader:{__version__} " in (FOLDER / "kubernetes.yaml").read_text()


def test_the_manifest_follows_the_schemas_of_kubernetes():
    assert lint("kubernetes-validate", "--strict", "--quiet", str(FOLDER / "kubernetes.yaml")) == ""


def test_the_unit_is_one_that_systemd_takes(tmp_path):
    # the command need not be installed where the tests run
    unit = (FOLDER / "spectralleader.service").read_text()
    there = unit.replace("/usr/local/bin/spectralleader", "/bin/true")
    assert there != unit
    (tmp_path / "spectralleader.service").write_text(there)
    found = lint("systemd-analyze", "verify", str(tmp_path / "spectralleader.service"))
    assert "spectralleader" not in found  # other units of the machine may have their own faults
