"""Data for the tests, made here: nothing is downloaded."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from spectralleader import (
    LEARNERS,
    Documents,
    Learner,
    TextTopics,
    TopicModel,
    Unigram,
    Words,
)
from spectralleader.documents import DocumentView
from spectralleader.spectral import Details, warm_model
from spectralleader.storage import load_checkpoint
from spectralleader.storage.checkpoint import Checkpoint, Losses, Run
from spectralleader.testing.requirements import TOPICS, growing, same_state
from spectralleader.text.words import EVERYTHING
from study.reporting.study import Study
from study.rows import Contender, Row

__all__ = ["growing", "same_state"]  # from the laws
assert_valid = TOPICS.require_valid


def documents(n_docs: int = 30, n_words: int = 6, *, seed: int = 0) -> Documents:
    """Documents of 0 to 8 words from two overlapping topics."""
    return TOPICS.documents(n_docs, n_words, seed=seed)


def model(n_topics: int = 3, n_words: int = 6, *, seed: int = 0) -> TopicModel:
    """A model with clearly different topics and unequal weights."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(n_topics, 5.0))
    return TopicModel(weights, rng.dirichlet(np.full(n_words, 0.3), size=n_topics))


@st.composite
def token_lists(draw: st.DrawFn, n_words: int = 5, max_docs: int = 12) -> list[list[int]]:
    """Any documents: empty ones, short ones, repeated words, repeated documents."""
    document = st.lists(st.integers(0, n_words - 1), max_size=9)
    return draw(st.lists(document, max_size=max_docs))


@st.composite
def blocks(draw: st.DrawFn, n_words: int = 5, max_docs: int = 12) -> Documents:
    """Any block of documents over n_words words."""
    return Documents.from_tokens(draw(token_lists(n_words, max_docs)), n_words)


@st.composite
def distributions(draw: st.DrawFn, n_rows: int, size: int) -> np.ndarray:
    """Any distributions, one per row, often certain of one outcome."""
    shares = st.lists(st.floats(0, 1), min_size=size, max_size=size)
    certain = st.integers(0, size - 1).map(lambda k: np.eye(size)[k].tolist())
    mixed = shares.map(np.array).filter(lambda row: row.sum() > 0.01)
    rows = st.one_of(certain, mixed)
    drawn = np.array([draw(rows) for _ in range(n_rows)])
    return drawn / drawn.sum(axis=1, keepdims=True)


