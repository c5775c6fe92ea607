"""Files of text: CSV, JSON lines, Parquet or plain text, in blocks, whatever their size."""

from spectralleader.streams.files.columns import Columns
from spectralleader.streams.files.problems import Problems
from spectralleader.streams.files.reader import Reader, read
from spectralleader.streams.files.text_block import Position, TextBlock

__all__ = ["Columns", "Position", "Problems", "Reader", "TextBlock", "read"]
