"""Text to counts: what a word is, which words are known, and counting them fast.

`words` defines words, `vocabulary` numbers them, `vectoriser` joins both. The rest makes it fast:
`texts` takes what holds strings, `counting` chooses the road, `characters`, `table`, `tally` and
`scan` are the kernels, `packing` keeps strings as bytes.
"""

from spectralleader.streams.text.vectoriser import Vectoriser
from spectralleader.streams.text.vocabulary import (
    GrowingVocabulary,
    Vocabulary,
    vocabulary_from_state,
    vocabulary_to_state,
)
from spectralleader.streams.text.words import Words

__all__ = [
    "GrowingVocabulary",
    "Vectoriser",
    "Vocabulary",
    "Words",
    "vocabulary_from_state",
    "vocabulary_to_state",
]
