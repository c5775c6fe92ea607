"""Addresses: URLs, files and folders mapped to their readers.

A new source takes one module with a `LiveSource` and one line in `ADDRESSES`.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spectralleader.sources.options import Json, SourceOptions

if TYPE_CHECKING:
    from spectralleader.sources.reader import Reader

# Module and class of the source by URL scheme; the broker's client is imported on first use.
ADDRESSES = {
    "redis": "spectralleader.sources.live.redis_stream:RedisStream",
    "rediss": "spectralleader.sources.live.redis_stream:RedisStream",
    "kafka": "spectralleader.sources.live.kafka_topic:KafkaTopic",
}


def find_source(scheme: str) -> Any:
    """Return the class of the sources with this URL scheme, a `LiveSource`."""
    module, _, name = ADDRESSES[scheme].partition(":")
    return getattr(import_module(module), name)


def list_forms() -> list[str]:
    """Return the forms of all addresses, as in redis://host:port/db/STREAM."""
    return list(dict.fromkeys(find_source(scheme).form for scheme in ADDRESSES))


def is_address(name: str) -> bool:
    """Return whether a name is the URL of a stream on a broker.

    Examples
    --------
    >>> is_address("redis://localhost/0/clicks"), is_address("clicks.jsonl")
    (True, False)
    """
    return name.partition("://")[0] in ADDRESSES and "://" in name


def check_scheme(name: str) -> None:
    """Raise for a URL with an unknown scheme."""
    scheme, is_url, _ = name.partition("://")
    # A file may have such a name.
    if is_url and scheme not in ADDRESSES and not Path(name).exists():
        known = ", ".join(f"{one}://" for one in ADDRESSES)
        raise ValueError(f"unknown scheme {scheme}://; use {known}, a file or a folder")


def open_source(
    name: str | os.PathLike[str], *, after: Json | None = None, **options: Any
) -> Reader:
    r"""Return an iterator over blocks of a stream, each with the position after it.

    Parameters
    ----------
    name : str or path
        redis://host:port/db/STREAM, kafka://host:port/TOPIC, a file or a folder.
    after : JSON, optional
        The position to resume from, such as `TextTopics.position`. If omitted, `start` decides.
    **options
        Columns, `block`, `follow`, `start` and others, see `SourceOptions`.

    Raises
    ------
    ValueError
        If the source does not exist or cannot be reached, or the position is not in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.txt")
    ...     _ = path.write_text("rain and wind\nlate goal\n")
    ...     with open_source(path, follow=False) as source:
    ...         [block] = source
    ...     with path.open("a") as file:
    ...         _ = file.write("snow\n")
    ...     with open_source(path, follow=False, after=block.position) as source:
    ...         [new] = source
    >>> block.texts, new.texts
    (['rain and wind', 'late goal'], ['snow'])
    """
    reader = make_live_reader(os.fspath(name), SourceOptions(**options))
    try:
        reader.open(after)
    except BaseException:
        reader.close()
        raise
    return reader


def make_live_reader(name: str, options: SourceOptions) -> Reader:
    """Return a reader of a live source that is not open yet; see `open_source`."""
    # The command line needs the table of addresses alone, and no NumPy for its help.
    from spectralleader.sources.live.folder import FolderReader
    from spectralleader.sources.live.followed_file import FollowedFile, find_rotated
    from spectralleader.sources.live.reader import LiveReader

    options.check_live()
    if is_address(name):
        return LiveReader(find_source(name.partition("://")[0])(name, options), options)
    check_scheme(name)
    if Path(name).is_dir():
        return FolderReader(name, options)
    if not Path(name).exists() and not find_rotated(Path(name)):
        raise ValueError(f"{name} does not exist")
    return LiveReader(FollowedFile(name, options), options)
