"""ProjectedSums: sums of moments in a basis, and the kernel that updates them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spectralleader.arrays import Floats, Ints, WordIds
from spectralleader.documents import Documents, DocumentView
from spectralleader.documents.recoding import move_rows
from spectralleader.runtime.compiled import inlined, kernel, shared

CHUNK = 248  # rows per matrix product; not a power of two, which would cause cache conflicts
WORDS = 64  # cost model: sorting one entry takes as long as scanning this many words


class Sums(NamedTuple):
    """Sums of words, pairs and triples over documents, in the coordinates of a basis."""

    basis: Floats  # Q, (d, r)
    n: Floats  # (4,) tokens; documents of at least 1, 2 and 3 words
    words: Floats  # n M1, (d,)
    image: Floats  # n M2 Q, (d, r)
    # (r (r + 1) / 2, r + 2), rows (i, j), i <= j, as in `np.triu_indices`: triples that remain to
    # be symmetrised, the pairs, and the squares of the pairs (eq. 7b); triples are the sum of
    # three permutations, see `cold.whiten_triples`
    upper: Floats


@kernel
def update_sums(sums: Sums, documents: DocumentView, n_added: int) -> None:
    """Add the first n_added documents to the sums and subtract the others, in place.

    With ``p`` the projected document and ``q`` the projected word of an entry, the triples are the
    symmetric part of ``g p p p / 3`` per document and ``g c q q (2 q / 3 - p)`` per entry, where
    ``g c`` and ``g c p`` are first summed over the entries of a word: one product of the rows'
    squares with the rows' last factors.
    """
    r = sums.basis.shape[1]
    # Words are numbered within the block: the table has a row per distinct word, not d rows.
    places, known = number_words(documents.bounds, documents.words, len(sums.basis))
    n_rows = min(CHUNK, max(len(documents.bounds), len(known)))
    rows, factors = np.empty((r, n_rows)), np.empty((n_rows, r + 2))
    table = _add_documents(sums, documents, n_added, places, known, rows, factors)
    for start in range(0, len(known), CHUNK):
        end = min(start + CHUNK, len(known))
        for i in range(start, end):
            q, total, word = sums.basis[known[i]], table[i], known[i]
            g2, g3, share = total[2 * r], total[2 * r + 1], total[2 * r + 2]
            sums.words[word] += share
            for a in range(r):
                # Rows of M2 Q by eq. 6; only words of these documents change.
                sums.image[word, a] += total[a] - g2 * q[a]
            # The second term of eq. 20, -g2 q q for the pairs, and the last term of eq. 7b.
            factor = factors[i - start]
            _set_row(q, 2 * g3 / 3, total[r:], -1.0, -g2, rows[:, i - start], factor)
            factor[r + 1] = total[2 * r + 3]
        _add_rows(rows, factors[: end - start], sums.upper)


@inlined
def _add_documents(
    sums: Sums,
    documents: DocumentView,
    n_added: int,
    places: WordIds,
    known: Ints,
    rows: Floats,
    factors: Floats,
) -> Floats:
    """Add the rows of the documents; return a table of sums with one row per known word.

    The row of a word has the sums of ``g2 c p``, ``g3 c p``, ``g2 c``, ``g3 c``, ``c / L`` and
    ``g2^2 c^2``.
    """
    r = len(rows)
    width = 4 * ((2 * r + 7) // 4)  # 2 r + 4, rounded up to fill vector registers
    p, e, terms = np.empty(r), np.zeros(r), np.zeros(width)
    Q, table, n = sums.basis[known], np.zeros((len(known), width)), 0
    for i in range(len(documents.bounds)):
        low, high = documents.bounds[i, 0], documents.bounds[i, 1]
        counts, ids, n = documents.counts[low:high], places[n : n + high - low], n + high - low
        p[:] = 0.0
        for j in range(len(ids)):
            # unsigned: a signed index is checked for wrap-around
            q, c = Q[np.uint32(ids[j])], counts[j]
            for a in range(r):
                p[a] += c * q[a]
        # The sums are linear in these weights: their sign decides between adding and subtracting.
        length = counts.sum()
        share, g2, g3 = _count_document(1.0 if i < n_added else -1.0, length, sums.n)
        for a in range(r):
            terms[a], terms[r + a] = g2 * p[a], g3 * p[a]
        terms[2 * r], terms[2 * r + 1], terms[2 * r + 2] = g2, g3, share
        squared, n_repeated = g2 * abs(g2), 0.0
        for j in range(len(ids)):
            total, c = table[np.uint32(ids[j])], counts[j]
            # The whole width: the padding is zeros, and there is no remainder loop.
            for a in range(width):
                total[a] += c * terms[a]
            total[2 * r + 3] += squared * c * c
            if c > 1.0:
                q, n_repeated = Q[np.uint32(ids[j])], n_repeated + c * (c - 1.0)
                for a in range(r):
                    e[a] += c * (c - 1.0) * q[a]
        if n_repeated > 0.0:
            _add_repeated(p, e, squared, sums.upper)
            e[:] = 0.0
        row = i % CHUNK
        # The first terms of eq. 20 and of eq. 7b, and g2 p p for the pairs.
        _set_row(p, g3 / 3, p, 0.0, g2, rows[:, row], factors[row])
        factors[row, r + 1] = squared * (n_repeated + length - 2.0)
        if row == CHUNK - 1 or i == len(documents.bounds) - 1:
            _add_rows(rows, factors[: row + 1], sums.upper)
    return table


@shared
def _add_repeated(p: Floats, e: Floats, squared: float, upper: Floats) -> None:
    """Add the second term of eq. 7b, ``-squared (e p + p e)``, to the squares of the pairs."""
    k, last = 0, upper.shape[1] - 1
    for a in range(len(p)):
        for b in range(a, len(p)):
            upper[k, last] -= squared * (e[a] * p[b] + p[a] * e[b])
            k += 1


@inlined
def _count_document(sign: float, length: float, n: Floats) -> tuple[float, float, float]:
    """Count a document; return the weights of its words, pairs and triples, 0 if too short."""
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


@shared
def _set_row(
    v: Floats, own: float, p: Floats, other: float, pair: float, row: Floats, factor: Floats
) -> None:
    """``row[:] = v; factor[:] = own * v + other * p, then pair``."""
    r = len(v)
    for a in range(r):
        row[a] = v[a]
        factor[a] = own * v[a] + other * p[a]
    factor[r] = pair


@kernel  # not shared: it makes an array
def _add_rows(rows: Floats, factors: Floats, upper: Floats) -> None:
    """``upper[(i, j)] += sum over rows v of v_i v_j factor``, i <= j."""
    n, r = len(factors), len(rows)
    # Only i <= j, about half of the products; the sum over rows is one call of BLAS.
    squares = np.empty((len(upper), n))
    k = 0
    for a in range(r):
        for b in range(a, r):
            for i in range(n):
                squares[k, i] = rows[a, i] * rows[b, i]
            k += 1
    upper += np.dot(squares, factors)


@kernel
def number_words(bounds: Ints, words: WordIds, n_words: int) -> tuple[WordIds, Ints]:
    """Return inverse and unique of ``np.unique(words, return_inverse=True)``, for a view."""
    n_entries = 0
    for i in range(len(bounds)):
        n_entries += bounds[i, 1] - bounds[i, 0]
    entries, first = np.empty(n_entries, np.int32), 0
    for i in range(len(bounds)):
        for j in range(bounds[i, 0], bounds[i, 1]):
            entries[first] = words[j]
            first += 1
    if n_entries * WORDS < n_words:  # sorting is faster than scanning the vocabulary
        known = np.unique(entries).astype(np.int64)
        return np.searchsorted(known, entries).astype(np.int32), known
    # One scan of the vocabulary instead of a sort; either way `known` is increasing.
    place = np.zeros(n_words, np.int32)
    for entry in entries:
        place[np.uint32(entry)] = 1
    known = np.flatnonzero(place)
    for i in range(len(known)):
        place[known[i]] = i
    for i in range(n_entries):
        entries[i] = place[np.uint32(entries[i])]
    return entries, known


class ProjectedSums:
    """The moments of a changing set of documents, in a fixed basis Q (d, r).

    `update` adds documents, `exchange` also subtracts some, and `add` adds the sums of another set;
    the documents are not stored. If Q is the identity, these are the sums over words.

    Examples
    --------
    >>> moments = ProjectedSums(np.eye(3))
    >>> block = Documents.from_tokens([[0, 0, 1], [1, 2]], n_words=3)
    >>> moments.update(block)
    >>> moments.sums.image.round(3).tolist()  # the pairs, times Q
    [[0.333, 0.333, 0.0], [0.333, 0.0, 0.5], [0.0, 0.5, 0.0]]
    >>> moments.exchange(DocumentView.of(block), n_added=0)
    >>> float(abs(moments.sums.image).max())
    0.0
    """

    def __init__(self, basis: Floats) -> None:
        d, r = basis.shape
        self.sums = Sums(
            np.ascontiguousarray(basis),
            n=np.zeros(4),
            words=np.zeros(d),
            image=np.zeros((d, r)),
            upper=np.zeros((r * (r + 1) // 2, r + 2)),
        )
        # Preallocated arrays, of which basis, words and image are the first rows.
        self._room: list[Floats] = []

    def update(self, documents: Documents) -> None:
        """Add documents."""
        self.exchange(DocumentView.of(documents), documents.n_docs)

    def exchange(self, documents: DocumentView, n_added: int) -> None:
        """Add the first n_added documents and subtract the others."""
        if documents.n_words != len(self.sums.basis):
            raise ValueError(
                f"these sums are over {len(self.sums.basis)} words, the documents over "
                f"{documents.n_words}; use one vocabulary"
            )
        update_sums(self.sums, documents, n_added)

    def widen(self, n_words: int) -> None:
        """Extend the vocabulary; new words have zero rows in the basis."""
        if n_words <= len(self.sums.basis):
            return
        # In a copy of this object, the arrays are no longer views of the preallocated ones.
        is_ours = len(self._room) > 0 and self.sums.basis.base is self._room[0]
        if not is_ours or n_words > len(self._room[0]):
            rows = (self.sums.basis, self.sums.words, self.sums.image)
            # Twice the words: growing costs amortised O(r) per word.
            self._room = [move_rows(array, None, 2 * n_words) for array in rows]
        basis, words, image = (array[:n_words] for array in self._room)
        self.sums = self.sums._replace(basis=basis, words=words, image=image)

    def add(self, parts: tuple[Floats, ...]) -> None:
        """Add the arrays of other sums in the same basis: the fields of `Sums` after the basis."""
        for mine, theirs in zip(self.sums[1:], parts, strict=True):
            mine += theirs
