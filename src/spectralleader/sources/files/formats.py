"""Formats of files, recognised by name or by the first bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.columns import LABEL_NAMES, TEXT_NAMES, TIME_NAMES
from spectralleader.sources.files.delimited import Delimited, find_delimiter
from spectralleader.sources.files.json_lines import JsonLines
from spectralleader.sources.files.parquet import Parquet
from spectralleader.sources.files.table import PlainText, Table

FORMATS: dict[str, Callable[..., Table]] = {
    "csv": Delimited,
    "tsv": partial(Delimited, delimiter=b"\t"),
    "jsonl": JsonLines,
    "parquet": Parquet,
    "text": PlainText,
}
WITH_HEADER = ("csv", "tsv")
ENDINGS = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "json": "jsonl",
    "parquet": "parquet",
    "pq": "parquet",
    "txt": "text",
}
COMPRESSED = ("gz", "gzip", "zst", "zstd")
HEAD = 8192  # bytes in which NUL means binary data: the header of an archive, and more
MODEL = b"spectralleader\r\n"  # how files of `storage` begin, which this package does not know


def open_table(
    name: str, format: str | None = None, encoding: str | None = None, *, header: bool = True
) -> Table:
    """Open a file in the given format; by default it is guessed from the name or first bytes.

    The encoding defaults to UTF-8. `header` is whether CSV and TSV begin with names of columns.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    source = ByteStream(name, encoding)
    try:
        chosen = format or find_format(name, source.first)
        check_text(source, chosen)
        if header:
            return FORMATS[chosen](source)
        if chosen not in WITH_HEADER:
            raise ValueError(
                f"{source.name} is read as {chosen}, which has no header: omit header=False "
                "(--no-header), or name the format with format=... (--format csv)"
            )
        return FORMATS[chosen](source, header=False)
    except BaseException:
        source.close()
        raise


def check_text(source: ByteStream, format: str) -> None:
    """Raise if data are a saved model, or binary data in a format of text."""
    if source.first.startswith(MODEL):
        raise ValueError(f"{source.name} is a saved model, not texts; read it with `topics`")
    # The rule is simple on purpose, so that users can predict it: see docs/decisions.md.
    if format != "parquet" and source.encoding is None and b"\0" in source.first[:HEAD]:
        raise ValueError(
            f"{source.name} is binary data, not text: it has NUL bytes; if it is text in UTF-16, "
            "Latin-1 or another encoding, name that, as in --encoding utf-16"
        )


def find_format(name: str, first: bytes) -> str:
    """Return the format of a file with this name and these first bytes."""
    # The magic bytes of Parquet count more than the name.
    if first.startswith(b"PAR1"):
        return "parquet"
    return ENDINGS.get(find_ending(name), "") or sniff(first)


def find_ending(name: str) -> str:
    """Return the extension of a file without that of its compression, in lower case."""
    endings = Path(name).name.lower().split(".")[1:]
    while endings and endings[-1] in COMPRESSED:
        endings.pop()
    return endings[-1] if endings else ""


def sniff(first: bytes) -> str:
    """Return the format of data: JSON objects, a header with a known column, or plain text."""
    if first.lstrip().startswith(b"{"):
        return "jsonl"
    # Sentences have commas, too: only a known name tells a header.
    delimiter = find_delimiter(first)
    header = first.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    names = [name.strip().strip('"').lower() for name in header.split(delimiter.decode())]
    if not set(names) & {*TEXT_NAMES, *TIME_NAMES, *LABEL_NAMES}:
        return "text"
    return "tsv" if delimiter == b"\t" else "csv"
