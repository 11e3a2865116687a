# SPDX-License-Identifier: MIT
"""The exact answers of the rows that were read, before noise. docs/releases.md, "One way"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.exact._sorted_units import SortedUnits

__all__ = ["Tally", "add_arrays"]

_ENDS = np.iinfo(np.int64)


@dataclass(slots=True, eq=False, repr=False)  # frozen would be slower
class Tally:
    """The exact answers of a query on some rows. NOT private.

    Tallies of parts of the rows add up to the tally of all rows, if the rows of each user are in
    one part, and if all were read with the same key.

    Attributes
    ----------
    query : Query
        The query.
    parts : mapping of names to int, ndarray of int64, or SortedUnits
        The exact answers by the names of the query's parts, in steps.

    """

    query: Any
    parts: Mapping[str, Any]

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        mine, theirs = self.query, other.query
        same_reads = mine.reads is theirs.reads or mine.reads.to_dict() == theirs.reads.to_dict()
        if mine != theirs or not same_reads:
            raise ValueError("tallies must be of one query to be added")
        return replace(
            self, parts={name: _add(each, other.parts[name]) for name, each in self.parts.items()}
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.query!r}: exact, NOT private>"


def _add(first: Any, second: Any) -> Any:
    if isinstance(first, SortedUnits):
        raise TypeError(
            "a tally of quantiles has the numbers of all rows, which do not merge in bounded memory"
        )
    return first + second if isinstance(first, int) else add_arrays(first, second)


def add_arrays(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum; beyond int64, the end of its range.

    >>> add_arrays(np.array([1, 2**62]), np.array([2, 2**62])).tolist()
    [3, 9223372036854775807]
    """
    total = first + second
    is_beyond = ((first ^ total) & (second ^ total)) < 0
    return np.where(is_beyond, np.where(first < 0, _ENDS.min, _ENDS.max), total)
