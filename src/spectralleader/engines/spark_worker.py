"""Reduce the overhead of a Python worker of Spark between tasks.

Before each task the worker reads the tables of ``pyspark.zip`` and ``py4j.zip`` again, once per
package imported from them, and after it runs a full garbage collection. That takes 0.3 s of CPU
time, often a hundred times as long as the task itself.
"""

from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path
from zipimport import zipimporter

SPARKS = ("pyspark", "py4j", "spark-core")  # archives of Spark's own modules


def settle(name: str) -> None:
    """Shorten the end of this task and the start of the next; `name` is the kind of task."""
    _freeze(name)
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and Path(finder.archive).name.startswith(SPARKS):
            del sys.path_importer_cache[path]  # recreated on demand from a cached table


@cache  # once per kind of task: its modules and kernels are loaded by then
def _freeze(name: str) -> None:
    gc.collect()
    gc.freeze()
