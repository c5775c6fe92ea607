"""The few errors that callers catch."""

from __future__ import annotations


class StorageError(ValueError):
    """A file that cannot be saved to or loaded from; the message says what is wrong with it."""


class NotSavedError(StorageError):
    """What was learned could not be saved at the end; the last good file is as it was."""


class BrokenError(RuntimeError):
    """An object that was being changed when something unexpected happened, such as no more memory.

    It is neither as it was nor as it should be, so that every use of it raises this.
    """


class NoWordsError(ValueError):
    """Texts without a single word to learn from."""


class NotEmittedError(ValueError):
    """The topics of learned documents could not be written; the last checkpoint is as it was."""
