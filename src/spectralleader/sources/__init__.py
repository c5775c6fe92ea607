"""Sources of documents: files, pipes, brokers, named corpora and synthetic problems.

This package reads or generates streams. `text` turns their texts into counts.
"""

from spectralleader.sources.block import Block
from spectralleader.sources.corpora import CORPORA, open_corpus
from spectralleader.sources.files import Reader, TextBlock, read
from spectralleader.sources.live import LiveReader, open_source
from spectralleader.sources.synthetic import PROBLEMS, Problem

__all__ = [
    "CORPORA",
    "PROBLEMS",
    "Block",
    "LiveReader",
    "Problem",
    "Reader",
    "TextBlock",
    "open_corpus",
    "open_source",
    "read",
]
