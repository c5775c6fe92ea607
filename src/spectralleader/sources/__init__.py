"""Sources of documents: files, folders, pipes and brokers, each a `Reader` with positions.

This package reads streams; `text` turns their texts into counts. `options` has the one record of
options, and `addresses` the table of brokers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spectralleader.sources.addresses import open_source
    from spectralleader.sources.files.reader import read
    from spectralleader.sources.files.text_block import TextBlock
    from spectralleader.sources.live.protocol import LiveSource, MessageBatch
    from spectralleader.sources.options import SourceOptions
    from spectralleader.sources.reader import Lag, Reader

__all__ = ["Lag", "LiveSource", "MessageBatch", "Reader", "SourceOptions", "TextBlock"]
__all__ += ["open_source", "read"]

# Imported on first use: the command line makes its options from `SourceOptions`, without NumPy.
HOMES = {"Lag": "reader", "Reader": "reader", "SourceOptions": "options", "read": "files.reader"}
HOMES |= dict.fromkeys(("LiveSource", "MessageBatch"), "live.protocol")
HOMES |= {"TextBlock": "files.text_block", "open_source": "addresses"}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
