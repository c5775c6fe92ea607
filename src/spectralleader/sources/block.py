"""Block: what a stream yields at one step."""

from __future__ import annotations

from typing import NamedTuple

from spectralleader.arrays import Ints
from spectralleader.documents import Documents


class Block(NamedTuple):
    """Documents and, where the stream knows them, their true topics."""

    documents: Documents
    labels: Ints | None = None  # (n_docs,)
