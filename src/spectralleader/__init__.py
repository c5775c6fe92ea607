"""Online spectral learning of topic models: no tuning, no bad local optimum."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spectralleader.documents import Documents
    from spectralleader.errors import StorageError
    from spectralleader.learners import (
        DEFAULT_LEARNER,
        LEARNERS,
        Algorithm1,
        BatchEM,
        HedgedLeader,
        Learner,
        SpectralLeader,
        SpectralMethod,
        StepwiseEM,
        Unigram,
        register_learner,
    )
    from spectralleader.models import TopicModel, TopicTree
    from spectralleader.reading.snapshot import Snapshot
    from spectralleader.samples import Everything, Reservoir, Window
    from spectralleader.storage import load, save
    from spectralleader.storage.merging import merge
    from spectralleader.text import GrowingVocabulary, Tokens, Vectoriser, Vocabulary, Words
    from spectralleader.topics.text_topics import TextTopics

__version__ = "0.2.0"

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "Algorithm1",
    "BatchEM",
    "Documents",
    "Everything",
    "GrowingVocabulary",
    "HedgedLeader",
    "Learner",
    "Reservoir",
    "Snapshot",
    "SpectralLeader",
    "SpectralMethod",
    "StepwiseEM",
    "StorageError",
    "TextTopics",
    "Tokens",
    "TopicModel",
    "TopicTree",
    "Unigram",
    "Vectoriser",
    "Vocabulary",
    "Window",
    "Words",
    "load",
    "merge",
    "register_learner",
    "save",
]

# Names are imported on first use, so that `spectralleader --help` does not wait for Numba.
HOMES = dict.fromkeys(__all__, "learners")
HOMES |= {
    "Documents": "documents",
    "TopicModel": "models",
    "TopicTree": "models",
    "StorageError": "errors",
}
HOMES |= {"TextTopics": "topics.text_topics", "Snapshot": "reading.snapshot"}
HOMES |= {"load": "storage", "save": "storage", "merge": "storage.merging"}
HOMES |= dict.fromkeys(("Everything", "Reservoir", "Window"), "samples")
HOMES |= dict.fromkeys(("GrowingVocabulary", "Tokens", "Vectoriser", "Vocabulary", "Words"), "text")


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
