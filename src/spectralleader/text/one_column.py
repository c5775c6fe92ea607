"""A check that texts are one column, not a table of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def check_one_column(texts: Any) -> None:
    """Raise `TypeError` for a data frame, an Arrow table or a dictionary.

    Iterating over them yields names of columns, which are strings as well and would be learned.

    Examples
    --------
    >>> check_one_column({"id": [1, 2], "text": ["rain", "wind"]})
    Traceback (most recent call last):
        ...
    TypeError: texts must be one column, got a dict of 'id', 'text'; pass one of them: texts['text']
    """
    # Looked up in the class: a lazy frame would have to be evaluated to name its columns.
    is_table = hasattr(type(texts), "columns")
    if not is_table and not isinstance(texts, Mapping):
        return
    kind = type(texts).__name__
    if not hasattr(texts, "__len__"):
        raise TypeError(f"texts must be one column, got a {kind}; collect it and pass one column")
    names = list(texts)
    if is_table:
        names = list(getattr(texts, "column_names", None) or texts.columns)  # Arrow; data frames
    best = "text" if "text" in names else next(iter(names), "text")
    listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    variable = "df" if kind == "DataFrame" else "texts"
    raise TypeError(
        f"texts must be one column, got a {kind} of {listed or 'no columns'}; pass one of them: "
        f"{variable}[{best!r}]"
    )
