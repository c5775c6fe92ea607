"""Exchange: documents added to and taken out of sums in a basis; `sums` says in NumPy how."""

from __future__ import annotations

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.runtime.compiled import kernel

CHUNK = 248  # rows, one an entry and one a document, that are multiplied at once; no power of two
WORDS = 64  # of the vocabulary, that can be gone through in the time that an entry takes


@kernel
def exchange_documents(
    bounds: Ints,
    words: WordIds,
    counts: Floats,
    n_added: int,
    many: float,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    sum_image: Floats,
    sum_pairs: Floats,
    sum_triples: Floats,
) -> None:
    """Add the first n_added of scattered documents and subtract the others, in place.

    With sign = 1 for those and -1 for these,
    ``n += sign * [n_tokens, documents of >= 1, >= 2, >= 3 words]``, ``sum_words += sign *
    sums.sum_words(documents)``, ``sum_image += sign * sums.multiply_pairs(documents, basis)``, and
    with ``i <= j`` numbered as in `np.triu_indices`, ``sum_pairs[(i, j)] += sign * (basis.T @
    sums.multiply_pairs(documents, basis))[i, j]`` and ``symmetrise(sum_triples) += sign *
    sums.project_triples(documents, basis)``.

    With ``p`` the projected document and ``q`` the projected word of an entry, the triples are the
    symmetric part of ``g p p p / 3`` a document and ``g c q q (2 q / 3 - p)`` an entry: one product
    of the rows' squares with the rows' last factors. From `many` entries on, those of a word are
    added up before they are multiplied, unless there are far more words to go through.
    """
    n_entries = 0
    for i in range(len(bounds)):
        n_entries += bounds[i, 1] - bounds[i, 0]
    documents = (bounds, words, counts, n_added)
    if n_entries > max(many, len(basis) / WORDS):
        _add_by_word(*documents, basis, n, sum_words, sum_image, sum_pairs, sum_triples)
    else:
        n_rows = min(CHUNK, n_entries + len(bounds))
        _add_by_entry(*documents, n_rows, basis, n, sum_words, sum_image, sum_pairs, sum_triples)


@kernel
def count_document(sign: float, length: float, n: Floats) -> tuple[float, float, float]:
    """Count a document; return what its words, pairs and triples weigh, 0 where it has none."""
    n[0] += sign * length
    share, g2, g3 = 0.0, 0.0, 0.0
    if length >= 1:
        n[1] += sign
        share = sign / length
    if length >= 2:
        n[2] += sign
        g2 = share / (length - 1)
    if length >= 3:
        n[3] += sign
        g3 = g2 / (length - 2)
    return share, g2, g3


@kernel
def begin_document(
    sign: float,
    words: WordIds,
    counts: Floats,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    p: Floats,
) -> tuple[float, float]:
    """Count a document and its words, and project it: ``p[:] = counts @ basis[words]``.

    Returns the weights of its pairs and triples; 0 where it is too short to have any.
    """
    share, g2, g3 = count_document(sign, counts.sum(), n)
    p[:] = 0.0
    for j in range(len(words)):
        word = np.uint32(words[j])
        sum_words[word] += share * counts[j]
        q = basis[word]
        for a in range(len(p)):
            p[a] += counts[j] * q[a]
    return g2, g3


@kernel
def _add_by_entry(
    bounds: Ints,
    words: WordIds,
    counts: Floats,
    n_added: int,
    n_rows: int,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    sum_image: Floats,
    sum_pairs: Floats,
    sum_triples: Floats,
) -> None:
    """Multiply a row for every entry and one for every document."""
    r = basis.shape[1]
    rows = np.empty((r, n_rows))  # v, one a column
    factors = np.empty((n_rows, r + 1))  # what v_i v_j is multiplied with: triples, then pairs
    p = np.empty(r)
    row = 0
    for i in range(len(bounds)):
        first, last = bounds[i, 0], bounds[i, 1]
        document = (words[first:last], counts[first:last])
        sign = 1.0 if i < n_added else -1.0
        g2, g3 = begin_document(sign, *document, basis, n, sum_words, p)
        if g2 == 0.0:
            continue
        for j in range(first, last + 1):
            if row == n_rows:
                multiply_rows(rows, factors, sum_pairs, sum_triples)
                row = 0
            if j == last:  # the document itself, after its entries
                set_row(p, g3 / 3, p, 0.0, g2, rows[:, row], factors[row])
            else:
                word, c = np.uint32(words[j]), counts[j]
                q, image = basis[word], sum_image[word]
                for a in range(r):
                    image[a] += g2 * c * (p[a] - q[a])
                set_row(q, 2 * g3 * c / 3, p, -g3 * c, -g2 * c, rows[:, row], factors[row])
            row += 1
    if row > 0:
        multiply_rows(rows, factors[:row], sum_pairs, sum_triples)


