# SPDX-License-Identifier: MIT
"""A result as a dict that JSON can hold, and as JSON. docs/releases/output.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import float_of, read_exact
from cydp.releases.output._sheet import Axis, Numbers, Sheet, are_times, time_words

__all__ = ["dict_of", "json_of"]


def dict_of(each: Sheet, together: Sheet, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as a dict.

    Parameters
    ----------
    each, together : Sheet
        The result with error bounds for each cell, and for all together.
    facts : mapping
        Further facts; costs in "exact" are given as numbers too.

    """
    exact = facts.get("exact", {})
    names = ("epsilon", "delta", "rho")
    costs = {name: float_of(read_exact(exact[name], name)) for name in names if name in exact}
    columns = zip(each.columns, together.columns, strict=True)
    return {
        "title": each.title,
        **costs,
        "relation": each.relation,
        "protects": each.protects,
        "axes": [
            _axis(axis, names)
            for axis, names in zip(each.axes, each.label_names_by_axis, strict=True)
        ],
        "columns": {
            one.name: _column(one, other, float_of(each.confidence)) for one, other in columns
        },
        "notes": list(each.notes),
        **facts,
    }


def json_of(result: Mapping[str, Any]) -> str:
    """Return the text of a dict; numbers are finite."""
    return json.dumps(result, allow_nan=False)


def _axis(axis: Axis, names: list[str]) -> dict[str, Any]:
    if axis.edges is not None:
        return {"name": axis.names[0] or None, "edges": _labels(axis.edges)}
    keys = zip(names, axis.keys, strict=True)
    return {"name": None, "keys": {name: _labels(column) for name, column in keys}}


def _column(each: Numbers, together: Numbers, confidence: float) -> dict[str, Any]:
    return {
        "unit": each.unit or None,
        "values": _numbers(each.values),
        "lower": _numbers(each.lower),
        "upper": _numbers(each.upper),
        "error": None
        if each.bound is None and not each.why_none
        else {
            "confidence": confidence,
            "each": _numbers(each.bound),
            "together": _numbers(together.bound),
            **({"unit": each.bound_unit} if each.bound_unit else {}),
        },
        **({"why_no_error": each.why_none} if each.why_none else {}),
    }


def _numbers(values: Any) -> Any:
    """Return numbers as lists, with None for numbers that are not finite."""
    if values is None:
        return None
    array = np.asarray(values)
    if are_times(array):
        return np.vectorize(time_words, otypes=[object])(array).tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        held = array.astype(object)
        held[~np.isfinite(array)] = None
        return held.tolist()
    return array.tolist() if isinstance(values, np.ndarray) else values


def _labels(labels: NDArray[Any]) -> list[Any]:
    if labels.dtype.kind in "Mm":
        return [str(label) for label in labels]
    return [_label(label) for label in labels.tolist()]


def _label(label: Any) -> Any:
    """Return a label as JSON can hold it, else its text."""
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if isinstance(label, float) and not math.isfinite(label):
        return time_words(label)
    if label is None or type(label) in (bool, int, float):
        return label
    return time_words(label)
