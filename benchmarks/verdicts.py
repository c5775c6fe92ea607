"""Verdicts: what was to be reached, what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.contenders.registry import (
    GENSIM,
    HEDGED,
    NMF_KL,
    NMF_SQUARED,
    SKLEARN_LDA,
    SPECTRAL,
    STEPWISE,
    VECTORIZER,
    VOWPAL,
)
from benchmarks.rows import Results, Row, Spread, ratio, spread
from benchmarks.sections import (
    adapters,
    demo,
    end_to_end,
    fidelity,
    first_use,
    fresh,
    growth,
    live,
    steps,
    text,
)
from benchmarks.task import ALONE, LONG, TENS, THOUSANDS


class Speed(NamedTuple):
    """How many times faster ours is to be than the fastest of some peers."""

    bound: float
    section: str
    against: str
    peers: tuple[str, ...]
    ours: str = SPECTRAL


SPEEDS = (
    Speed(8, TENS.name, "the faster of scikit-learn LDA and gensim", (SKLEARN_LDA, GENSIM)),
    Speed(8, THOUSANDS.name, "the faster of scikit-learn LDA and gensim", (SKLEARN_LDA, GENSIM)),
    Speed(1, ALONE.name, "Vowpal Wabbit at its fastest", VOWPAL),
    Speed(2, LONG.name, "Vowpal Wabbit at its fastest", VOWPAL),
    Speed(3, THOUSANDS.name, NMF_KL, (NMF_KL,)),
    Speed(3, THOUSANDS.name, NMF_SQUARED, (NMF_SQUARED,)),
    Speed(500, steps.CHANGED, "Algorithm1", (steps.LITERAL,)),
    Speed(500, steps.ALL, "Algorithm1", (steps.LITERAL,)),
    # at most half the time
    Speed(2, TENS.name, VECTORIZER, (VECTORIZER,)),
    Speed(2, THOUSANDS.name, VECTORIZER, (VECTORIZER,)),
    Speed(10, TENS.name, "scikit-learn LDA", (SKLEARN_LDA,), STEPWISE),
    Speed(8, TENS.name, "scikit-learn LDA", (SKLEARN_LDA,), HEDGED),
    Speed(8, THOUSANDS.name, "scikit-learn LDA", (SKLEARN_LDA,), HEDGED),
    # what is asked of it, and what it aims for
    Speed(3, text.SECTION, VECTORIZER, (VECTORIZER,), text.OURS),
    Speed(10, text.SECTION, VECTORIZER, (VECTORIZER,), text.OURS),
)

# The time a document may grow this much over a hundredfold: flat, with room for noise, or nearly.
GROWTHS = {"documents": 1.25, "reservoir": 2.0, "vocabulary": 2.0}
# An adapter may take this much of the time of the other: the default learner, and for river the one
# that also has to convert dictionaries.
ADAPTED = 1.1
ADAPTERS = {"scikit-learn": adapters.CORE, "river": adapters.FROM_DICT}
MEGABYTES = 300
PERCENT = {"L1": 0.2, "L2": 3.0}  # by which losses may differ from those of Algorithm1


@dataclass(frozen=True)
class Verdict:
    """A figure, what was to be reached, and what was measured; no value means that it was not."""

    figure: str
    target: str
    value: Spread | None
    reached: bool

    @property
    def word(self) -> str:
        if self.value is None:
            return "not measured"
        return "reached" if self.reached else "not reached"


def verdicts(results: Results) -> list[Verdict]:
    """Return the verdict on every figure that the project set itself."""
    speeds = [*judge_end_to_end(results), *(_judge_speed(speed, results) for speed in SPEEDS)]
    growths = [_judge_growth(sweep, mode, results) for sweep in GROWTHS for mode in growth.MODES]
    fidelities = [_judge_fidelity(metric, results) for metric in PERCENT]
    adapted = [_judge_adapter(library, results) for library in ADAPTERS]
    return [
        *speeds,
        *adapted,
        *(
            _judge_broker(section, name, results)
            for section in (live.READING, *live.LEARNING.values())
            for name in (live.REDIS, live.KAFKA)
        ),
        *fidelities,
        *growths,
        _judge_memory(results),
        *_judge_first_use(results),
        *_judge_demo(results),
    ]


def judge_end_to_end(results: Results) -> list[Verdict]:
    """Judge the cell of each size in which ours is the least ahead of scikit-learn's pipeline."""
    out = []
    for size, bound in end_to_end.BOUNDS.items():
        times: dict[str, dict[str, float]] = {}
        for row in results.rows:
            is_last = row.n_docs not in end_to_end.BOUNDS and row.n_docs > end_to_end.FIRST
            if row.section.startswith(end_to_end.PREFIX) and (
                row.n_docs == size or (is_last and size == max(end_to_end.BOUNDS))
            ):
                times.setdefault(row.section, {})[row.name] = row.values[0]
        ratios = [cell[end_to_end.PIPELINE] / cell[end_to_end.OURS] for cell in times.values()]
        value = spread(ratios) if ratios else None
        figure = f"text to topics, first {size:,} documents, K = 5 to 100, against scikit-learn"
        target = f"at least {bound:g} times faster in every cell" if bound > 1 else "no slower"
        out.append(Verdict(figure, target, value, bool(value and value.low >= bound)))
    return out