@kernel
def _add_by_word(
    bounds: Ints,
    words: WordIds,
    counts: Floats,
    n_added: int,
    basis: Floats,
    n: Floats,
    sum_words: Floats,
    sum_image: Floats,
    sum_pairs: Floats,
    sum_triples: Floats,
) -> None:
    """Multiply a row for every word there is and one for every document.

    A word's row is that of an entry with ``g c`` and ``g c p`` summed over the documents.
    """
    r = basis.shape[1]
    places, known = number_words(bounds, words, len(basis))
    width = 4 * ((2 * r + 6) // 4)  # sums of g2 c p, g3 c p, g2 c, g3 c and c / L; up to fours
    near, table = basis[known].ravel(), np.zeros(len(known) * width)
    rows, factors = np.empty((r, CHUNK)), np.empty((CHUNK, r + 1))
    p, terms = np.empty(r), np.zeros(width)
    row, end = 0, 0
    for i in range(len(bounds)):
        start, end = end, end + bounds[i, 1] - bounds[i, 0]
        ids, entries = places[start:end], counts[bounds[i, 0] : bounds[i, 1]]
        length = 0.0
        p[:] = 0.0
        for j in range(len(ids)):
            at, count = np.uint64(ids[j]) * np.uint64(r), entries[j]
            length += count
            for a in range(r):
                p[a] += count * near[at + np.uint64(a)]
        share, g2, g3 = count_document(1.0 if i < n_added else -1.0, length, n)
        for a in range(r):
            terms[a], terms[r + a] = g2 * p[a], g3 * p[a]
        terms[2 * r], terms[2 * r + 1], terms[2 * r + 2] = g2, g3, share
        for j in range(len(ids)):
            at, count = np.uint64(ids[j]) * np.uint64(width), entries[j]
            for a in range(width):
                table[at + np.uint64(a)] += count * terms[a]
        set_row(p, g3 / 3, p, 0.0, g2, rows[:, row], factors[row])
        row += 1
        if row == CHUNK:
            multiply_rows(rows, factors, sum_pairs, sum_triples)
            row = 0
    for i in range(len(known)):
        q, total = near[i * r : (i + 1) * r], table[i * width : (i + 1) * width]
        c2, c3, share = total[2 * r], total[2 * r + 1], total[2 * r + 2]
        word = known[i]
        sum_words[word] += share
        for a in range(r):
            sum_image[word, a] += total[a] - c2 * q[a]
        set_row(q, 2 * c3 / 3, total[r:], -1.0, -c2, rows[:, row], factors[row])
        row += 1
        if row == CHUNK:
            multiply_rows(rows, factors, sum_pairs, sum_triples)
            row = 0
    multiply_rows(rows, factors[:row], sum_pairs, sum_triples)


@kernel
def number_words(bounds: Ints, words: WordIds, n_words: int) -> tuple[WordIds, Ints]:
    """``known, places = np.unique(words, return_inverse=True)`` of scattered documents, swapped."""
    place, n_entries, n_known = np.zeros(n_words, np.int32), 0, 0
    for i in range(len(bounds)):
        n_entries += bounds[i, 1] - bounds[i, 0]
        for j in range(np.uint64(bounds[i, 0]), np.uint64(bounds[i, 1])):
            place[np.uint32(words[j])] = 1
    known, places = np.empty(place.sum(), np.int64), np.empty(n_entries, np.int32)
    for w in range(n_words):
        if place[w] > 0:
            known[n_known] = w
            place[w] = n_known
            n_known += 1
    entry = np.uint64(0)
    for i in range(len(bounds)):
        for j in range(np.uint64(bounds[i, 0]), np.uint64(bounds[i, 1])):
            places[entry] = place[np.uint32(words[j])]
            entry += np.uint64(1)
    return places, known


@kernel
def set_row(
    v: Floats, own: float, p: Floats, other: float, pair: float, row: Floats, factor: Floats
) -> None:
    """``row[:] = v; factor[:] = own * v + other * p, then pair``."""
    r = len(v)
    for a in range(r):
        row[a] = v[a]
        factor[a] = own * v[a] + other * p[a]
    factor[r] = pair


@kernel
def multiply_rows(rows: Floats, factors: Floats, sum_pairs: Floats, sum_triples: Floats) -> None:
    """Add ``v_i v_j factor``, i <= j, of each row: the last factor to the pairs, else triples."""
    n, r = len(factors), len(rows)
    squares = np.empty((len(sum_pairs), n))
    k = 0
    for a in range(r):
        for b in range(a, r):
            for i in range(n):
                squares[k, i] = rows[a, i] * rows[b, i]
            k += 1
    product = np.dot(squares, factors)
    for k in range(len(product)):
        for a in range(r):
            sum_triples[k, a] += product[k, a]
        sum_pairs[k] += product[k, r]
