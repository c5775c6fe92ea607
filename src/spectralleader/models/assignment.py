"""Assignment: rows matched to columns, so that what they have in common is most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spectralleader.runtime.compiled import kernel


@kernel
def match(similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each column the row matched to it, so that the total similarity is largest.

    The Hungarian method with prices (Kuhn 1955): rows come one after the other, each by the
    shortest way of moving others that makes room for it.
    """
    k = len(similarity)
    of_row, of_column = np.zeros(k), np.zeros(k + 1)  # prices; the last column is where rows wait
    holder = np.full(k + 1, -1, np.int64)  # of each column
    for row in range(k):
        holder[k] = row
        came_from, distance = np.full(k, k, np.int64), np.full(k, np.inf)
        reached = np.zeros(k + 1, np.bool_)
        column = k
        while holder[column] >= 0:
            reached[column] = True
            i, nearest, step = holder[column], -1, np.inf
            for j in range(k):
                if reached[j]:
                    continue
                cost = -similarity[i, j] - of_row[i] - of_column[j]
                if cost < distance[j]:
                    distance[j], came_from[j] = cost, column
                if distance[j] < step:
                    step, nearest = distance[j], j
            for j in range(k + 1):
                if reached[j]:
                    of_row[holder[j]] += step
                    of_column[j] -= step
                else:  # not where rows wait, which is reached first
                    distance[j] -= step
            column = nearest
        while column < k:
            holder[column] = holder[came_from[column]]
            column = came_from[column]
    return holder[:k]
