# SPDX-License-Identifier: MIT
"""The rows of a table in which columns have given values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.tables import open_table
from cydp.releases._domains import Domain, axis_of, read_domains

__all__ = ["read_places", "read_where", "rows_where"]


def read_where(where: Any, name: str) -> list[Domain]:
    """Return the domain that each column of a condition must be in.

    Raises
    ------
    TypeError, ValueError
        Unless it is a dict by column of a label, a list of labels, or a tuple (bins, range).

    """
    if not isinstance(where, Mapping) or not where:
        raise TypeError(
            f"{name} must be a dict by column of a label, a list of labels or a tuple (bins, "
            f"range), such as {{'sex': 'f', 'age': (1, (30, 40))}}, not {type(where).__name__}"
        )
    listed = (list, tuple, range, np.ndarray)
    return read_domains(
        {column: each if isinstance(each, listed) else [each] for column, each in where.items()}
    )


def read_places(
    table: Any, domains: Sequence[tuple[Sequence[Domain], str]]
) -> list[list[NDArray[np.uint32]]]:
    """Return the place of each row in each domain, its size if it is outside; read in one go.

    Parameters
    ----------
    table : table
    domains : sequence of (domains, name of the argument)

    """
    opened = open_table(table)
    columns = [[axis_of(opened, each, name) for each in group] for group, name in domains]
    places = [[column.read() for column in group] for group in columns]
    if len({len(codes) for group in places for codes in group}) > 1:
        raise ValueError("table must have columns of one length")
    return places


def rows_where(
    places: Sequence[NDArray[np.uint32]], domains: Sequence[Domain]
) -> NDArray[np.bool_]:
    """Return which rows are inside all domains."""
    inside = [codes < each.size for codes, each in zip(places, domains, strict=True)]
    found: NDArray[np.bool_] = np.logical_and.reduce(inside)
    return found
