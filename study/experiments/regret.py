"""The kind "regret": the regret of the paper's analysis, measured against its bounds."""

from __future__ import annotations

from pathlib import Path

from study.evaluation.analysis import REGRET_LEARNERS, log_steps, regret_rows
from study.experiments.setting import Kind, Setting, Step
from study.rows import Contender
from study.sources.synthetic import REGRET_PROBLEMS

METRICS = ("regret", "regret_per_step")


def run_regret(contender: Contender, setting: Setting, seed: int, data: Path | None) -> list[Step]:
    """Return the regret, the bounds that apply, and the reservoir size if there is one."""
    return regret_rows(
        setting.stream["problem"],
        contender.name,
        n_steps=setting.n_steps,
        epsilon=contender.parameters.get("epsilon"),
        seed=seed,
        n_rows=setting.max_rows,
    )


def check_regret(contender: Contender, setting: Setting) -> None:
    """Raise for a stream without a known regret, or an invalid epsilon."""
    if setting.stream["problem"] not in REGRET_PROBLEMS:
        known = ", ".join(REGRET_PROBLEMS)
        raise ValueError(f"regret can only be computed for the problems {known}")
    epsilon = contender.parameters.get("epsilon", 1.0)
    if not isinstance(epsilon, float | int) or not 0 < epsilon <= 1:
        raise ValueError(f"epsilon must be a number above 0, at most 1; got {epsilon!r}")


def kept_steps(setting: Setting) -> list[int]:
    """Return the steps that get a row, evenly spaced in log n."""
    return [int(step) for step in log_steps(setting.n_steps, setting.max_rows)]


REGRET = Kind(
    learners=dict.fromkeys(REGRET_LEARNERS, frozenset({"epsilon"})),
    metrics=METRICS,
    kept=kept_steps,
    run=run_regret,
    check=check_regret,
)
