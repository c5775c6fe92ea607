"""Experiments as data: a scenario is a TOML file, and running it writes rows."""

from spectralleader.experiments.run import run
from spectralleader.experiments.scenario import Scenario, find, load, shipped

__all__ = ["Scenario", "find", "load", "run", "shipped"]
