"""LearnSettings: how documents are learned, one record from the command line to `learn`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spectralleader.sources.options import option

VocabularyRequest = str | int | Iterable[str] | None


@dataclass(frozen=True, kw_only=True)
class LearnSettings:
    """How documents are learned. Commands have options of these names, and say the same of them.

    Parameters
    ----------
    learner : str
        Learner, see spectralleader learners; or your own, package.module:Class.
    vocabulary : str, int or Vocabulary, optional
        grow, grow:N: add words as they appear, up to N, 50000 by default. N: the N most frequent
        words, counted in a first pass. FILE: the words in a file. Default: grow; evaluate: 5000, or
        grow for a pipe.

        Ignored when resuming.
    min_count : int
        Ignore words that occur less often; in a growing vocabulary, a word counts from this
        occurrence on, apart from the first 1000 words.
    stop_words : str
        Words to ignore.
    seed : int
        Random seed.
    save : path, optional
        Save the model to this file. If the file exists, resume from it.

        It is a `Checkpoint`, and locked meanwhile.
    checkpoint_every : int or str, optional
        Save every N documents, or at an interval such as 60s or 5min (default: 10min; serve: 60s).
        With an interval, the first checkpoint is saved after 10 s, and the delays double.
    fresh : bool
        Start over; keep the old MODEL as MODEL.bak.
    emit : str, optional
        Append the id and topic of each learned document, as JSON lines or as messages of a stream,
        at least once each.
    keep_texts : bool
        Keep a sample of texts in MODEL (at most 8 MB), for typical documents; if not, only their
        known words.
    """

    # Two defaults are spelled out here: importing them takes NumPy, without which help is fast.
    learner: str = option("hedged", metavar="NAME")  # `DEFAULT_LEARNER`
    vocabulary: VocabularyRequest = option(None, metavar="N|grow|grow:N|FILE")
    min_count: int = option(2, least=1)  # `vectoriser.MIN_COUNT`
    stop_words: str = option("english", metavar="english|none|FILE")
    seed: int = option(0, least=0)
    save: str | Path | None = option(None, metavar="MODEL")
    checkpoint_every: int | str | None = option(None, metavar="N|TIME")
    fresh: bool = option(False, "--fresh")
    emit: str | None = option(None, metavar="FILE|redis://...")
    keep_texts: bool = option(True, "--texts/--no-texts")
