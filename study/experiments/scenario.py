"""Scenarios: an experiment as a TOML file."""

from __future__ import annotations

import dataclasses
import itertools
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spectralleader.learners.registry import is_own
from study.experiments.keys import check_choice, check_count, check_keys
from study.experiments.kinds import KINDS
from study.experiments.setting import Kind, Setting
from study.experiments.sources import check_stream, locate
from study.rows import ROLES, Contender

FOLDER = Path(__file__).with_name("scenarios")
REQUIRED = ("question", "stream", "learners", "block_size", "n_steps", "seeds", "metrics")
OPTIONAL = ("title", "paper", "kind", "figure", "axis", "log", "max_rows", "screen", "extends")
OWN = ("title", "paper", "figure")  # keys that are not inherited by `extends`
QUICK_SEEDS, QUICK_SHARE = 3, 5  # `--quick`: seeds at most, and the factor by which steps shrink


class Screen(NamedTuple):
    """Screening of a large grid: all settings on a few seeds, then the best on all seeds."""

    seeds: int  # seeds of the first round
    keep: int  # settings per metric in the second round


@dataclass(frozen=True)
class Scenario:
    """An experiment: a question, and the runs that answer it."""

    name: str
    title: str
    question: str
    paper: str  # section or figure of the paper
    stream: dict[str, Any]  # see `sources`
    learners: tuple[Contender, ...]
    block_size: int
    n_steps: int
    seeds: tuple[int, ...]
    metrics: tuple[str, ...]
    kind: str = "prequential"  # see `kinds`
    figure: str = ""  # scenarios of one figure are its rows
    axis: str | None = None  # the parameter that final values are drawn against
    log: tuple[str, ...] = ()  # metrics drawn on a log axis
    max_rows: int = 200  # steps kept per run, at most
    screen: Screen | None = None  # for the learners with the parameter `axis`

    @property
    def setting(self) -> Setting:
        """The settings shared by all runs of the scenario."""
        return Setting(self.stream, self.block_size, self.n_steps, self.metrics, self.max_rows)

    def quick(self) -> Scenario:
        """Return the scenario with fewer seeds and steps."""
        n_steps = max(2, self.n_steps // QUICK_SHARE)
        return dataclasses.replace(self, seeds=self.seeds[:QUICK_SEEDS], n_steps=n_steps)


def load(path: Path) -> Scenario:
    """Return the scenario in a file; it is named after the file.

    Raises
    ------
    ValueError
        If the file is not TOML, or a key or value is unknown or missing; the message names the
        file and the known ones.
    """
    scenario = parse(read_toml(path), path.stem, str(path))
    return dataclasses.replace(scenario, stream=locate(scenario.stream, path))


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file, with the keys of the scenario that it extends."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a TOML file: {error}") from error
    if "extends" not in table:
        return table
    base = {file.stem: file for file in shipped()}.get(str(name := table.pop("extends")))
    if base is None or base == path:
        raise ValueError(f"{path}: extends must name a shipped scenario, got {name!r}")
    # A grid belongs to its learners: a scenario with other learners does not inherit it.
    own = (*OWN, "axis", "screen") if "learners" in table else OWN
    return {k: v for k, v in read_toml(base).items() if k not in own} | table


def learner_names(path: Path) -> list[str]:
    """Return the names of learners in a scenario file, without importing any."""
    learners = read_toml(path).get("learners")
    tables = learners if isinstance(learners, list) else []
    return [str(table.get("name")) for table in tables if isinstance(table, dict)]


def parse(table: dict[str, Any], name: str, where: str) -> Scenario:
    """Return the scenario of a parsed file; `where` names it in errors."""
    check_keys(table, where, required=REQUIRED, known=OPTIONAL)
    kind = table.get("kind", "prequential")
    check_choice(kind, "kind", where, KINDS)
    for key in ("question", "title", "paper", "figure", "axis"):
        if not isinstance(table.get(key, ""), str):
            raise ValueError(f"{where}: {key} must be a string, got {table[key]!r}")
    if not isinstance(table["stream"], dict):
        raise ValueError(f"{where}: stream must be a table, [stream]")
    check_stream(table["stream"], f"{where}: [stream]")
    metrics = _names(table["metrics"], "metrics", where, KINDS[kind].metrics)
    if not metrics:
        raise ValueError(f"{where}: metrics must name at least one of {KINDS[kind].metrics}")
    learners = _contenders(table["learners"], kind, where)
    tried = {key for contender in learners for key in contender.parameters}
    if "axis" in table:
        check_choice(table["axis"], "axis", where, sorted(tried))
    return Scenario(
        name=name,
        title=table.get("title", name),
        question=table["question"],
        paper=table.get("paper", ""),
        stream=table["stream"],
        learners=learners,
        block_size=check_count(table["block_size"], "block_size", where),
        n_steps=check_count(table["n_steps"], "n_steps", where, 2),
        seeds=_seeds(table["seeds"], where),
        metrics=metrics,
        kind=kind,
        figure=table.get("figure", name),
        axis=table.get("axis"),
        log=_names(table.get("log", []), "log", where, metrics),
        max_rows=check_count(table.get("max_rows", 200), "max_rows", where, 2),
        screen=_screen(table, where),
    )


