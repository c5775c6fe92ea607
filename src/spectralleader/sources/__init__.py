"""Sources of documents: files, pipes and brokers.

This package reads streams. `text` turns their texts into counts.
"""

from spectralleader.sources.block import Block
from spectralleader.sources.files import Reader, TextBlock, read
from spectralleader.sources.live import LiveReader, open_source

__all__ = [
    "Block",
    "LiveReader",
    "Reader",
    "TextBlock",
    "open_source",
    "read",
]
