# SPDX-License-Identifier: MIT
"""The rows of a table or a column of any library, and a subset of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pandas import is_frame, is_series
from cydp._columns.relations import is_relation
from cydp._columns.source import speaks_arrow

__all__ = ["RowsOf"]

_KINDS = "a list, a numpy array, a dict of these, or a table or column of pandas, polars or pyarrow"


class RowsOf:
    """The rows of a table or a column. No value is read before `take`.

    Parameters
    ----------
    x : table or column
    name : str
        What to call it in an error.

    Attributes
    ----------
    length : int
        How many rows there are.

    Raises
    ------
    TypeError, ValueError
        For anything else, such as relations of DuckDB: their rows have no order; and for columns of
        a dict that have different lengths.

    """

    __slots__ = ("_take", "length")

    def __init__(self, x: Any, name: str) -> None:
        self.length, self._take = _open(x, name)

    def take(self, stays: NDArray[np.bool_]) -> Any:
        """Return the rows that stay, in their order."""
        return self._take(stays)


def _open(x: Any, name: str) -> tuple[int, Callable[[NDArray[np.bool_]], Any]]:
    if isinstance(x, list | tuple):
        entries = list(x)  # nobody can add one after the charge
        return len(entries), lambda stays: [entries[i] for i in np.flatnonzero(stays)]
    if isinstance(x, np.ndarray) and x.ndim:
        return len(x), lambda stays: x[stays]
    if isinstance(x, Mapping) and x:
        columns = {label: RowsOf(column, f"{name}[{label!r}]") for label, column in x.items()}
        lengths = {column.length for column in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"{name} must have columns of one length")
        return lengths.pop(), lambda stays: {
            label: column.take(stays) for label, column in columns.items()
        }
    if is_frame(x) or is_series(x):
        _try(lambda: x[np.zeros(len(x), np.bool_)], name)
        return len(x), lambda stays: x[stays]
    if is_relation(x):
        raise TypeError(f"{name} must be fetched first: a relation of DuckDB has rows in any order")
    if speaks_arrow(x) and hasattr(x, "__len__") and hasattr(x, "filter"):
        if hasattr(x, "take"):  # pyarrow
            _try(lambda: x.take(np.array([], np.int64)), name)
            return len(x), lambda stays: x.take(np.flatnonzero(stays))
        return len(x), lambda stays: x[np.flatnonzero(stays)]
    raise TypeError(f"{name} must be {_KINDS}, not {type(x).__name__}")


def _try(take_nothing: Callable[[], object], name: str) -> None:
    """Raise a TypeError, before data is read, if rows of a column of pyarrow cannot be taken."""
    try:
        take_nothing()
    except NotImplementedError as error:
        raise TypeError(
            f"{name} must be cast first, since its rows cannot be taken: {error}"
        ) from None