def example_learner() -> type[Learner]:
    """The learner that the documentation shows how to write."""
    path = Path(__file__).parents[1] / "docs" / "examples" / "hard_em.py"
    spec = importlib.util.spec_from_file_location("hard_em", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hard_em"] = module  # where pickle looks
    spec.loader.exec_module(module)
    return module.HardEM


def known_learners() -> dict[str, Callable[..., Learner]]:
    """Every learner by name."""
    return dict(LEARNERS)


def scenario_table(**changes: object) -> dict[str, object]:
    """A small scenario as its file has it: 2 learners, 2 seeds, 3 rows a run."""
    return {
        "question": "Which is better?",
        "block_size": 1,
        "n_steps": 6,
        "seeds": 2,
        "metrics": ["L1", "L2"],
        "max_rows": 3,
        "stream": {"problem": "hard"},
        "learners": [{"name": "truth"}, {"name": "stepwise-em", "smoothing": 0.5}],
    } | changes


def write_toml(path: Path, table: dict[str, object]) -> Path:
    """Write a scenario's file; strings, numbers, lists and tables look in TOML as in JSON."""
    learners = table["learners"]
    assert isinstance(learners, list)
    tables = [("[stream]", table["stream"]), *(("[[learners]]", one) for one in learners)]
    lines = [f"{k} = {json.dumps(v)}" for k, v in table.items() if k not in ("stream", "learners")]
    for header, values in tables:
        assert isinstance(values, dict)
        lines += ["", header, *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_corpus(path: Path, texts: Sequence[tuple[str, str | None]]) -> None:
    """Write a corpus's file: texts with their labels, a minute apart in 2020."""
    path.parent.mkdir(parents=True, exist_ok=True)
    has_labels = any(label for _, label in texts)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timestamp", "text", "label"][: 2 + has_labels])
        for i, (text, label) in enumerate(texts):
            time = f"2020-01-01T{i // 60:02}:{i % 60:02}:00Z"
            writer.writerow([time, text, label][: 2 + has_labels])


METRICS = ("L1", "L2")
TUNED = ("EM ", "MiniEM ")  # their labels have a power
ROLES = {
    "SpectralLeader": "leader",
    "Algorithm 1": "literal",
    "SpectralLeader, variant": "variant",
    "HedgedLeader": "predictor",
    "true model": "reference",
}


def contender(label: str) -> Contender:
    """A learner as a scenario has it: EM has a power and may have topics, others have a role."""
    settings = label.split()[1:] if label.startswith(TUNED) else []
    parameters = dict(zip(("step_power", "n_topics"), map(float, settings), strict=False))
    return Contender(label, label.split()[0], parameters, ROLES.get(label, "other"))


def study(finals: Mapping[str, Sequence[float]], *, n_steps: int = 4, **changes: object) -> Study:
    """A study whose L1 and L2 end at the given values, a learner and a seed each."""
    rows = [
        Row(contender(label), seed, step, {**dict.fromkeys(METRICS, at_step), "norm": 0.5})
        for label, values in finals.items()
        for seed, value in enumerate(values)
        for step in range(1, n_steps + 1)
        for at_step in [value + 1 - step / n_steps]
    ]
    made = Study("s", "A stream", "Is it?", METRICS, rows, axis="step_power")
    return made._replace(**changes)


TOPIC_WORDS = (
    ["rain", "wind", "storm", "cloud", "snow", "sun", "forecast", "degrees"],
    ["goal", "match", "league", "striker", "penalty", "referee", "cup", "keeper"],
    ["vaccine", "virus", "clinic", "patients", "doctors", "trial", "dose", "infection"],
)


def texts(n_docs: int = 300, *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of 4 to 9 words, nearly all of one of three topics, and the topics' names."""
    rng = np.random.default_rng(seed)
    everything = [word for words in TOPIC_WORDS for word in words]
    chosen, written = rng.integers(3, size=n_docs), []
    for topic in chosen:
        own = rng.choice(TOPIC_WORDS[topic], size=rng.integers(4, 9))
        written.append(" ".join([*own, rng.choice(everything)]))
    return written, [("weather", "sport", "health")[topic] for topic in chosen]


def texts_with_rare_words(n_docs: int, *, seed: int = 0) -> list[str]:
    """Texts of three topics, each with four of 30,000 other words: most of these occur once."""
    ids = np.random.default_rng(seed).zipf(1.2, size=(n_docs, 4)) % 30_000
    return [
        " ".join([text, *(f"rare{i}" for i in own)])
        for text, own in zip(texts(n_docs, seed=seed)[0], ids.tolist(), strict=True)
    ]


def write_csv(path: Path, n_docs: int = 300, *, seed: int = 0) -> Path:
    """Write texts with their labels and times to a file."""
    rows = [
        f"2020-01-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z,{text},{label}\n"
        for i, (text, label) in enumerate(zip(*texts(n_docs, seed=seed), strict=True))
    ]
    path.write_text("timestamp,text,label\n" + "".join(rows))
    return path


def checkpoint(topics: TextTopics) -> Checkpoint:
    """Topics as `learn --save` writes them."""
    losses, unigram = Losses(40, 30, 200.0, 700.5, 0.1), Unigram(1)
    if not topics.vocabulary.grows:
        unigram = Unigram(1, n_words=topics.vocabulary.n_words)
    run = Run({"topics": "3", "seed": "0"}, topics.n_docs, 1.5, losses, losses, unigram)
    return Checkpoint(topics, run)


def without_position(topics: TextTopics) -> dict[str, Any]:
    """The state of topics, without the position in their source."""
    return {**topics.to_state(), "position": None}


def comparable(path: Path) -> dict[str, Any]:
    """What a checkpoint holds, without times."""
    state = load_checkpoint(path).to_state()
    for part in (state["run"], state["run"]["losses"], state["run"]["unigram_losses"]):
        part.pop("seconds")
    return state


# what texts are full of, and what a reader of bytes may stumble over
VISIBLE = """
http:// HTTPS://t.co/Ab1?x=1&y=2 https:/ xhttp://y www. WWW.a.b/c wwww. <ahref="http://x">y
@user @ @@a a@b.org #tag # _ __init__ " 2020 10,000 covid19 3rd ٣٤ ½ ² don't ﬁn
the The THE of rain Rain a ab abcdefgh abcdefghi abcdefghijklmnopq
Ⱥ ẞ Å Σ ΟΔΟΣ ΑΣ İ ǅ שלום مرحبا नमस्ते 日本語 𐐀 👩‍👩‍👧 🇺🇸
"""
INVISIBLE = [*"\0\n\t \x1c\x85\xa0\u2019\u3000\u0301\ud800\udfff\u212a\u2126", "  "]


def any_texts() -> st.SearchStrategy[str]:
    """Any text: words, web addresses, mentions, numbers, all of Unicode, lone surrogates."""
    anything = st.text(st.characters(exclude_categories=()), max_size=6)
    return st.lists(
        st.one_of(st.sampled_from(VISIBLE.split() + INVISIBLE), anything), max_size=12
    ).map("".join)


def wordings() -> st.SearchStrategy[Words]:
    """Any rules of what counts as a word."""
    return st.builds(
        Words,
        min_length=st.integers(1, 4),
        stop_words=st.sampled_from([None, "english", ("rain", "straße", "ab", "don't")]),
        keep=st.sets(st.sampled_from(sorted(EVERYTHING))),
    )


def write_folder(folder: Path, kind: str, strings: Sequence[str]) -> None:
    """Texts in files of 50 under "headline", as engines leave them: csv, jsonl or parquet."""
    folder.mkdir()
    for i, start in enumerate(range(0, len(strings), 50)):
        some = strings[start : start + 50]
        frame = pl.DataFrame({"id": range(len(some)), "headline": some})
        path = folder / f"part-{i}.{kind}"
        write = {
            "csv": frame.write_csv,
            "jsonl": frame.write_ndjson,
            "parquet": frame.write_parquet,
        }
        write[kind](path)
    (folder / "_SUCCESS").touch()


def snippets(page: str, language: str) -> list[str]:
    """Return the blocks of code of a page, relative to the root, in their order."""
    written = (Path(__file__).parents[1] / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", written, re.DOTALL)


def three_kinds_of_texts(n_docs: int) -> list[str]:
    """Texts about the weather, sports or politics, some of no words but a stop word."""
    rng = np.random.default_rng(0)
    kinds = (["rain", "wind", "sun", "cloud"], ["goal", "match", "team"], ["vote", "law", "state"])
    return [
        "the " + " ".join(rng.choice(kinds[rng.integers(3)], size=rng.integers(0, 9)))
        for _ in range(n_docs)
    ]


def warm_estimate(sums, directions, moved=None, n_added=0):
    """The estimate from directions, after documents moved in and out."""
    moved = moved or Documents.empty(len(sums.basis))
    details = Details.empty(len(directions), sums.basis.shape[1])
    view, n_topics = DocumentView.of(moved), len(directions)
    model = warm_model(sums, view, n_added, n_topics, directions, details)
    return None if model is None else details.with_model(model, sums)
