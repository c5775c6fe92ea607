"""Bags of words in blocks: `Documents`, its CSR arrays, and the renumbering of words.

This package only handles counts. `text` turns texts into counts, `sources` reads them, and
`samples` decides which documents are remembered.
"""

from spectralleader.documents.documents import Documents, DocumentView
from spectralleader.documents.recoding import MAX_WORDS, check_n_words

__all__ = ["MAX_WORDS", "DocumentView", "Documents", "check_n_words"]
