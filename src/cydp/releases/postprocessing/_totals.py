# SPDX-License-Identifier: MIT
"""The totals that a user gives for tables of counts. docs/releases/postprocessing.md."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rational import read_integer
from cydp.releases._number import NumberRelease

__all__ = ["ReleasedTotal", "Total", "has_released", "read_totals", "words_of"]

Total: TypeAlias = int | tuple[int, ...]
"""The total of a table, or of the table of each key."""

_WORD = 2**64 - 1


class ReleasedTotal(int):
    """A total with noise: where no table has it, a note says so, and there is no error.

    An error would depend on the noise.
    """

    __slots__ = ()


def has_released(total: Total) -> bool:
    """Whether a total, or that of a key, is a released one."""
    return any(isinstance(each, ReleasedTotal) for each in _all_of(total))


def _all_of(total: Total) -> tuple[int, ...]:
    return total if isinstance(total, tuple) else (total,)


def read_totals(n: Any, by_keys: bool, tables: int, cells: int, name: str = "n") -> Total:
    """Read the total of a table, or of the table of each key.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or not one for each key; if no table of so many int64 cells has it.

    """
    if not by_keys:
        return _read_total(n, name, cells)
    if np.ndim(n) != 1 or len(n) != tables:
        raise ValueError(
            f"{name} must be a sequence with one integer for each of the {tables} keys"
        )
    return tuple(_read_total(each, f"each of {name}", cells) for each in n)


def _read_total(n: Any, name: str, cells: int) -> int:
    if isinstance(n, NumberRelease):
        if not n.query.is_count:
            raise TypeError(f"{name} must be an integer or a released count, not a released sum")
        return ReleasedTotal(n.value)
    total = read_integer(n, name)
    # Without cells there may be none because no keys were found, which noise has decided.
    if cells and not -cells * 2**63 <= total < cells * 2**63:
        raise ValueError(f"{name} must be what {cells} counts in int64 can sum to")
    return total


def words_of(total: Total) -> NDArray[np.uint64]:
    """Return totals as pairs (low, high) of words, in two's complement.

    >>> words_of(2**64 + 5)
    array([[5, 1]], dtype=uint64)
    """
    totals = _all_of(total)
    pairs = [(each & _WORD, each >> 64 & _WORD) for each in totals]
    return np.array(pairs, np.uint64).reshape(len(totals), 2)
