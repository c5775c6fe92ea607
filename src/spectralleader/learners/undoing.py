"""Undoing: a step that fails leaves a learner as it was.

What a step replaces is put back by the fields that objects had before it, which costs a shallow
copy of a dictionary. What it changes in place (the sample, statistics) is for the learner to see
to.
"""

from __future__ import annotations

from typing import Any

Fields = list[tuple[Any, dict[str, Any]]]


def fields_of(*things: Any) -> Fields:
    """Return what objects hold at present, for `put_back`; nothing is copied that they hold."""
    return [(thing, thing.__dict__.copy()) for thing in things]


def put_back(fields: Fields) -> None:
    """Let objects hold what they held."""
    for thing, held in fields:
        thing.__dict__.clear()
        thing.__dict__.update(held)
