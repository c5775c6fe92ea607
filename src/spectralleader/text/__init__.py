"""Text to counts to topics: what a word is, which words are known, counting them, `TextTopics`.

`words` defines words, `tokens` documents that are tokens already, `vocabulary` numbers both,
`vectoriser` joins them; `topics` adds a learner, `annotations` its levels and names, `surprise`
past scores, `timeline` times and sampled texts. `snapshot` and `trends` read them. Fast counting is
in `texts`, `packing`, `counting`, `scan` and `word_table`. Where texts come from is in `sources`.
"""

from spectralleader.text.tokens import Tokens
from spectralleader.text.vectoriser import Vectoriser
from spectralleader.text.vocabulary import GrowingVocabulary, Vocabulary
from spectralleader.text.words import Words

__all__ = ["GrowingVocabulary", "Tokens", "Vectoriser", "Vocabulary", "Words"]
