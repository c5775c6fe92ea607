"""Files that were tampered with: loaded to something that works, or refused.

A number makes a file, always the same one. ``python -m tests.storage.fuzzing FIRST LAST`` tries the
files of these numbers and says each number before it tries it: if the process dies, the last one
said is the culprit.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import spectralleader.river
import spectralleader.sklearn
from spectralleader import (
    Documents,
    GrowingVocabulary,
    Learner,
    StorageError,
    TextTopics,
    Tokens,
    TopicModel,
    Vocabulary,
    Words,
    load,
)
from spectralleader.storage import FORMAT, kind_of
from spectralleader.storage.container import pack
from tests.factories import texts
from tests.storage.tampering import tamper
from tests.storage.things import more_things, things

SECONDS = 60  # that one file may take, on a busy machine, before the process is ended
MEMORY = 2**30  # bytes that all files together may take


def originals() -> list[bytes]:
    """Return the contents of whole files, of every kind."""
    found = [*things(), *more_things()]
    return [
        pack({"format": FORMAT, "kind": kind_of(thing), "library": "0", "state": thing.to_state()})
        for _, thing in found
    ]


def try_out(content: bytes, path: Path) -> str:
    """Load a file and use what it holds; return how it went. An error that is none is raised."""
    path.write_bytes(content)
    try:
        thing = load(path)
    except StorageError as error:
        is_foreseen = isinstance(error.__cause__, ValueError | type(None))
        if not is_foreseen or len(str(error).splitlines()) != 1:
            raise
        return "refused"
    if is_large(thing):
        return "large"
    try:
        use(thing)
    except ValueError:
        return "refused in use"
    return "worked"


def is_large(thing: Any) -> bool:
    """Return whether somebody asked for a lot of work: that is no fault of a file."""
    inner = learner_of(thing)
    size = getattr(inner, "n_topics", 1) * getattr(inner, "n_words", 1)
    names = ("n_restarts", "n_iterations", "n_revisits")
    return size > 20_000 or any(getattr(inner, name, 0) > 500 for name in names)


def learner_of(thing: Any) -> Any:
    """Return the learner inside topics or an adapter, or the thing itself."""
    for name in ("learner_", "_learner", "learner"):
        inner = getattr(thing, name, None)
        if isinstance(inner, Learner):
            return inner
    return thing


def use(thing: Any) -> None:
    """Do with a thing what it is for; all that comes out must be valid."""
    if isinstance(thing, TextTopics):
        is_of_tokens = isinstance(thing.vectoriser.words, Tokens)
        thing.learn([text.split() for text in texts(8)[0]] if is_of_tokens else texts(8)[0])
        check(thing.model)
        asked: list[Any] = [["rain"], []] if is_of_tokens else ["rain", ""]
        assert np.isfinite(thing.posterior(asked)).all()
    elif isinstance(thing, spectralleader.sklearn.SpectralTopics):
        thing.partial_fit([["rain", "late"], ["goal"]])
        check(thing.model_)
    elif isinstance(thing, spectralleader.river.SpectralTopics):
        thing.learn_one({"rain": 1, "more": 2})
        check(thing.model)
    elif isinstance(thing, Vocabulary):
        assert len(list(thing)) == thing.n_words
        thing.count_texts(["grün rain"], Words())
        if isinstance(thing, GrowingVocabulary):
            thing.settle()
    elif isinstance(thing, TopicModel):
        check(thing)
        assert not np.isnan(thing.log_prob(some(thing.n_words))).any()
    elif isinstance(thing, Documents):
        assert (thing.lengths >= 0).all()
        assert thing[::-1].n_docs == thing.n_docs
    elif hasattr(thing, "add"):
        thing.add(some(thing.n_words))
    else:
        check(thing.model)
        thing.learn(some(thing.n_words))
        check(thing.model)
        log_prob = thing.predictive.log_prob(some(thing.n_words))
        assert np.isfinite(log_prob).all()
        assert (log_prob < 1e-6).all()
    type(thing).from_state(thing.to_state())


def check(model: TopicModel) -> None:
    """Assert that a model is finite and its rows are distributions, as far as files must say so."""
    for rows in (model.weights[None], model.topics):
        assert np.isfinite(rows).all()
        assert (rows >= 0).all()
        assert np.abs(rows.sum(axis=1) - 1.0).max() < 2e-6


def some(n_words: int) -> Documents:
    """Return a few documents over a vocabulary."""
    ids = np.random.default_rng(0).integers(n_words, size=(6, 5))
    return Documents.from_tokens([*ids, []], n_words)


def limit_memory() -> None:
    """Have more memory refused than a file may ask for; not everywhere possible."""
    try:
        import resource
    except ImportError:
        return
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))


def main(first: int, last: int) -> None:
    """Try the files of these numbers; say how many went how."""
    warnings.simplefilter("error")
    contents, outcomes = originals(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        for content in contents:  # kernels are compiled before time and memory are counted
            assert try_out(content, path) == "worked"
        if sys.platform == "linux":
            limit_memory()
        for seed in range(first, last):
            print(seed, flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            outcomes[try_out(tamper(contents, seed), path)] += 1
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps(outcomes))


if __name__ == "__main__":
    faulthandler.enable()
    main(int(sys.argv[1]), int(sys.argv[2]))
