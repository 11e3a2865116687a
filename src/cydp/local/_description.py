# SPDX-License-Identifier: MIT
"""What a survey is, as JSON that its server and its clients share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["read_description", "write_description"]


def write_description(kind: str, parameters: Mapping[str, Any]) -> str:
    """Return the text of a survey of a kind."""
    return json.dumps({"survey": kind, **parameters})


def read_description(text: str | bytes, kind: str, names: frozenset[str]) -> dict[str, Any]:
    """Return the parameters in the text of a survey.

    Raises
    ------
    TypeError, ValueError
        If it is no JSON, or that of another kind, or has other parameters.

    >>> read_description('{"survey": "numbers", "epsilon": "1"}', "numbers", frozenset({"epsilon"}))
    {'epsilon': '1'}
    """
    if not isinstance(text, str | bytes):
        raise TypeError(f"text must be a str that to_json made, not {type(text).__name__}")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("text must be JSON that to_json made") from None
    if not isinstance(found, dict) or found.pop("survey", None) != kind or set(found) != names:
        raise ValueError(f"text must be JSON that to_json of a survey of {kind} made")
    return found
