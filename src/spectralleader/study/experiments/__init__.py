"""Experiments as data: a scenario is a TOML file, and `run` makes rows of it.

Here belongs what runs learners. What is said of the rows is in `reporting`.
"""

from spectralleader.study.experiments.scenario import Scenario, find, load, shipped

__all__ = ["Scenario", "find", "load", "shipped"]
