"""Sources of documents: files, pipes and brokers.

This package reads streams. `text` turns their texts into counts.
"""

from spectralleader.sources.files import Reader, TextBlock, read
from spectralleader.sources.live import LiveReader, open_source
from spectralleader.sources.options import SourceOptions

__all__ = [
    "LiveReader",
    "Reader",
    "SourceOptions",
    "TextBlock",
    "open_source",
    "read",
]
