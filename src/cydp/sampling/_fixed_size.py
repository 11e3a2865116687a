# SPDX-License-Identifier: MIT
"""Samples of a fixed size, without replacement. docs/sampling.md, "Samples of a fixed size"."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.sampling._amplified import read_share

__all__ = ["FixedSize", "draw_subset", "read_sample"]

_WORD = 2**64
_MOST_ROWS = 2**32  # of a mask


class FixedSize:
    """Which rows are in a sample of a fixed size, told of one piece of the table after the other.

    Parameters
    ----------
    generator : Generator
    size : int
        How many rows are in the sample.
    rows : int
        How many rows the table has.

    """

    __slots__ = ("_stays", "_told")

    def __init__(self, generator: Generator, size: int, rows: int) -> None:
        self._stays, self._told = draw_subset(generator, size, rows), 0

    def __call__(self, rows: int) -> NDArray[np.bool_]:
        """Return which of the next rows are in the sample."""
        first, self._told = self._told, self._told + rows
        if self._told > len(self._stays):
            self.check()
        return self._stays[first : self._told]

    def check(self) -> None:
        """Raise a ValueError unless as many rows were read as the table has."""
        if self._told != len(self._stays):
            raise ValueError(
                f"rows must be the number of rows of the table, not {len(self._stays)}"
            )


def read_sample(
    share: Number | None, size: Integer | None, rows: Integer | None
) -> tuple[Fraction, int | None]:
    """Return the share, and how many rows a table has whose sample has a fixed size."""
    if (size is None) != (rows is None) or (share is None) == (size is None):
        raise TypeError("share must be given, or size and rows instead: for change-one")
    if size is None or rows is None:
        return read_share(cast("Number", share)), None
    number, all_rows = read_integer(size, "size"), read_integer(rows, "rows")
    if not 1 <= number <= all_rows:
        raise ValueError(f"size must be from 1 to rows, {all_rows}, not {number}")
    if all_rows > _MOST_ROWS:
        raise ValueError(f"rows must be at most 2**32, not {all_rows}")
    return Fraction(number, all_rows), all_rows


def draw_subset(generator: Generator, size: int, rows: int) -> NDArray[np.bool_]:
    """Return which of some rows are in a set of a size: all such sets are equally likely.

    Each row is drawn by itself first. Then rows that are too many are left out, or those that are
    missing come in, in a set that is as likely as any other of its size.
    """
    if not rows:
        return np.zeros(0, np.bool_)
    stays = generator.bernoulli(Fraction(size, rows), rows)
    surplus = int(np.count_nonzero(stays)) - size
    changed = np.flatnonzero(stays if surplus > 0 else ~stays)
    chosen = changed[_choose(generator, abs(surplus), len(changed))]
    stays[chosen] = surplus < 0
    return stays


def _choose(generator: Generator, size: int, n: int) -> list[int]:
    """Return `size` of the numbers below n, by Floyd's algorithm."""
    found = dict[int, None]()
    for last in range(n - size, n):
        at = _uniform(generator, last + 1)
        found[last if at in found else at] = None
    return list(found)


def _uniform(generator: Generator, n: int) -> int:
    """Return a number below n; all are equally likely."""
    most = _WORD - _WORD % n
    while (word := int.from_bytes(generator.bytes(8))) >= most:
        pass
    return word % n
