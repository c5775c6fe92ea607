"""Block: the mini-batch that a stream yields at one step."""

from __future__ import annotations

from typing import NamedTuple

from spectralleader.arrays import Ints
from spectralleader.documents import Documents


class Block(NamedTuple):
    """A mini-batch of documents, with their true topics if the stream knows them."""

    documents: Documents
    labels: Ints | None = None  # (n_docs,)
