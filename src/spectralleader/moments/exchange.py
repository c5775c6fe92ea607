"""Exchange: documents added to and taken out of sums in a basis; `sums` says in NumPy how."""

from __future__ import annotations

import numpy as np

from spectralleader.compiled import kernel
from spectralleader.documents import Floats, Ints, WordIds

CHUNK = 248  # rows, one an entry and one a document, that are multiplied at once; no power of two


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
    of the rows' squares with the rows' last factors. From `many` entries a word of the vocabulary
    on, those of a word are added up before they are multiplied.
    """
    n_entries = 0
    for i in range(len(bounds)):
        n_entries += bounds[i, 1] - bounds[i, 0]
    documents = (bounds, words, counts, n_added)
    if n_entries > many * len(basis):
        _add_by_word(*documents, basis, n, sum_words, sum_image, sum_pairs, sum_triples)
    else:
        n_rows = min(CHUNK, n_entries + len(bounds))
        _add_by_entry(*documents, n_rows, basis, n, sum_words, sum_image, sum_pairs, sum_triples)


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
    length = counts.sum()
    n[0] += sign * length
    if length < 1:
        return 0.0, 0.0
    n[1] += sign
    share = sign / length
    p[:] = 0.0
    for j in range(len(words)):
        word = np.uint32(words[j])
        sum_words[word] += share * counts[j]
        q = basis[word]
        for a in range(len(p)):
            p[a] += counts[j] * q[a]
    if length < 2:
        return 0.0, 0.0
    n[2] += sign
    g2 = sign / (length * (length - 1))
    if length < 3:
        return g2, 0.0
    n[3] += sign
    return g2, g2 / (length - 2)


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
    """Multiply a row for every word and one for every document; for words many times repeated.

    A word's row is that of an entry with ``g c`` and ``g c p`` summed over the documents.
    """
    d, r = basis.shape
    by_word = np.zeros((d, 2 * r + 3))  # sums of g2 c p, g3 c p, g2 c and g3 c, and of entries
    rows, factors = np.empty((r, CHUNK)), np.empty((CHUNK, r + 1))
    p = np.empty(r)
    row = 0
    for i in range(len(bounds)):
        first, last = bounds[i, 0], bounds[i, 1]
        document = (words[first:last], counts[first:last])
        sign = 1.0 if i < n_added else -1.0
        g2, g3 = begin_document(sign, *document, basis, n, sum_words, p)
        if g2 == 0.0:
            continue
        for j in range(first, last):
            total, c2, c3 = by_word[np.uint32(words[j])], g2 * counts[j], g3 * counts[j]
            for a in range(r):
                total[a] += c2 * p[a]
                total[r + a] += c3 * p[a]
            total[2 * r] += c2
            total[2 * r + 1] += c3
            total[2 * r + 2] += 1.0
        set_row(p, g3 / 3, p, 0.0, g2, rows[:, row], factors[row])
        row += 1
        if row == CHUNK:
            multiply_rows(rows, factors, sum_pairs, sum_triples)
            row = 0
    for word in range(d):
        q, total = basis[word], by_word[word]
        c2, c3 = total[2 * r], total[2 * r + 1]
        if total[2 * r + 2] == 0.0:
            continue
        for a in range(r):
            sum_image[word, a] += total[a] - c2 * q[a]
        set_row(q, 2 * c3 / 3, total[r:], -1.0, -c2, rows[:, row], factors[row])
        row += 1
        if row == CHUNK:
            multiply_rows(rows, factors, sum_pairs, sum_triples)
            row = 0
    multiply_rows(rows, factors[:row], sum_pairs, sum_triples)


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
