"""Where documents come from: files, pipes and brokers, corpora by name, synthetic problems.

Here belongs what reads or makes a stream. How its texts are counted is in `text`.
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
