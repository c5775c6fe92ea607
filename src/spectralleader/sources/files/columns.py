"""Columns: which columns of a file hold the text, the time and the label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import structs

from spectralleader.sources.files.times import parse_time
from spectralleader.sources.options import SourceOptions
from spectralleader.text.tokens import parse_tokens

# Column names that are recognised, the most specific first.
TEXT_NAMES = (
    *("text", "full_text", "fulltext", "content", "body", "message", "tweet", "headline", "title"),
    *("document", "sentence", "comment", "review", "description", "summary", "abstract"),
)
TIME_NAMES = (
    *("timestamp", "created_at", "datetime", "date_time", "created_utc", "published_at"),
    *("publishedat", "publish_date", "published", "pub_date", "pubdate", "created", "date", "time"),
)
LABEL_NAMES = ("label", "category", "class", "topic", "target", "newsgroup")
MIN_WORDS = 3.0  # a column looks like text if its values have at least this many words on average

Sample = Mapping[str, Sequence[str | None]]


class Columns(msgspec.Struct, frozen=True, omit_defaults=True):
    """The names of the columns that are read; stored with the position of a live source."""

    text: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]  # joined by a space
    time: str | None = None
    label: str | None = None
    keep: tuple[str, ...] = ()  # passed through unchanged
    tokens: bool = False  # whether documents are lists of tokens or objects of counts

    @property
    def wanted(self) -> tuple[str, ...]:
        """All columns that are needed, without duplicates."""
        others = [name for name in (self.time, self.label, *self.keep) if name is not None]
        return tuple(dict.fromkeys([*self.text, *others]))


def choose(
    requested: SourceOptions, names: Sequence[str], sample: Sample, file: str
) -> tuple[Columns, list[str]]:
    """Return the columns to read, and a description of every guess.

    Raises
    ------
    ValueError
        If a named column does not exist, or the text column is ambiguous; the message lists the
        columns.
    """
    guesses = []
    time, label = requested.time or None, requested.label or None
    if requested.time is None and (time := guess_time(names, sample)) is not None:
        guesses.append(f"time from the column {time!r}")
    if requested.label is None and (label := guess_label(names)) is not None:
        guesses.append(f"label from the column {label!r}")
    text = find_requested(requested, names)
    is_guess = text is None
    if text is None:
        others = {requested.time, requested.label, time, label}
        text = (guess_text([name for name in names if name not in others], sample, file, names),)
    columns = Columns(text, time, label, tuple(requested.keep))
    check_columns(columns, names, file)
    example = show_tokens(text[0], sample) if len(text) == 1 and requested.tokens != "" else None
    if example or is_guess:
        guesses.insert(0, example or f"text from the column {text[0]!r}")
    if requested.tokens and not example:
        check_tokens(requested.tokens, sample, file)
    elif requested.tokens is None and not example:
        check_plain(columns, sample, file)
    return structs.replace(columns, tokens=bool(example or requested.tokens)), guesses


def find_requested(requested: SourceOptions, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the text columns that were named, else those learned from; None to guess."""
    if requested.named:
        return requested.named
    if requested.learned is None:
        return None
    # The name of a single column may have a comma.
    learned = (requested.learned,) if requested.learned in names else requested.learned.split(",")
    return tuple(learned) if set(learned) <= set(names) else None


def show_tokens(name: str, sample: Sample) -> str | None:
    """Return a description of the first document, or None unless most values are token lists."""
    found = [parse_tokens(value) for value in sample.get(name, ()) if value and value.strip()]
    # A few rows may be odd, as in `check_plain`.
    if 2 * found.count(None) >= len(found):
        return None
    first = next(filter(None, found), None)
    if first is None:
        return f"{name}: tokens, the first lists are empty"
    counts = " with counts" if isinstance(first, dict) else ""
    tokens = "1 token" if len(first) == 1 else f"{len(first)} tokens"
    return f"{name}: {tokens}{counts}, first {next(iter(first))!r}"


