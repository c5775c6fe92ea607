"""Scenarios: an experiment as a TOML file."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from study.experiments.streams import Count, locate, parse_stream
from study.rows import Contender

FOLDER = Path(__file__).with_name("scenarios")
OWN = ("title", "paper", "figure")  # keys that are not inherited by `extends`
QUICK_SEEDS, QUICK_SHARE = 3, 5  # `--quick`: seeds at most, and the factor by which steps shrink
AtLeastTwo = Annotated[int, msgspec.Meta(ge=2)]
NotEmpty = msgspec.Meta(min_length=1)


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Screening of a large grid: all settings on a few seeds, then the best on all seeds."""

    seeds: Count  # seeds of the first round
    keep: Count  # settings per metric in the second round


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An experiment: a question, and the runs that answer it."""

    name: str
    title: str
    question: str
    paper: str = ""  # section or figure of the paper
    stream: dict[str, Any]  # see `streams`
    learners: Annotated[tuple[Contender, ...], NotEmpty]
    block_size: Count
    n_steps: AtLeastTwo
    seeds: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0)], ...], NotEmpty]
    metrics: Annotated[tuple[str, ...], NotEmpty]
    kind: Literal["prequential", "cost", "regret"] = "prequential"  # see `kinds`
    figure: str  # scenarios of one figure are its rows
    axis: str | None = None  # the parameter that final values are drawn against
    log: tuple[str, ...] = ()  # metrics drawn on a log axis
    max_rows: AtLeastTwo = 200  # steps kept per run, at most
    screen: Screen | None = None  # for the learners with the parameter `axis`

    def quick(self) -> Scenario:
        """Return the scenario with fewer seeds and steps, and without its slow learners."""
        changed = {
            "seeds": self.seeds[:QUICK_SEEDS],
            "n_steps": max(2, self.n_steps // QUICK_SHARE),
            "learners": tuple(c for c in self.learners if c.role != "literal" or not c.seeds),
        }
        return msgspec.structs.replace(self, **changed)


def load(path: Path) -> Scenario:
    """Return the scenario in a file; it is named after the file.

    Raises
    ------
    ValueError
        If the file is not TOML, or a key or value is unknown or missing; the message names it.
    """
    try:
        scenario = parse(read_toml(path), path.stem)
        return msgspec.structs.replace(scenario, stream=locate(scenario.stream, path.parent))
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file, with the keys of the scenario that it extends."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    if "extends" not in table:
        return table
    base = {file.stem: file for file in shipped()}.get(str(name := table.pop("extends")))
    if base is None or base == path:
        raise ValueError(f"extends must name a shipped scenario, got {name!r}")
    # A grid belongs to its learners: a scenario with other learners does not inherit it.
    own = (*OWN, "axis", "screen") if "learners" in table else OWN
    return {k: v for k, v in read_toml(base).items() if k not in own} | table


def parse(table: dict[str, Any], name: str) -> Scenario:
    """Return the scenario of a parsed file."""
    tables = msgspec.convert(table.get("learners", []), list[dict[str, Any]])
    learners = [learner for one in tables for learner in expand(one)]
    # A scenario is named, titled and drawn by its file, unless it says otherwise.
    completed = {"name": name, "title": name, "figure": name} | table | {"learners": learners}
    if type(seeds := table.get("seeds")) is int:
        completed["seeds"] = list(range(seeds))
    scenario = msgspec.convert(completed, Scenario)
    parse_stream(scenario.stream)
    # Rows, tables and figures tell learners apart by their labels.
    labels = [learner.label for learner in scenario.learners]
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise ValueError(f"two learners have the label {twice.pop()!r}; set different labels")
    tried = {key for learner in scenario.learners for key in learner.parameters}
    if scenario.axis is not None and scenario.axis not in tried:
        raise ValueError(f"axis must be a parameter of a learner, got {scenario.axis!r}")
    return scenario


def expand(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every learner of a [[learners]] table; a list of values is a grid.

    Examples
    --------
    >>> [learner["parameters"] for learner in expand({"name": "mine", "a": [1, 2], "b": 3})]
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    named: dict[str, Any] = {key: table[key] for key in ("name", "role", "seeds") if key in table}
    grid = {key: value for key, value in table.items() if key not in (*named, "label")}
    values = [value if isinstance(value, list) else [value] for value in grid.values()]
    for chosen in itertools.product(*values):
        parameters = dict(zip(grid, chosen, strict=True))
        yield {**named, "label": label_of(table, parameters), "parameters": parameters}


def label_of(table: dict[str, Any], parameters: dict[str, Any]) -> str:
    """Return the label of a learner; the file's may refer to parameters."""
    if "label" not in table:
        settings = [
            f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in parameters.items()
        ]
        return " ".join([str(table.get("name")), *settings])
    try:
        return str(table["label"]).format(**parameters)
    except (KeyError, IndexError) as error:
        raise ValueError(f"the label {table['label']!r} refers to no parameter: {error}") from error


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
