"""Texts and tokens to `Documents`: what a word is, which words are known, and counting them.

`words` defines words, `tokens` documents that are tokens already, `vocabulary` numbers both, and
`vectoriser` joins them. Fast counting is in `texts`, `counting`, `scan` and
`word_table`. Where texts come from is in `sources`; `topics` learns from them.
"""

from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Words

__all__ = ["GrowingVocabulary", "Tokens", "Vectoriser", "Vocabulary", "Words"]
