"""The exceptions that callers may want to catch, and the message of a missing package."""

from __future__ import annotations


class StorageError(ValueError):
    """Raised if a file cannot be written or loaded; the message names the file and the reason."""


class ResumeError(StorageError):
    """Raised if learning cannot resume from a model.

    Its message is the problem, followed by advice; a command without `--fresh` replaces `restart`.
    """

    restart = "start over with --fresh, which keeps the old model as a backup"

    def __init__(self, problem: str, *advice: str) -> None:
        super().__init__(problem, *advice)
        self.problem, self.advice = problem, advice

    def __str__(self) -> str:
        return f"{self.problem}; {', or '.join([*self.advice, self.restart])}"


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


# Packages of each extra in pyproject.toml. Hints name these and not `spectralleader[extra]`, which
# pip can only install if this package itself came from an index.
EXTRAS = {
    "dask": "'dask[dataframe,distributed]' pyarrow",
    "kafka": "confluent-kafka",
    "parquet": "pyarrow",
    "redis": "'redis[hiredis]'",
    "river": "river",
    "serve": "httptools prometheus-client starlette uvicorn uvloop",
    "sklearn": "scikit-learn",
    "spark": "pyspark pandas pyarrow",
    "study": "matplotlib",
    "zstd": "backports.zstd",
}


def missing_extra(what: str, extra: str) -> str:
    """Return the message that something requires the packages of an extra.

    Examples
    --------
    >>> missing_extra("drawing a figure", "study")
    "drawing a figure requires the extra 'study': pip install matplotlib"
    """
    return f"{what} requires the extra {extra!r}: pip install {EXTRAS[extra]}"
