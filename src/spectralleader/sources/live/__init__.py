"""Live sources: brokers, followed files and folders, each with a position to resume from.

A source implements the four methods of `LiveSource`; `addresses` maps URL schemes to sources.
`decoding` turns messages into texts, and `reader` groups texts into blocks. The position saved with
the model is the only record of which messages were learned.
"""

from spectralleader.sources.live.addresses import is_address, open_source
from spectralleader.sources.live.protocol import LiveSource, MessageBatch
from spectralleader.sources.live.reader import LiveReader

__all__ = ["LiveReader", "LiveSource", "MessageBatch", "is_address", "open_source"]
