# SPDX-License-Identifier: MIT
"""Exact answers that add up over the rows, of columns that are read in pieces.

docs/columns.md, "Pieces".
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.labels import Labels

__all__ = ["Totals", "add_pieces"]

Totals: TypeAlias = list[Any]
"""Exact answers: ints, and arrays of int64."""

_LIMIT = 2**63


def add_pieces(
    exact: Callable[[], Totals],
    columns: Sequence[Records | Labels],
    users: Labels | None = None,
) -> Totals:
    """Return the sum of what a function returns of each piece of the rows.

    Parameters
    ----------
    exact : callable
        It reads the columns, each time those of the same rows, and returns as many answers.
    columns : sequence of Records or Labels
        If all are of one relation of DuckDB, they are read in pieces; else there is one piece.
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
    totals: Totals | None = None
    farthest: list[int] = []  # from 0, that a total can be
    with closing(_pieces(together, users)) as pieces:
        for _ in pieces:
            found = exact()
            if totals is None:
                totals, farthest = found, list(map(_largest, found))
                continue
            for i, more in enumerate(found):
                farthest[i] += _largest(more)
                totals[i] = _add(totals[i], more, farthest[i] < _LIMIT)
    assert totals is not None  # there is at least one piece
    return [_saturate(total) if isinstance(total, np.ndarray) else total for total in totals]


def _pieces(
    columns: Sequence[Records | Labels], users: Labels | None
) -> Generator[None, None, None]:
    """Let columns of one relation hold a piece of its rows while each item lasts."""
    found = [each.relation for each in columns]
    bound = None if users is None else users.relation
    shared = {None if each is None else each.shared for each in found}
    (first, *others) = shared
    if first is None or others or (users is not None and not first.repeatable):
        yield  # at once
        return
    yield from first.pieces(None if bound is None else bound.place)


def _largest(found: Any) -> int:
    """Return the distance from 0 of the number that is farthest from it."""
    if not isinstance(found, np.ndarray):
        return 0  # an int, which has room for every total
    return max(int(found.max(initial=0)), -int(found.min(initial=0)))


def _add(total: Any, more: Any, fits: bool) -> Any:
    if fits or not isinstance(more, np.ndarray):
        total += more  # in place
        return total
    return total.astype(object) + more.astype(object)  # Python's ints


def _saturate(total: NDArray[Any]) -> NDArray[np.int64]:
    return np.clip(total, -_LIMIT, _LIMIT - 1).astype(np.int64) if total.dtype == object else total
