"""Files of text: CSV, JSON lines, Parquet or plain text, in blocks, whatever their size.

Here belong formats and columns. Which documents were learned already is for `jobs` to know.
"""

from spectralleader.sources.files.columns import Columns
from spectralleader.sources.files.problems import Problems
from spectralleader.sources.files.reader import Reader, read
from spectralleader.sources.files.text_block import TextBlock

__all__ = ["Columns", "Problems", "Reader", "TextBlock", "read"]
