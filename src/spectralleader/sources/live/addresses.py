"""Addresses: which source a name stands for. Another broker is one file and one line here."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from spectralleader.sources.files.columns import Wish
from spectralleader.sources.live.folder import FolderReader
from spectralleader.sources.live.followed import KIND as FILE
from spectralleader.sources.live.followed import Followed
from spectralleader.sources.live.protocol import Json, Say
from spectralleader.sources.live.reader import WAIT, LiveReader

# By scheme: the module and the class of the source. Its client is imported when it is used.
ADDRESSES = {
    "redis": ("redis_stream", "RedisStream"),
    "rediss": ("redis_stream", "RedisStream"),
    "kafka": ("kafka_topic", "KafkaTopic"),
}
STARTS = ("earliest", "latest")


def is_address(name: str) -> bool:
    """Return whether a name is that of a stream of a broker.

    Examples
    --------
    >>> is_address("redis://localhost/0/clicks"), is_address("clicks.jsonl")
    (True, False)
    """
    return name.partition("://")[0] in ADDRESSES and "://" in name


def check_scheme(name: str) -> None:
    """Raise for an address of a scheme that is not known."""
    scheme, is_url, _ = name.partition("://")
    if is_url and scheme not in ADDRESSES and not Path(name).exists():
        known = ", ".join(f"{one}://" for one in ADDRESSES)
        raise ValueError(f"{scheme}:// is not known; known are {known}, files and folders")


def open_source(
    name: str | os.PathLike[str],
    *,
    after: Json | None = None,
    text: str | list[str] | tuple[str, ...] | None = None,
    tokens: str | None = None,
    time: str | None = None,
    label: str | None = None,
    block: int = 100,
    follow: bool = True,
    start: str = "earliest",
    strict: bool = False,
    format: str | None = None,
    say: Say = lambda line: None,
    wait: float = WAIT,
) -> LiveReader | FolderReader:
    r"""Read a stream in blocks, each with the position after it.

    Parameters
    ----------
    name : str or path
        redis://host:port/db/STREAM, kafka://host:port/TOPIC, a file or a folder.
    after : JSON, optional
        The position to go on after, such as `TextTopics.position`; if omitted or None, `start`
        says where.
    text, tokens, time, label, format, strict
        See `read`; paths such as payload.body reach into JSON.
    block : int
        Documents per block.
    follow : bool
        Wait for more at the end. If false, the last block may be smaller.
    start : str
        Where to begin without a position: "earliest" or "latest".
    say : callable
        Called with a line when there is something to report, such as a broker that is away.
    wait : float
        Seconds after which a block that is not full comes all the same, at the end of a stream that
        is followed: documents do not wait for others that may be long in coming. With `math.inf`
        only whole blocks come.

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
    reader = make_reader(
        os.fspath(name),
        Wish(text, time, label, tokens=tokens),
        block=block,
        follow=follow,
        start=start,
        strict=strict,
        format=format,
        say=say,
        wait=wait,
    )
    try:
        reader.start(after)
    except BaseException:
        reader.close()
        raise
    return reader


def make_reader(
    name: str,
    wish: Wish,
    *,
    block: int = 100,
    follow: bool = True,
    start: str = "earliest",
    strict: bool = False,
    format: str | None = None,
    say: Say = lambda line: None,
    wait: float = WAIT,
) -> LiveReader | FolderReader:
    """Return a reader of a live source, not yet started; parameters as for `open_source`."""
    if start not in STARTS:
        raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start!r}")
    reading: dict[str, Any] = {"size": block, "follow": follow, "strict": strict, "say": say}
    waiting: dict[str, Any] = {**reading, "wait": wait}
    if is_address(name):
        scheme = name.partition("://")[0]
        module, kind = ADDRESSES[scheme]
        home = import_module(f"spectralleader.sources.live.{module}")
        make: Callable[..., Any] = getattr(home, kind)
        own = {"portion": block} if home.KIND == "kafka" else {}
        source = make(name, start=start, strict=strict, say=say, follow=follow, **own)
        return LiveReader(source, home.KIND, source.name, wish, **waiting)
    check_scheme(name)
    if Path(name).is_dir():
        return FolderReader(name, wish, format=format, **reading)
    if not Path(name).exists():
        raise ValueError(f"{name} does not exist")
    followed = Followed(name, start=start, say=say, format=format, follow=follow)
    return LiveReader(followed, FILE, name, wish, **waiting)
