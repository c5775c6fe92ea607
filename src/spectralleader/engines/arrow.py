"""Arrow batches of documents and partial results, for Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from spectralleader.arrays import Floats
from spectralleader.documents import Documents
from spectralleader.engines.shared import tally
from spectralleader.text.words import Tokenizer

PIECE = 2**17  # numbers of a summary per row: 1 MB
DOCUMENTS = "indptr binary, words binary, counts binary"  # one block of documents per row
PIECES = "part int, piece int, numbers binary"

Batches = Iterator[pa.RecordBatch]


def tally_batches(batches: Batches, words: Tokenizer) -> Batches:
    """Yield the word counts of a partition of texts."""
    for batch in batches:
        # By batch, so that a partition of any size fits in memory; the engine adds the counts up.
        counted = tally(batch.column(0), words)
        yield pa.RecordBatch.from_pydict({"word": list(counted), "n": list(counted.values())})


def make_documents(batches: Batches, make: Callable[[Any], Documents]) -> Batches:
    """Yield the documents of texts or counts, one block per batch.

    Blocks are binary columns, which Spark passes on without converting numbers one by one.
    """
    for batch in batches:
        documents = make(batch.column(0))
        arrays = (documents.indptr, documents.words, documents.counts)
        columns = [pa.array([array.tobytes()]) for array in arrays]
        yield pa.RecordBatch.from_arrays(columns, names=["indptr", "words", "counts"])


def read_documents(batches: Batches, n_words: int) -> Documents | None:
    """Return all documents of a partition as one block, or None if there are none."""
    blocks = []
    for batch in batches:
        for row in batch.to_pylist():
            indptr = np.frombuffer(row["indptr"], np.int64)
            words = np.frombuffer(row["words"], np.int32)
            blocks.append(Documents.trusted(indptr, words, np.frombuffer(row["counts"]), n_words))
    return Documents.concatenate(blocks) if blocks else None


def from_vectors(column: pa.StructArray, n_words: int) -> Documents:
    """Return the documents of Spark vectors: structs of values, with indices if sparse."""
    indices, values = column.field("indices"), column.field("values")
    # A dense vector has no indices: its values are those of words 0, 1, ...
    if indices.null_count:
        rows = zip(indices.to_pylist(), values.to_pylist(), strict=True)
        indices = pa.array([range(len(v)) if i is None else i for i, v in rows], indices.type)
    sizes = indices.value_lengths().to_numpy(zero_copy_only=False)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    words = indices.flatten().to_numpy(zero_copy_only=False).astype(np.int32)
    counts = values.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
    raw = Documents.trusted(indptr, words, counts, n_words)
    return Documents.from_matrix(raw.as_floats())  # validates the counts


def in_pieces(part: int, flat: Floats) -> Batches:
    """Yield the summary of a partition in rows of `PIECE` numbers."""
    # Different tasks can sum the pieces, and no row is too large for Arrow's batches.
    for piece, start in enumerate(range(0, len(flat), PIECE)):
        numbers = flat[start : start + PIECE].tobytes()
        columns = [pa.array([part], pa.int32()), pa.array([piece], pa.int32()), pa.array([numbers])]
        yield pa.RecordBatch.from_arrays(columns, names=["part", "piece", "numbers"])


def add_pieces(key: tuple[Any, ...], pieces: pa.Table) -> pa.Table:
    """Return the sum of one piece over several partitions.

    They are summed in order of their numbers: floating-point addition is not associative, and the
    result must not depend on scheduling.
    """
    group, piece = (value.as_py() for value in key)
    in_order = pieces.sort_by("part").column("numbers").to_pylist()
    total = np.sum([np.frombuffer(numbers) for numbers in in_order], axis=0)
    columns = {"part": [group], "piece": [piece], "numbers": [total.tobytes()]}
    schema = pa.schema([("part", pa.int32()), ("piece", pa.int32()), ("numbers", pa.binary())])
    return pa.table(columns, schema)
