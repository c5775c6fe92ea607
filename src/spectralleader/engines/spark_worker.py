"""Settle: spare a Python worker of Spark what it does around each task, mostly in vain.

Before a task it reads the tables of `pyspark.zip` and `py4j.zip` again, once for every package that
was imported from them; after it, it looks for garbage among all that was ever imported. That is
0.3 s of processor time, where the summary of a part often takes a hundredth of it.
"""

from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path
from zipimport import zipimporter

SPARKS = ("pyspark", "py4j", "spark-core")  # archives that its own modules come from


def settle(name: str) -> None:
    """Make the end of this task and the start of the next one short; the task has a name."""
    _freeze(name)
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and Path(finder.archive).name.startswith(SPARKS):
            del sys.path_importer_cache[path]  # made again when it is needed, from a table kept


@cache  # once for each kind of task, whose modules and kernels are there by then
def _freeze(name: str) -> None:
    gc.collect()
    gc.freeze()
