"""Edge in: where blocks of documents come from."""

from spectralleader.streams.block import Block
from spectralleader.streams.corpora import CORPORA, open_corpus
from spectralleader.streams.files import Reader, TextBlock, read
from spectralleader.streams.synthetic import PROBLEMS, Problem

__all__ = [
    "CORPORA",
    "PROBLEMS",
    "Block",
    "Problem",
    "Reader",
    "TextBlock",
    "open_corpus",
    "read",
]
