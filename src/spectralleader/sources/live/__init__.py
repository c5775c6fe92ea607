"""Live sources: brokers, followed files and folders, each with a position to resume from.

A source implements the methods of `LiveSource` (`protocol`). `decoding` turns messages into texts,
and `reader` groups texts into blocks. The position saved with the model is the only record of which
messages were learned.
"""
