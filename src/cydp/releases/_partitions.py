# SPDX-License-Identifier: MIT
"""Rows by partition: which of them count, and how many there are in each partition."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.labels import Labels
from cydp._threads import threads_for
from cydp.exact._contributions import bound_users
from cydp.exact._label_sets import LabelSets
from cydp.releases._rows import Key
from cydp.releases._unit import Unit

__all__ = ["Codes", "bound_rows", "count_codes", "join_codes"]

Codes: TypeAlias = NDArray[np.uint32]


def join_codes(outer: Codes, n_outer: int, inner: Codes, n_inner: int) -> Codes:
    """Return the partition of each row: an outer one, such as a key, and one within, such as a bin.

    Parameters
    ----------
    outer, inner : ndarrays of uint32, shape (n,)
        Codes; those of n_outer and n_inner or more are outside.
    n_outer, n_inner : int
        Their product is below 2**32.

    Returns
    -------
    ndarray of uint32, shape (n,)
        outer * n_inner + inner; n_outer * n_inner if either is outside.

    Examples
    --------
    >>> join_codes(np.array([0, 1, 2], np.uint32), 2, np.array([1, 0, 0], np.uint32), 3)
    array([1, 3, 6], dtype=uint32)

    """
    joined = outer * np.uint32(n_inner)  # what wraps is outside
    joined += inner
    joined[(outer >= n_outer) | (inner >= n_inner)] = n_outer * n_inner
    return joined


def bound_rows(
    codes: Codes,
    keys: int | LabelSets,
    unit: Unit,
    users: Labels,
    key: Key,
    *,
    max_rows: int | None = None,
) -> Codes:
    """Return codes, outside for the rows that do not count: those beyond the bounds of a user.

    Parameters
    ----------
    codes : ndarray of uint32, shape (n,)
        Rows that are outside before do not count toward the bounds.
    keys : int or LabelSets
        How many codes there are, or the labels that they stand for.
    unit : Unit
    users : Labels
        They are read here.
    key : ndarray of uint64 or None
        As in `bound_users`.
    max_rows : int, optional
        The most rows of a user that stay in each partition. Default: those of the unit.

    """
    assert key is not None
    stays = bound_users(
        users, codes, keys, key, max_partitions=unit.max_partitions or 1,
        max_rows_per_partition=max_rows or unit.max_rows,
    )  # fmt: skip
    return np.where(stays, codes, np.uint32(keys if isinstance(keys, int) else len(keys)))


def count_codes(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """Return how many rows have each code from 0 to n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    if n_codes > 0:  # of keys that are selected there may be none
        _core.bincount(codes, counts, threads_for(len(codes)))
    return counts
