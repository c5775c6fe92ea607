"""Where documents come from: files and pipes of text, corpora by name, synthetic problems.

Here belongs what reads or makes a stream. How its texts are counted is in `text`.
"""

from spectralleader.sources.block import Block
from spectralleader.sources.corpora import CORPORA, open_corpus
from spectralleader.sources.files import Reader, TextBlock, read
from spectralleader.sources.synthetic import PROBLEMS, Problem

__all__ = ["CORPORA", "PROBLEMS", "Block", "Problem", "Reader", "TextBlock", "open_corpus", "read"]
