"""What is learned from, in blocks: `Block`, and bags of words, `Documents`, with their arrays.

This package only handles counts. `text` turns texts into counts, `sources` reads them, and
`samples` decides which documents are remembered.
"""

from spectralleader.documents.documents import Documents, DocumentView
from spectralleader.documents.protocol import Block, BlockT, SomeBlock
from spectralleader.documents.recoding import MAX_WORDS, check_n_words

__all__ = [
    "MAX_WORDS",
    "Block",
    "BlockT",
    "DocumentView",
    "Documents",
    "SomeBlock",
    "check_n_words",
]
