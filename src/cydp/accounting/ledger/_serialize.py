# SPDX-License-Identifier: MIT
"""Results of releases as strings that a ledger keeps: JSON, in which arrays are bytes.

A string that is read back cannot run code, as a pickle could.
"""

from __future__ import annotations

import base64
import importlib
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from cydp._columns.pandas import parts_of_series

__all__ = ["check_size", "deserialize", "register", "serialize"]

_Kind = TypeVar("_Kind")

MOST_BYTES = 2**26  # in the arrays of one result: 64 MiB
_MOST_TEXT = 2**27  # characters of the string of one result
_ARRAY, _FLOAT, _FRACTION, _OBJECT, _SERIES = "$array", "$float", "$fraction", "$object", "$series"
_TEXT = "$text"  # an array of objects, all of them strings
_CLASSES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {}


def register(
    kind: type[_Kind], pack: Callable[[_Kind], Any], unpack: Callable[[Any], _Kind]
) -> None:
    """Let results have objects of a class, which `pack` turns into results of other kinds."""
    _CLASSES[kind.__name__] = kind, pack, unpack


def serialize(result: Any) -> str:
    """Return a result as a string.

    Raises
    ------
    TypeError, ValueError
        If the result is None, if it holds anything but JSON, Fractions, arrays of numbers, times or
        text, pandas Series of these, and releases, or if it is longer than a ledger keeps.

    Examples
    --------
    >>> deserialize(serialize({"counts": np.array([1, 2])}))
    {'counts': array([1, 2])}

    """
    if result is None:
        raise TypeError("result must not be None, which could not be told from no result")
    try:
        packed, size = _pack(result)
        check_size(size)
        text = json.dumps(packed, allow_nan=False)
    except RecursionError:
        raise ValueError("result must not be nested so deeply, or hold itself") from None
    check_size(len(text) - _MOST_TEXT + MOST_BYTES)
    return text


def deserialize(text: str) -> Any:
    """Return the result of which `serialize` has made a string; tuples have become lists."""
    return _unpack(json.loads(text))


def check_size(size: int) -> None:
    """Raise a ValueError for more bytes than a ledger keeps of one result."""
    if size > MOST_BYTES:
        raise ValueError(
            f"a ledger keeps results of up to {MOST_BYTES:,} bytes, and this one has {size:,}: "
            "charge without a charge_id, and store the result elsewhere"
        )


def _pack(result: Any) -> tuple[Any, int]:
    """Return a result as JSON can hold it, and how many bytes its arrays have."""
    if isinstance(result, np.generic):
        return _pack(result.item())
    if isinstance(result, np.ndarray):
        if result.dtype == object and result.ndim == 1 and set(map(type, result)) <= {str}:
            return {_TEXT: result.tolist()}, 0
        if result.dtype.kind not in "biufmM" or isinstance(result, np.ma.MaskedArray):
            raise TypeError(
                "result must have arrays of numbers, times or text only, without a mask"
            )
        native = np.ascontiguousarray(result, result.dtype.newbyteorder("<"))
        data = base64.b64encode(native.tobytes()).decode()
        return {_ARRAY: [native.dtype.str, list(result.shape), data]}, native.nbytes
    for name, (kind, pack, _) in _CLASSES.items():
        if type(result) is kind:
            packed, size = _pack(pack(result))
            return {_OBJECT: [name, packed]}, size
    if isinstance(result, dict):
        if not all(isinstance(key, str) and not key.startswith("$") for key in result):
            raise TypeError("result must have keys that are text and do not begin with '$'")
        parts = {key: _pack(value) for key, value in result.items()}
        return {key: part for key, (part, _) in parts.items()}, sum(n for _, n in parts.values())
    if isinstance(result, list | tuple):
        entries = [_pack(entry) for entry in result]
        return [entry for entry, _ in entries], sum(size for _, size in entries)
    if (series := parts_of_series(result)) is not None:
        packed, size = _pack(series)
        return {_SERIES: packed}, size
    if isinstance(result, Fraction):
        return {_FRACTION: str(result)}, 0
    if isinstance(result, float) and not math.isfinite(result):
        return {_FLOAT: repr(result)}, 0
    if not (result is None or isinstance(result, str | int | float)):
        raise TypeError(
            "result must hold what JSON can, Fractions, arrays, Series and releases only, not "
            f"{type(result).__name__}"
        )
    return result, 0


def _unpack(packed: Any) -> Any:
    if isinstance(packed, list):
        return [_unpack(entry) for entry in packed]
    if not isinstance(packed, dict):
        return packed
    if _ARRAY in packed:
        kind, shape, data = packed[_ARRAY]
        stored = np.dtype(kind)
        array = np.frombuffer(base64.b64decode(data), stored).reshape(shape)
        return array.astype(stored.newbyteorder("="))
    if _TEXT in packed:
        return np.array([*packed[_TEXT], None], object)[:-1]  # of objects, even if it is empty
    if _SERIES in packed:
        index, name, values = map(_unpack, packed[_SERIES])
        return importlib.import_module("pandas").Series(values, index=index, name=name)
    if _FRACTION in packed:
        return Fraction(packed[_FRACTION])
    if _FLOAT in packed:
        return float(packed[_FLOAT])
    if _OBJECT in packed:
        name, parts = packed[_OBJECT]
        return _CLASSES[name][2](_unpack(parts))
    return {key: _unpack(value) for key, value in packed.items()}
