"""The exceptions that callers may want to catch."""

from __future__ import annotations


class StorageError(ValueError):
    """Raised if a file cannot be written or loaded; the message names the file and the reason."""


class NotSavedError(StorageError):
    """Raised if the model could not be saved at the end; the previous file is unchanged."""


class BrokenError(RuntimeError):
    """Raised on every use of an object after an update of it failed halfway.

    Its state is inconsistent, for instance because memory ran out. Load the last checkpoint.
    """


class NoWordsError(ValueError):
    """Raised if no text contains a word to learn from."""


class NotEmittedError(ValueError):
    """Raised if the topics of learned documents could not be written.

    The last checkpoint is unchanged.
    """