def check_tokens(name: str, sample: Sample, file: str) -> None:
    """Raise if the column for tokens holds plain text."""
    values = [value for value in sample.get(name, ()) if value]
    if values and not any(map(parse_tokens, values)):
        raise ValueError(
            f"the column {name!r} of {file} does not contain lists of tokens but "
            f"{values[0]!r:.40}; pass split=... to split it (--split whitespace or --split ,)"
        )


def check_plain(columns: Columns, sample: Sample, file: str) -> None:
    """Raise if the column for text holds JSON, whose brackets and keys are not words."""
    for name in columns.text:
        values = [value for value in sample.get(name, ()) if value and not value.isspace()]
        # A few rows may be odd; a column of JSON is not text even if some rows are.
        others = [value for value in values if is_structure(value)]
        if 2 * len(others) > len(values):
            raise ValueError(
                f"the column {name!r} of {file} holds neither text nor tokens but "
                f"{others[0]!r:.60}; name a field inside it, as in --text payload.body, or treat "
                'it as text with tokens="" (--tokens ""). Tokens look like ["phone-8", "sale"] or '
                '{"shoe": 2}'
            )


def is_structure(value: str) -> bool:
    """Return whether a value is a JSON list or object."""
    if value[0] not in "[{":
        return False
    try:
        msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return False
    return True


def check_columns(columns: Columns, names: Sequence[str], file: str) -> None:
    """Raise if a column is missing or occurs more than once."""
    for name in columns.wanted:
        if name not in names:
            raise ValueError(f"{file} has no column {name!r}; its columns are {list_names(names)}")
        if list(names).count(name) > 1:
            raise ValueError(f"{file} has more than one column {name!r}: {list_names(names)}")


def list_names(names: Sequence[str]) -> str:
    """Return the names as a list for a message, at most 30 of them."""
    shown = ", ".join(repr(name) for name in names[:30])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > 30 else shown


def guess_text(names: Sequence[str], sample: Sample, file: str, everything: Sequence[str]) -> str:
    """Return the column with a known name for text, else the only one that looks like text."""
    if (known := find_known(names, TEXT_NAMES)) is not None:
        return known
    # Lists of tokens count only if nothing looks like text: files often have lists of tags, too.
    lists = [name for name in names if show_tokens(name, sample)]
    looks = [name for name in names if count_words(sample.get(name, ())) >= MIN_WORDS] or lists
    if len(looks) == 1:
        return looks[0]
    if len(everything) == 1:
        return everything[0]
    raise ValueError(
        f"cannot tell which column of {file} is the text; its columns are "
        f"{list_names(everything)}. Name it with text=... (--text NAME), or tokens=... for lists "
        "of tokens (--tokens NAME); if a CSV file has no header, pass header=False (--no-header)"
    )


def guess_time(names: Sequence[str], sample: Sample) -> str | None:
    """Return the column with a known name for times of which at least half can be parsed."""
    by_name = {name.lower(): name for name in names}
    for known in TIME_NAMES:
        values = [value for value in sample.get(by_name.get(known, ""), ()) if value]
        if known in by_name and sum(map(is_time, values)) * 2 >= len(values):
            return by_name[known]
    return None


def guess_label(names: Sequence[str]) -> str | None:
    """Return the column with a known name for labels, if there is exactly one."""
    found = [name for name in names if name.lower() in LABEL_NAMES]
    return found[0] if len(found) == 1 else None


def find_known(names: Sequence[str], known: Sequence[str]) -> str | None:
    """Return the column whose name comes first among the known ones, ignoring case."""
    # Reversed, so that of columns that differ in case alone the first one is taken.
    by_name = {name.lower(): name for name in reversed(names)}
    return next((by_name[name] for name in known if name in by_name), None)


def count_words(values: Sequence[str | None]) -> float:
    """Return the mean number of words per value; times, lists and objects count as 0."""
    words = [
        0 if value[0] in "[{" or is_time(value) else len(value.split()) for value in values if value
    ]
    return sum(words) / len(words) if words else 0.0


def is_time(value: str | None) -> bool:
    """Return whether a value can be parsed as a time."""
    return parse_time(value) is not None