def _judge_speed(speed: Speed, results: Results) -> Verdict:
    peers = [row for name in speed.peers if (row := results.of(speed.section, name))]
    ours = results.of(speed.section, speed.ours)
    value = ratio(peers, ours) if peers and ours else None
    figure = f"{speed.ours}, {speed.section}, against {speed.against}"
    target = f"at least {speed.bound:g} times faster" if speed.bound > 1 else "no slower"
    return Verdict(figure, target, value, bool(value and value.middle >= speed.bound))


def _judge_growth(sweep: str, mode: str, results: Results) -> Verdict:
    """Judge the time a document at the largest size over that at the smallest."""
    bound, section = GROWTHS[sweep], growth.section_name(sweep)
    rows: list[Row] = [r for r in results.rows if (r.section, r.name) == (section, mode)]
    value = ratio([rows[-1]], rows[0]) if len(rows) > 1 else None
    target = f"at most {bound:g} times the time per document"
    return Verdict(f"{section}, {mode}", target, value, bool(value and value.middle <= bound))


def _judge_adapter(library: str, results: Results) -> Verdict:
    section, against = adapters.section_name(library, HEDGED), ADAPTERS[library]
    ours, alone = results.of(section, adapters.ADAPTER), results.of(section, against)
    value = ratio([ours], alone) if ours and alone else None
    reached = bool(value and value.middle <= ADAPTED)
    return Verdict(f"{section}, over {against}", f"at most {ADAPTED:g} times", value, reached)


def _judge_broker(section: str, name: str, results: Results) -> Verdict:
    """Judge how fast a broker's messages are read or learned, beside the same texts in a file."""
    ours, file = results.of(section, name), results.of(section, live.FILE)
    value = ratio([file], ours) if ours and file else None
    reached = bool(value and value.middle >= live.HALF)
    return Verdict(f"{section}, {name}, speed relative to a file", "at least half", value, reached)


def _judge_fidelity(metric: str, results: Results) -> Verdict:
    row = results.of(fidelity.SECTION, metric)
    value = spread(row.values) if row else None
    figure = f"SpectralLeader, blocks of 10, {metric} against Algorithm1"
    reached = bool(value and value.high <= PERCENT[metric])
    return Verdict(figure, f"within {PERCENT[metric]:g} %", value, reached)


def _judge_memory(results: Results) -> Verdict:
    row = results.of(fresh.MEMORY, fresh.ABOVE)
    value = spread(row.values) if row else None
    figure = f"memory, {fresh.ABOVE}"
    return Verdict(figure, f"under {MEGABYTES} MB", value, bool(value and value.high < MEGABYTES))


def _judge_demo(results: Results) -> list[Verdict]:
    rows = [row for row in results.rows if (row.section, row.name) == (demo.SECTION, demo.TOTAL)]
    value = spread(rows[0].values) if rows else None
    figure = f"{demo.SECTION}: {demo.TOTAL}"
    return [
        Verdict(figure, f"at most {demo.MOST:g} s", value, bool(value and value.high <= demo.MOST))
    ]


def _judge_first_use(results: Results) -> list[Verdict]:
    out = []
    for name, unit, most in first_use.TARGETS:
        rows = [r for r in results.rows if r.section == first_use.SECTION and r.name == name]
        values = [value for row in rows if row.unit == unit for value in row.values]
        value = spread(values) if values else None
        figure = f"{first_use.SECTION}: {name}"
        out.append(
            Verdict(figure, f"at most {most:g} {unit}", value, bool(value and value.high <= most))
        )
    return out