def _screen(table: dict[str, Any], where: str) -> Screen | None:
    if "screen" not in table:
        return None
    if not isinstance(table["screen"], dict) or "axis" not in table:
        raise ValueError(
            f"{where}: screen must be a table such as {{ seeds = 2, keep = 5 }}, and requires an "
            "axis that defines the grid"
        )
    inside = f"{where}: screen"
    check_keys(table["screen"], inside, required=Screen._fields, known=Screen._fields)
    return Screen(*(check_count(table["screen"][key], key, inside) for key in Screen._fields))


def expand(parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every setting of a grid; a list holds several values, anything else is one value.

    Examples
    --------
    >>> list(expand({"a": [1, 2], "b": 3}))
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    grid = [value if isinstance(value, list) else [value] for value in parameters.values()]
    for values in itertools.product(*grid):
        yield dict(zip(parameters, values, strict=True))


def _contenders(tables: Any, kind: str, where: str) -> tuple[Contender, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{where}: learners must be tables, each [[learners]]")
    contenders = [c for table in tables for c in _expanded(table, kind, f"{where}: [[learners]]")]
    for contender in contenders:
        if sum(c.label == contender.label for c in contenders) > 1:
            raise ValueError(
                f"{where}: two learners have the label {contender.label!r}; set different labels"
            )
    return tuple(contenders)


def _expanded(table: dict[str, Any], kind: str, where: str) -> Iterator[Contender]:
    allowed = sorted(_parameters(table.get("name"), KINDS[kind], where))
    check_keys(
        table, f"{where} {table['name']}", required=["name"], known=["label", "role", *allowed]
    )
    if empty := [key for key, value in table.items() if value == []]:
        raise ValueError(f"{where}: {empty[0]} is an empty list; a grid needs at least one value")
    role = table.get("role", "other")
    check_choice(role, "role", where, ROLES)
    given = {k: v for k, v in table.items() if k not in ("name", "label", "role")}
    for parameters in expand(given):
        yield Contender(_label(table, parameters, where), table["name"], parameters, role)


def _parameters(name: Any, kind: Kind, where: str) -> frozenset[str]:
    """Return the parameters of a learner by name; ``package.module:Class`` is imported."""
    if kind.own_learner is None or not isinstance(name, str) or not is_own(name):
        check_choice(name, "name", where, kind.learners)
        return kind.learners[name]
    try:
        return kind.own_learner(name)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _label(table: dict[str, Any], parameters: dict[str, Any], where: str) -> str:
    if "label" not in table:
        settings = (
            f"{k}={json.dumps(v) if isinstance(v, dict) else v}" for k, v in parameters.items()
        )
        return " ".join([table["name"], *settings])
    try:
        return str(table["label"]).format(**parameters)
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(
            f"{where}: the label {table['label']!r} may only refer to the learner's parameters "
            f"({', '.join(parameters) or 'it has none'})"
        ) from error


def _seeds(value: Any, where: str) -> tuple[int, ...]:
    if isinstance(value, list) and value and len(set(value)) == len(value):
        return tuple(check_count(seed, "each of seeds", where, 0) for seed in value)
    if isinstance(value, list):
        raise ValueError(f"{where}: seeds must be distinct and not empty, got {value}")
    return tuple(range(check_count(value, "seeds", where)))


def _names(value: Any, key: str, where: str, known: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: {key} must be a list of {', '.join(known)}; got {value!r}")
    for name in value:
        check_choice(name, f"each of {key}", where, known)
    return tuple(value)


def shipped() -> list[Path]:
    """Return the scenario files that come with the package, including the paper's."""
    return sorted(FOLDER.glob("*.toml"), key=lambda file: file.stem)


def find(name: str) -> Path:
    """Return the file of a scenario, given an existing path or the name of a shipped one."""
    path = Path(name)
    if path.suffix == ".toml" and path.is_file():
        return path
    known = {file.stem: file for file in shipped()}
    if name not in known:
        raise ValueError(
            f"unknown scenario {name!r}; give a .toml file or one of {', '.join(known)}"
        )
    return known[name]
