"""The page: one HTML file that needs nothing else, with questions, figures, tables and verdicts."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from spectralleader.study.reporting.figures import Figure, as_svg, draw_over_axis
from spectralleader.study.reporting.gallery import draw
from spectralleader.study.reporting.study import Study, by_figure
from spectralleader.study.reporting.table1 import HEADING, NOTE, duel_tables
from spectralleader.study.reporting.tables import (
    as_html,
    compared_table,
    final_table,
    tuning_table,
    verdict_table,
)
from spectralleader.study.reporting.verdicts import (
    COMPARED_HEADING,
    COMPARED_NOTE,
    FAILS,
    HOLDS,
    POWER,
    RULE,
    UNTESTED,
    Verdict,
)

HEADINGS = {
    "figure1": "Figure 1: synthetic problems",
    "figure2": "Figure 2's questions, on other text",
    "regret": "The analysis: regret, and the bounds on it",
    "reservoir": "The reservoir: how much must be remembered",
}
NOTES = {
    "figure2": "The paper's two corpora cannot be had here. Headlines of 2020 to 2022 and tweets "
    "of the US Congress around Election Day 2020 stand in for them: these are results on these "
    "corpora, not reproductions of the paper's Figure 2. English stop words are removed; the 500 "
    "most frequent words are kept, and the first 100,000 documents with at least 3 of them, in "
    "order of time; theta* is the offline spectral method's model of all of them. The documents "
    "are the same in every run, so that the error over runs is the learners' own: their random "
    "starts and reservoirs. Stepwise EM has the smoothing that text likes, also chosen in "
    "hindsight: 1e-3 with blocks of 10, 1e-4 with blocks of 1000. At the 1e-5 of the synthetic "
    "problems its L1 with blocks of 10 is higher, and SpectralLeader's within 1% of it.",
}


AVERAGES = (
    "Each curve is a running average over the steps, the mean of all runs with a band of one "
    "standard error; lower is better. L1 is in nats per document, of each block before it is "
    "learned. L2 is the squared distance between the learner's third moments and the true ones "
    "(no unit). All learners see the same documents: what all curves do together is the stream, "
    "what they do differently is the learner. A curve that falls is of a learner that improves; "
    "one that rises meets documents that are harder to predict. The average at step n is divided "
    "by n, but nothing can be predicted before the first document, so the first step counts as 0: "
    "L1 starts at 0 and rises to its level in the first steps. The power of stepwise EM is told by "
    "shade and marker; the best one in hindsight is drawn thicker and named in each panel."
)
CAPTIONS = {
    "figure1": AVERAGES,
    "figure2": f"{AVERAGES} HedgedLeader's L2 leaps on tweets in blocks of 1000 after step 55: its "
    "model then is that of the last 2,000 documents, which predict better (see its L1) and are "
    "further from theta*, the model of the whole corpus.",
    "reservoir": AVERAGES,
}


class Page(NamedTuple):
    """What a page says."""

    title: str
    lead: str  # one paragraph
    studies: Sequence[Study]
    verdicts: Sequence[Verdict]
    commands: str  # how to run it again, one command a line
    version: str
    duels: Sequence[Study] = ()  # of Table 1
    aims: Sequence[Verdict] = ()  # what became of our own claims, apart from the paper's
    others: Sequence[tuple[str, ...]] = ()  # the paper's claims, as our learners meet them


def write_page(page: Page, path: Path) -> Path:
    """Write the page, and its figures as files beside it."""
    folder = path.parent / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=escape(page.title),
        lead=escape(page.lead),
        verdicts=_verdicts(page.verdicts) + _others(page.others) + _duels(page.duels, page.aims),
        figures="\n".join(
            _section(name, group, folder) for name, group in by_figure(page.studies).items()
        ),
        commands=escape(page.commands),
        version=escape(page.version),
    )
    path.write_text(text, encoding="utf-8")
    return path


def count(verdicts: Sequence[Verdict]) -> str:
    """Return how many claims hold, in a sentence."""
    found = [verdict.verdict for verdict in verdicts]
    hold, fail, untested = (found.count(kind) for kind in (HOLDS, FAILS, UNTESTED))
    return f"Of {len(found)} claims {hold} hold, {fail} do not, {untested} are not tested here."


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    table = as_html(verdict_table(verdicts))
    return f"<h2>Verdicts</h2>\n<p>{count(verdicts)}</p>\n{table}\n<p class=note>{escape(RULE)}</p>"


def _others(rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    table = as_html(compared_table(rows))
    return f"<h2>{COMPARED_HEADING}</h2>\n<p>{escape(COMPARED_NOTE)}</p>\n{table}"


def _duels(studies: Sequence[Study], aims: Sequence[Verdict]) -> str:
    if not studies:
        return ""
    parts = [f"<h2>{HEADING}</h2>", as_html(verdict_table(aims)), f"<p>{escape(NOTE)}</p>"]
    for title, table in duel_tables(studies).items():
        parts += [f"<h3>{escape(title)}</h3>", as_html(table)]
    return "\n".join(parts)


def _section(name: str, studies: Sequence[Study], folder: Path) -> str:
    parts = [f"<h2>{escape(HEADINGS.get(name, name))}</h2>"]
    parts += [f"<p>{escape(NOTES[name])}</p>"] if name in NOTES else []
    parts.append("<dl>")
    for study in studies:
        where = f" <span class=note>({escape(study.paper)})</span>" if study.paper else ""
        parts.append(f"<dt>{escape(study.title)}{where}</dt><dd>{escape(study.question)}</dd>")
    parts += ["</dl>", _image(draw(name, studies), folder / f"{name}.svg")]
    parts += [f"<p class=note>{escape(CAPTIONS[name])}</p>"] if name in CAPTIONS else []
    if axis := studies[0].axis:
        parts.append(f"<h3>By {escape(axis)}</h3>")
        parts.append(_image(draw_over_axis(studies), folder / f"{name}-by-{axis}.svg"))
    if axis == POWER:
        parts += ["<h3>What tuning is worth</h3>", as_html(tuning_table(studies))]
    for study in studies:
        heading = f"{study.title}{study.role_note}: at the last step"
        parts += [f"<h3>{escape(heading)}</h3>", as_html(final_table(study))]
    return "\n".join(
        [*parts, "<p class=note>Mean ± standard error over runs; * best of its grid.</p>"]
    )


def _image(figure: Figure, path: Path) -> str:
    """Write a figure and return it as an element: an image of its own has no ids in common."""
    path.write_bytes(svg := as_svg(figure).encode())
    data = base64.b64encode(svg).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(path.stem)}">'
