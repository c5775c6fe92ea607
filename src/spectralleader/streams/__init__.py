"""Edge in: where blocks of documents come from."""

from spectralleader.streams.block import Block
from spectralleader.streams.corpora import CORPORA, open_corpus
from spectralleader.streams.files import Reader, TextBlock, read
from spectralleader.streams.synthetic import PROBLEMS, Problem
from spectralleader.streams.text import (
    GrowingVocabulary,
    Vectoriser,
    Vocabulary,
    Words,
    vocabulary_from_state,
    vocabulary_to_state,
)

__all__ = [
    "CORPORA",
    "PROBLEMS",
    "Block",
    "GrowingVocabulary",
    "Problem",
    "Reader",
    "TextBlock",
    "Vectoriser",
    "Vocabulary",
    "Words",
    "open_corpus",
    "read",
    "vocabulary_from_state",
    "vocabulary_to_state",
]
