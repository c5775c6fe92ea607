"""Edge in: where blocks of documents come from."""

from spectralleader.streams.block import Block
from spectralleader.streams.synthetic import PROBLEMS, Problem
from spectralleader.streams.text import Vectoriser
from spectralleader.streams.vocabulary import (
    GrowingVocabulary,
    Vocabulary,
    vocabulary_from_state,
    vocabulary_to_state,
)
from spectralleader.streams.words import Words

__all__ = [
    "PROBLEMS",
    "Block",
    "GrowingVocabulary",
    "Problem",
    "Vectoriser",
    "Vocabulary",
    "Words",
    "vocabulary_from_state",
    "vocabulary_to_state",
]
