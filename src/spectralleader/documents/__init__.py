"""Bags of words in blocks: `Documents`, the arrays that it is made of, and words renumbered.

Here belongs what can be done with counts alone. How texts become counts is in `text`, where they
come from in `sources`, which are remembered in `samples`.
"""

from spectralleader.documents.documents import MAX_WORDS, Documents, check_n_words

__all__ = ["MAX_WORDS", "Documents", "check_n_words"]
