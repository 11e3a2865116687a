# SPDX-License-Identifier: MIT
"""Exact answers that add up over the rows, from columns that are read in pieces.

docs/columns.md, "Pieces".
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels, Records
from cydp._columns.shared import SharedRows

__all__ = ["Totals", "add_pieces", "add_totals", "join_halves"]

Totals: TypeAlias = list[Any]
"""Exact answers: ints, and arrays of int64."""

_LOW = np.int64(2**32 - 1)  # the lower half of an int64
_BLOCK = 2**16


def add_pieces(
    exact: Callable[[], Totals],
    columns: Sequence[Records | Labels],
    users: Labels | None = None,
) -> Totals:
    """Return the sum of what a function returns for each piece of the rows.

    Parameters
    ----------
    exact : callable
        It reads all columns of the same rows, and returns the same number of answers each time.
    columns : sequence of Records or Labels
        If all are of one query, such as a relation of DuckDB, they are read in pieces; else there
        is one piece.
    users : Labels, optional
        One more column. All rows of a user are in one piece.

    Returns
    -------
    list
        Arrays are what int64 can hold: a sum beyond it is the end of its range.

    Examples
    --------
    >>> records = Records([1, 2, None])
    >>> add_pieces(lambda: [len(records.read())], [records])
    [3]

    """
    together = [*columns, *(() if users is None else (users,))]
    if any(each.length is not None for each in together):  # in memory: most often
        return exact()

    def of_piece(rows: SharedRows | None) -> Totals:
        found = exact()
        if rows is not None:
            rows.answers = sum(map(np.size, found))
        return found

    with closing(_pieces(together, users)) as pieces:
        return add_totals(map(of_piece, pieces))


def add_totals(parts: Iterable[Totals]) -> Totals:
    """Return the sum of exact answers, of which there is one list at least.

    Arrays are what int64 can hold, as in `add_pieces`.

    >>> add_totals([[1, np.array([2, 3])], [4, np.array([5, 6])]])
    [5, array([7, 9])]
    """
    totals: list[Any] = []
    for i, found in enumerate(parts):
        if i == 0:
            totals = list(found)
            continue
        for k, more in enumerate(found):
            if isinstance(totals[k], np.ndarray):
                totals[k] = _Total(totals[k])
            totals[k] += more
    return [each.value() if isinstance(each, _Total) else each for each in totals]


class _Total:
    """A sum of arrays of int64, which may be beyond int64 on its way.

    It is kept in halves of 32 bits, so that no step of its work depends on the numbers.
    """

    __slots__ = ("_high", "_low")

    def __init__(self, first: NDArray[np.int64]) -> None:
        self._high, self._low = first >> 32, first & _LOW

    def __iadd__(self, more: NDArray[np.int64]) -> Self:
        self._high += more >> 32
        self._low += more & _LOW
        return self

    def value(self) -> NDArray[np.int64]:
        """Return the sum; beyond int64, the end of its range."""
        return join_halves(self._high, self._low)


def join_halves(high: NDArray[np.int64], low: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return high * 2**32 + low; beyond int64, the end of its range.

    >>> join_halves(np.array([-1, 2**40]), np.array([2**33, 7])).tolist()
    [4294967296, 9223372036854775807]
    """
    found, ends = np.empty(np.shape(high), np.int64), np.iinfo(np.int64)
    places, lows, highs = found.reshape(-1), np.ravel(low), np.ravel(high)
    for first in range(0, found.size, _BLOCK):  # of so many at a time: little besides the result
        block = slice(first, first + _BLOCK)
        above = highs[block] + (lows[block] >> 32)
        joined = (above << 32) | (lows[block] & _LOW)
        joined[above >= 2**31], joined[above < -(2**31)] = ends.max, ends.min
        places[block] = joined
    return found


def _pieces(
    columns: Sequence[Records | Labels], users: Labels | None
) -> Generator[SharedRows | None, None, None]:
    """Let columns of one query, which is yielded, hold a piece of its rows at each item."""
    found = [each.shared for each in columns]
    bound = None if users is None else users.shared
    (first, *others) = {None if each is None else each.rows for each in found}
    if first is None or others or (users is not None and not first.repeatable):
        yield None  # at once
        return
    yield from first.pieces(None if bound is None else bound.place)
