"""Readers of CSV, JSON lines, Parquet and plain text files, in blocks and bounded memory.

This package knows file formats and columns. `jobs` keeps track of what has been learned.
"""

from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import Problems
from spectralleader.sources.files.reader import Reader, read
from spectralleader.sources.files.text_block import TextBlock

__all__ = ["Columns", "Problems", "Reader", "TextBlock", "read"]
