# SPDX-License-Identifier: MIT
"""A result as columns, and as a pandas DataFrame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.releases.output._sheet import Sheet

__all__ = ["columns_of", "frame_of"]

_PANDAS_TIMES = ("s", "ms", "us", "ns")


def columns_of(sheet: Sheet, *, intervals: bool) -> dict[str, NDArray[Any]]:
    """Return labels and numbers by their names, each an array with an entry for each cell."""
    found = {_escaped(name): _with_whole_text(keys) for name, keys in sheet.labels().items()}
    for column in sheet.columns:
        name = _escaped(column.name)
        found[name] = np.ravel(column.values)
        if intervals and column.lower is not None and column.upper is not None:
            found[f"{name}_lower"] = np.ravel(column.lower)
            found[f"{name}_upper"] = np.ravel(column.upper)
    return found


def _with_whole_text(keys: NDArray[Any]) -> NDArray[Any]:
    """Return keys with halves of surrogate pairs escaped, which no encoding of text has."""
    if keys.dtype.kind not in "OUT":
        return keys
    entries = keys.tolist()
    try:
        "".join(entry for entry in entries if isinstance(entry, str)).encode()
    except UnicodeEncodeError:
        escaped = np.empty(len(entries), object)
        escaped[:] = [_escaped(entry) if isinstance(entry, str) else entry for entry in entries]
        return escaped
    return keys


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def frame_of(sheet: Sheet, *, intervals: bool) -> Any:
    """Return the columns as a DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs pandas: pip install pandas") from None
    columns = columns_of(sheet, intervals=intervals)
    return pandas.DataFrame({name: _plain(column) for name, column in columns.items()})


def _plain(column: NDArray[Any]) -> Any:
    """Return an array that pandas can hold: a copy, with times in one of its units."""
    if column.dtype.kind in "Mm" and np.datetime_data(column.dtype)[0] not in _PANDAS_TIMES:
        return _in_seconds(column)
    return column.astype(object) if column.dtype.kind in "USTV" else column.copy()


def _in_seconds(times: NDArray[Any]) -> NDArray[Any]:
    """Return times in seconds; as text if that would change them."""
    seconds = times.astype(f"{times.dtype.kind}8[s]")
    same = (seconds.astype(times.dtype) == times) | np.isnat(times)
    return seconds if same.all() else times.astype(str).astype(object)
