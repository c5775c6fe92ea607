"""EM over remembered documents: batch, incremental and stepwise.

All share one E-step and one update of the statistics: `batch_pass` is batch EM, `visit_changes` is
incremental EM (Neal & Hinton 1998), `sweep` is stepwise EM (Cappe & Moulines 2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spectralleader.arrays import Floats, Ints, Posteriors
from spectralleader.documents import DocumentView
from spectralleader.em.columns import Columns, Smoothing, add_document, e_step, m_step, work_space
from spectralleader.runtime.compiled import in_place, inlined

EVERY = 32  # documents between updates of weights and sizes of topics in visits
SWEEP_POWER = 0.6  # exponent of the step size; after the first few, blocks weigh about the same


@in_place
def batch_pass(
    documents: DocumentView,
    source: Columns,
    smoothing: Smoothing,
    target: Columns,
    posterior: Posteriors,
    work: Floats,
) -> None:
    """Add the documents to the target by their posteriors under the source.

    ``posterior[:] = softmax(log weights + X @ log topics)``; ``X.T @ posterior`` and
    ``[1, lengths] @ posterior`` are added.
    """
    # indexed, not unpacked: the parts would not be known as contiguous
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    row = rows[0]
    # Batch EM: one model evaluates all documents, so that source and target are different tables.
    word_probs = m_step(source, smoothing, 1.0, slope, offset, prior)
    for i in range(len(documents.bounds)):
        low, high = documents.bounds[i, 0], documents.bounds[i, 1]
        e_step(low, high, documents.words, documents.counts, word_probs, prior, rows, logs)
        for k in range(len(row)):
            posterior[i, k] = row[k]
            row[k] = posterior[i, k]  # rounded to float32, so that it can be subtracted exactly
        add_document(low, high, documents.words, documents.counts, row, 1.0, target)


@in_place
def set_log_probs(
    documents: DocumentView, source: Columns, smoothing: Smoothing, work: Floats, out: Floats
) -> None:
    """Set the log-probability of each document under the smoothed source, (n_docs,)."""
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    word_probs = m_step(source, smoothing, 1.0, slope, offset, prior)
    for i in range(len(out)):
        low, high = documents.bounds[i, 0], documents.bounds[i, 1]
        out[i] = e_step(low, high, documents.words, documents.counts, word_probs, prior, rows, logs)


def log_probs(documents: DocumentView, source: Columns, smoothing: Smoothing) -> Floats:
    """Return the log-probability of each document under the smoothed source, (n_docs,)."""
    out = np.empty(len(documents.bounds))
    set_log_probs(documents, source, smoothing, work_space(source.n_topics), out)
    return out


@in_place
def visit_changes(
    changes: tuple[Any, ...],
    keeps: bool,  # noqa: FBT001
    revisited: tuple[int, int],
    posterior: Posteriors,
    topics: tuple[tuple[Any, ...], tuple[Any, ...]],
    least: float,
    work: Floats,
) -> None:
    """Visit the documents of a block that entered a sample, and revisit others.

    The changes are the remembered documents; those that moved and `chosen` of `Change`: first the
    documents that entered, into the slots ``chosen[:, 1]``, of which those below n_before were
    taken; n_before; and the block, see `sample_topics.arrays_of`. Then ``revisited[1]`` documents
    are revisited, starting at the slot ``revisited[0]``.

    If the statistics are to keep all documents, those of the block that did not enter are added,
    too; the last array of the block, of a zero per document, is to mark the others. If not,
    documents that left are removed.

    This is called for every block. `DocumentView`, `Columns` and `Smoothing` are passed as plain
    tuples, because Numba takes 2 us to determine the type of each NamedTuple.
    """
    remembered, moved, chosen, n_before, block = changes
    columns, smoothing = Columns(*topics[0]), Smoothing(*topics[1])
    _forget(moved, chosen, n_before, keeps, posterior, columns, work[3, 0])
    _visit(remembered, chosen, revisited, posterior, columns, smoothing, least, work)
    if keeps and len(chosen) < len(block[3]):
        _add_others(block, chosen, columns, smoothing, work)


@inlined
def _forget(
    moved: tuple[Any, ...],
    chosen: Ints,
    n_before: int,
    keeps: bool,  # noqa: FBT001
    posterior: Posteriors,
    columns: Columns,
    row: Floats,
) -> None:
    """Mark the slots of documents that left as new, and remove these from the statistics."""
    bounds, words, counts, _ = moved
    # In `moved`, the documents that left follow those that entered, in the order of their slots.
    i = len(chosen)
    for c in range(len(chosen)):
        slot = chosen[c, 1]
        if slot < n_before:
            for k in range(len(row)):
                row[k] = posterior[slot, k]
                # `_visit` then adds the whole posterior, not a difference.
                posterior[slot, k] = 0.0
            if not keeps:
                add_document(bounds[i, 0], bounds[i, 1], words, counts, row, -1.0, columns)
            i += 1


@inlined
def _visit(
    remembered: tuple[Any, ...],
    chosen: Ints,
    revisited: tuple[int, int],
    posterior: Posteriors,
    columns: Columns,
    smoothing: Smoothing,
    least: float,
    work: Floats,
) -> None:
    """Update the posteriors of the documents in some slots, one after the other.

    The statistics are updated for every document whose posterior changes by more than `least`.
    """
    bounds, words, counts, _ = remembered
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    row, n_new = rows[0], len(chosen)
    word_probs = m_step(columns, smoothing, 1.0, slope, offset, prior)
    for i in range(n_new + revisited[1]):
        # Word counts are read from the live table and are always current; only the sizes and
        # weights of the topics lag behind.
        if i % EVERY == EVERY - 1:
            word_probs = m_step(columns, smoothing, 1.0, slope, offset, prior)
        # Round robin, so that every remembered document is revisited eventually.
        slot = chosen[i, 1] if i < n_new else (revisited[0] + i - n_new) % len(bounds)
        low, high = bounds[slot, 0], bounds[slot, 1]
        e_step(low, high, words, counts, word_probs, prior, rows, logs)
        largest, before, mine = 0.0, 0.0, posterior[slot]
        for k in range(len(row)):
            before += mine[k]
            # Rounded as it is stored: `_forget` later subtracts exactly what was added.
            row[k] = np.float64(np.float32(row[k])) - np.float64(mine[k])
            largest = max(largest, abs(row[k]))
        if largest > least or before < 0.5:  # a new document has no posterior yet: it sums to 0
            add_document(low, high, words, counts, row, 1.0, columns)
            for k in range(len(row)):
                mine[k] = np.float32(mine[k] + row[k])


@inlined
def _add_others(
    block: tuple[Any, ...], chosen: Ints, columns: Columns, smoothing: Smoothing, work: Floats
) -> None:
    """Add the documents of a block that are not among the chosen ones, by their posteriors."""
    indptr, words, counts, is_chosen = block
    slope, offset, prior, rows, logs = work[0], work[1], work[2], work[3], work[4]
    for c in range(len(chosen)):
        is_chosen[chosen[c, 0]] = True
    word_probs = m_step(columns, smoothing, 1.0, slope, offset, prior)
    for i in range(len(is_chosen)):
        if i % EVERY == EVERY - 1:  # as in `_visit`
            word_probs = m_step(columns, smoothing, 1.0, slope, offset, prior)
        if not is_chosen[i]:
            low, high = indptr[i], indptr[i + 1]
            e_step(low, high, words, counts, word_probs, prior, rows, logs)
            add_document(low, high, words, counts, rows[0], 1.0, columns)


@in_place
def sweep_into(
    documents: DocumentView,
    columns: Columns,
    smoothing: Smoothing,
    n_passes: int,
    responsibilities: Floats,
    work: Floats,
) -> None:
    """Stepwise EM in place: ``mu <- (1 - eta) mu + eta s'`` per block.

    It converges faster than batch EM: a pass has many steps, and their noise helps to leave
    plateaus. The documents should be in random order. At most 10^5 blocks are supported, because
    the lazy factor of the statistics is only multiplied out at the end.
    """
    n, size, scale, n_steps = len(documents.bounds), len(responsibilities), 1.0, 0
    slope, offset, prior, logs = work[0], work[1], work[2], work[4]
    words, counts = documents.words, documents.counts
    for _ in range(n_passes):
        for first in range(0, n, size):
            last = min(n, first + size)
            # eta_k of eq. 22; k continues to count in later passes.
            step = (n_steps + 2.0) ** -SWEEP_POWER
            n_steps += 1
            word_probs = m_step(columns, smoothing, scale, slope, offset, prior)
            for i in range(first, last):
                low, high = documents.bounds[i, 0], documents.bounds[i, 1]
                # Buffered until the block is complete: all its documents are evaluated under the
                # model before it.
                rows = responsibilities[i - first : i - first + 1]
                e_step(low, high, words, counts, word_probs, prior, rows, logs)
            # mu = scale * columns, so that the decay of eq. 22 is one multiplication.
            scale *= 1.0 - step
            # The mean of a block counts as n documents: pseudo-counts then weigh as in batch EM.
            gain = step * n / (last - first) / scale
            for i in range(first, last):
                low, high = documents.bounds[i, 0], documents.bounds[i, 1]
                add_document(low, high, words, counts, responsibilities[i - first], gain, columns)
    _multiply(columns, scale)


def sweep(
    documents: DocumentView, columns: Columns, smoothing: Smoothing, size: int, n_passes: int
) -> None:
    """Take steps of stepwise EM in place, in blocks of `size` documents."""
    work, responsibilities = work_space(columns.n_topics), np.empty((size, columns.n_topics))
    sweep_into(documents, columns, smoothing, n_passes, responsibilities, work)


@inlined
def _multiply(columns: Columns, factor: float) -> None:
    for k in range(columns.first, columns.first + columns.n_topics):
        for i in range(2):
            columns.totals[i, k] *= factor
    for w in range(len(columns.words)):
        for k in range(columns.first, columns.first + columns.n_topics):
            columns.words[w, k] *= factor
