"""The pairs of documents as a product, without the pairs where these would be large."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spectralleader.documents import Floats, Ints, WordIds
from spectralleader.moments.kernels import multiply_pairs, sum_pairs

N_PRODUCTS = 10  # about so many are asked for


def pairs_product(
    indptr: Ints, words: WordIds, counts: Floats, lengths: Floats, d: int
) -> Callable[[Floats], Floats]:
    """Return the function that multiplies the sum of the pairs with a (d, z) block.

    Where there are many documents over few words the pairs are summed first, (d, d); else every
    product is a pass over the documents.
    """
    # what an entry costs in a pass is about what 10 numbers cost in a product of matrices; what
    # an entry of an entry costs in summing is about what one number costs
    n_summed = int((np.diff(indptr) ** 2).sum())
    if N_PRODUCTS * d * d + n_summed < N_PRODUCTS * 10 * len(words):
        return sum_pairs(indptr, words, counts, lengths, d).__matmul__
    return lambda Z: multiply_pairs(indptr, words, counts, lengths, Z)
