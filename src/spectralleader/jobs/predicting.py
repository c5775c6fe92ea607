"""Predict: the topic of every document of files."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TextIO

import numpy as np

from spectralleader.arrays import Floats
from spectralleader.jobs.source import Source
from spectralleader.runtime.interrupts import Interrupts, look
from spectralleader.sources.files import TextBlock
from spectralleader.text.surprise import score
from spectralleader.text.topics import TextTopics

FORMATS = ("csv", "jsonl")
DIGITS = 4  # of probabilities


class Prediction(NamedTuple):
    """What a model says of a block of documents."""

    block: TextBlock
    posterior: Floats  # (n_docs, K) P(topic | document)
    log_prob: Floats  # (n_docs,) of the known words
    n_known: Floats  # (n_docs,) known words
    names: tuple[str, ...] = ()  # of the topics, if any has one
    shares: Floats | None = None  # (n_docs, K) proportions of topics within the document
    n_best: int | None = None  # topics given for each document; None: all, in order
    p_values: Floats | None = None  # (n_docs,) see `TextTopics.p_values`; NaN where there is none

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per document; topics count from 1."""
        best = self.posterior.argmax(axis=1)
        columns = (self.block.files, best, self.log_prob, self.n_known)
        lines = self.block.lines.tolist() if self.block.ids is None else self.block.ids
        given = self.posterior if self.shares is None else self.shares
        for i, (line, file, k, log_prob, n_known) in enumerate(
            zip(lines, *(column.tolist() for column in columns), strict=True)
        ):
            row: dict[str, Any] = {name: column[i] for name, column in self.block.kept.items()}
            row |= {"file": self.block.names[file], "line": line, "topic": k + 1}
            if self.names:
                row["name"] = self.names[k]
            row |= {
                "probability": round(float(self.posterior[i, k]), DIGITS),
                "known_words": int(n_known),
                "log_prob": round(log_prob, DIGITS),
                "p_value": self._p_value(i),
            }
            yield row | self._values(given[i].round(DIGITS))

    def _p_value(self, i: int) -> float | None:
        if self.p_values is None or np.isnan(self.p_values[i]):
            return None
        return round(float(self.p_values[i]), DIGITS)

    def _values(self, values: Floats) -> dict[str, Any]:
        """Return what is given of every topic, or of the best."""
        kind = "probabilities" if self.shares is None else "shares"
        if self.n_best is None:
            return {kind: values.tolist()}
        order = np.argsort(-values, kind="stable")[: self.n_best]
        return {"best": [k + 1 for k in order.tolist()], kind: values[order].tolist()}


def predict(topics: TextTopics, source: Source | str | os.PathLike[str]) -> Iterator[Prediction]:
    """Yield predictions block by block, in bounded memory."""
    with Source.of(source, block=1000).open() as reader:
        yield from predict_blocks(topics, reader)


def predict_blocks(
    topics: TextTopics,
    blocks: Iterable[TextBlock],
    *,
    level: int | None = None,
    shares: bool = False,
    n_best: int | None = None,
) -> Iterator[Prediction]:
    """Yield predictions of blocks that are being read.

    Parameters
    ----------
    level : int, optional
        Topics that all are merged to.
    shares : bool
        Give the proportions of topics within each document, instead of probabilities.
    n_best : int, optional
        Give only so many topics of each document, the best first.
    """
    shown, fine = topics.at(level), topics.snapshot()
    model, names = shown.model, shown.names if any(shown.names) else ()
    for block in blocks:
        look()
        documents = shown.count(block.texts)
        log_prob, posterior = model.log_prob(documents), model.posterior(documents)
        within = model.shares(documents) if shares else None
        per_word = log_prob / np.maximum(documents.lengths, 1.0)
        if shown.groups is not None:  # the past was judged by all topics
            per_word, _ = score(fine.model, documents)
        p_values = fine.past.p_values(per_word, documents.lengths)
        told = (posterior, log_prob, documents.lengths, names, within, n_best, p_values)
        yield Prediction(block, *told)


def write(predictions: Iterable[Prediction], file: TextIO, format: str = "csv") -> int:
    """Write a line a document as they come, CSV with a header or JSON lines; return how many."""
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}; known are {', '.join(FORMATS)}")
    write_rows = _write_csv if format == "csv" else _write_json
    n_docs = 0
    for prediction in predictions:
        if Interrupts.entered is not None:
            Interrupts.entered.at_stake = True  # a line that is half written
        write_rows(prediction, file, is_first=n_docs == 0)
        file.flush()
        n_docs += len(prediction.block)
    return n_docs


def _write_json(prediction: Prediction, file: TextIO, *, is_first: bool) -> None:
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in prediction.rows())


def _write_csv(prediction: Prediction, file: TextIO, *, is_first: bool) -> None:
    writer = csv.writer(file, lineterminator="\n")
    kind, letter = ("shares", "s") if prediction.shares is not None else ("probabilities", "p")
    for row in prediction.rows():
        values, best = row.pop(kind), row.pop("best", None)
        if is_first:
            names = [f"{letter}{k + 1}" for k in range(len(values))]
            if best is not None:
                names = [f"{what}{i + 1}" for i in range(len(values)) for what in ("best", letter)]
            writer.writerow([*row, *names])
            is_first = False
        if best is not None:
            values = [value for pair in zip(best, values, strict=True) for value in pair]
        writer.writerow([*row.values(), *values])
