"""Addresses: URLs, files and folders mapped to their sources.

A new broker takes one module and one line in `ADDRESSES`.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from spectralleader.sources.live.folder import FolderReader
from spectralleader.sources.live.followed_file import KIND as FILE
from spectralleader.sources.live.followed_file import FollowedFile, find_rotated
from spectralleader.sources.live.protocol import Json
from spectralleader.sources.live.reader import LiveReader
from spectralleader.sources.options import SourceOptions

# Module and class of the source by URL scheme; the broker's client is imported on first use.
ADDRESSES = {
    "redis": ("redis_stream", "RedisStream"),
    "rediss": ("redis_stream", "RedisStream"),
    "kafka": ("kafka_topic", "KafkaTopic"),
}


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
) -> LiveReader | FolderReader:
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
    reader = make_reader(os.fspath(name), SourceOptions(**options))
    try:
        reader.start(after)
    except BaseException:
        reader.close()
        raise
    return reader


def make_reader(name: str, options: SourceOptions) -> LiveReader | FolderReader:
    """Return a reader of a live source that is not started yet; see `open_source`."""
    options.check_live()
    if is_address(name):
        module, kind = ADDRESSES[name.partition("://")[0]]
        home = import_module(f"spectralleader.sources.live.{module}")
        source = getattr(home, kind)(name, options)
        return LiveReader(source, home.KIND, source.name, options)
    check_scheme(name)
    if Path(name).is_dir():
        return FolderReader(name, options)
    if not Path(name).exists() and not find_rotated(Path(name)):
        raise ValueError(f"{name} does not exist")
    return LiveReader(FollowedFile(name, options), FILE, name, options)
