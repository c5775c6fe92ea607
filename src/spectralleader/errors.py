"""The few errors that callers catch."""

from __future__ import annotations


class StorageError(ValueError):
    """A file that cannot be saved to or loaded from; the message says what is wrong with it."""


class NotSavedError(StorageError):
    """What was learned could not be saved at the end; the last good file is as it was."""


class NoWordsError(ValueError):
    """Texts without a single word to learn from."""
