"""Predict: the topic of every document of files."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TextIO

from spectralleader.arrays import Floats
from spectralleader.jobs.source import Source
from spectralleader.runtime.interrupts import Interrupts, look
from spectralleader.sources.files import TextBlock
from spectralleader.text.topics import TextTopics

FORMATS = ("csv", "jsonl")


class Prediction(NamedTuple):
    """What a model says of a block of documents."""

    block: TextBlock
    posterior: Floats  # (n_docs, K) P(topic | document)
    log_prob: Floats  # (n_docs,) of the known words
    n_known: Floats  # (n_docs,) known words

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row a document; topics count from 1."""
        best = self.posterior.argmax(axis=1)
        columns = (self.block.files, best, self.log_prob, self.n_known)
        lines = self.block.lines.tolist() if self.block.ids is None else self.block.ids
        for line, file, k, log_prob, n_known, probabilities in zip(
            lines, *(column.tolist() for column in columns), self.posterior.tolist(), strict=True
        ):
            yield {
                "file": self.block.names[file],
                "line": line,
                "topic": k + 1,
                "probability": probabilities[k],
                "known_words": int(n_known),
                "log_prob": log_prob,
                "probabilities": probabilities,
            }


def predict(topics: TextTopics, source: Source | str | os.PathLike[str]) -> Iterator[Prediction]:
    """Yield predictions block by block, in bounded memory."""
    with Source.of(source, block=1000).open() as reader:
        yield from predict_blocks(topics, reader)


def predict_blocks(topics: TextTopics, blocks: Iterable[TextBlock]) -> Iterator[Prediction]:
    """Yield predictions of blocks that are being read."""
    model = topics.model
    for block in blocks:
        look()
        documents = topics.vectoriser.count_known(block.texts).widen(model.n_words)
        log_prob = model.log_prob(documents)
        yield Prediction(block, model.posterior(documents), log_prob, documents.lengths)


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
    for row in prediction.rows():
        probabilities = row.pop("probabilities")
        if is_first:
            writer.writerow([*row, *(f"p{k + 1}" for k in range(len(probabilities)))])
            is_first = False
        writer.writerow([*row.values(), *probabilities])
