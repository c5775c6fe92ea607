"""Text to counts to topics: what a word is, which words are known, counting them, `TextTopics`.

`words` defines words, `tokens` documents that are tokens already, `vocabulary` numbers both,
`vectoriser` joins them; `topics` adds a learner.
The rest makes it fast: `texts` takes what holds strings, `counting` chooses the road, `characters`,
`table`, `tally` and `scan` are the kernels, `packing` keeps strings as bytes. Where texts come from
is in `sources`.
"""

from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import (
    GrowingVocabulary,
    Vocabulary,
    vocabulary_from_state,
    vocabulary_to_state,
)
from spectralleader.text.words import Words

__all__ = [
    "GrowingVocabulary",
    "Tokens",
    "Vectoriser",
    "Vocabulary",
    "Words",
    "vocabulary_from_state",
    "vocabulary_to_state",
]
