"""Formats of files, recognised by name or by the first bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from spectralleader.sources.files.byte_stream import ByteStream
from spectralleader.sources.files.columns import LABEL_NAMES, TEXT_NAMES, TIME_NAMES
from spectralleader.sources.files.delimited import Delimited, find_delimiter
from spectralleader.sources.files.json_lines import JsonLines
from spectralleader.sources.files.lines import PlainText
from spectralleader.sources.files.table import Table


def open_parquet(source: ByteStream) -> Table:
    """Open a Parquet file."""
    if source.encoding is not None:
        raise ValueError(f"{source.name} is Parquet, which is always UTF-8; omit the encoding")
    from spectralleader.sources.files.parquet import Parquet  # imports polars, which takes 0.2 s

    return Parquet(source)


FORMATS: dict[str, Callable[[ByteStream], Table]] = {
    "csv": Delimited,
    "tsv": lambda source: Delimited(source, b"\t"),
    "jsonl": JsonLines,
    "parquet": open_parquet,
    "text": PlainText,
}
WITHOUT_HEADER: dict[str, Callable[[ByteStream], Table]] = {
    "csv": lambda source: Delimited(source, header=False),
    "tsv": lambda source: Delimited(source, b"\t", header=False),
}
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
# Binary data: UTF-16 has 1/2 NUL bytes in most languages. Random bytes are 2/5 invalid UTF-8 and
# 1/10 control characters, which text in Latin-1 or Shift JIS hardly has. White space does not
# count, nor does ESC, which colours logs and begins encodings such as ISO-2022-JP.
SAMPLES = (512, 8192)  # bytes examined: the header of an archive, and more
MIN_SAMPLE = 128  # bytes; in shorter data, a few NUL bytes are many
MIN_BYTES = 32  # in shorter data, nothing else than NUL bytes can be told
MAX_NUL, MAX_INVALID, MAX_CONTROL = 2 / 5, 1 / 10, 1 / 20
CONTROLS = bytes({*range(32), 0x7F} - {*b"\0\t\n\v\f\r\x1b"})
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
        if source.first.startswith(MODEL):
            raise ValueError(f"{source.name} is a saved model, not texts; read it with `topics`")
        chosen = format or find_format(name, source.first)
        if chosen != "parquet" and is_binary(source.first):
            raise ValueError(
                f"{source.name} is binary data, not text; if it is text in UTF-16, Latin-1 or "
                "another encoding, name that, as in --encoding utf-16 or --encoding latin-1"
            )
        if not header and chosen not in WITHOUT_HEADER:
            raise ValueError(
                f"{source.name} is read as {chosen}, which has no header: omit header=False "
                "(--no-header), or name the format with format=... (--format csv)"
            )
        return (FORMATS if header else WITHOUT_HEADER)[chosen](source)
    except BaseException:
        source.close()
        raise


def is_binary(first: bytes) -> bool:
    r"""Return whether data are not text.

    Many bytes are NUL, or many are not UTF-8 and some are NUL or many are control characters. A few
    NUL bytes are valid text, and rows in another encoding are only skipped.

    Examples
    --------
    >>> is_binary(b"rain\0wind\n"), is_binary("rain and wind".encode("utf-16-le") * 9)
    (False, True)
    """
    for size in SAMPLES:
        sample = first[:size]
        n_nul = sample.count(0)
        if len(sample) >= MIN_SAMPLE and n_nul > MAX_NUL * len(sample):
            return True
        if not n_nul and not has_controls(sample):
            continue
        if sample.decode("utf-8", "replace").count("\ufffd") > MAX_INVALID * len(sample):
            return True
    return False


def has_controls(sample: bytes) -> bool:
    """Return whether data have more control characters than text."""
    n_controls = len(sample) - len(sample.translate(None, CONTROLS))
    return len(sample) >= MIN_BYTES and n_controls > MAX_CONTROL * len(sample)


def find_format(name: str, first: bytes) -> str:
    """Return the format of a file with this name and these first bytes."""
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
    delimiter = find_delimiter(first)
    header = first.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    names = [name.strip().strip('"').lower() for name in header.split(delimiter.decode())]
    if not set(names) & {*TEXT_NAMES, *TIME_NAMES, *LABEL_NAMES}:
        return "text"
    return "tsv" if delimiter == b"\t" else "csv"
