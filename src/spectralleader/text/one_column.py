"""Columns of texts, whatever library holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spectralleader.errors import missing_extra

TO_LIST = ("to_list", "to_pylist", "tolist")  # Polars and pandas, Arrow, NumPy


def as_list(column: Any) -> Any:
    """Return a column of Polars, pandas, NumPy or Arrow as a list; other objects unchanged.

    No library is imported for that, unless the column has Arrow's interface for C alone.
    """
    for name in TO_LIST:
        if hasattr(column, name):
            return getattr(column, name)()
    if not hasattr(column, "__arrow_c_stream__"):
        return column
    try:
        import pyarrow
    except ImportError:
        what = f"reading a {type(column).__name__} by Arrow's interface"
        raise TypeError(missing_extra(what, "parquet")) from None
    return pyarrow.chunked_array(column).to_pylist()


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
