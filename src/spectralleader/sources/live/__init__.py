"""Live sources: brokers, followed files and folders, each with a position to resume from.

A source is four methods, see `LiveSource`; `addresses` knows them by scheme. `decoding` makes texts
of messages, `reader` blocks of texts. Whether a message was learned is decided by the position that
is saved with the model, and by nothing else.
"""

from spectralleader.sources.live.addresses import is_address, open_source
from spectralleader.sources.live.protocol import LiveSource, Taken
from spectralleader.sources.live.reader import LiveReader

__all__ = ["LiveReader", "LiveSource", "Taken", "is_address", "open_source"]
