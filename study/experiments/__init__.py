"""Experiments as data: a scenario is a TOML file, and `run` produces its rows.

This package runs learners. `reporting` turns rows into tables, figures and verdicts.
"""

from study.experiments.scenario import Scenario, find, load, shipped

__all__ = ["Scenario", "find", "load", "shipped"]
