# SPDX-License-Identifier: MIT
"""Contribution bounding: a random sample of each user's partitions and rows.

The hash of a user follows from the user's value alone: docs/columns.md, "Labels".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column, Integer
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Labels
from cydp._columns.masks import Mask, both_present
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.exact._label_hashes import (
    Users,
    Words,
    hash_labels,
    identify,
    identify_users,
    mix_words,
)
from cydp.exact._label_sets import LabelSets, find_integers
from cydp.exact._user_identifiers import MOST, identify_labels

__all__ = [
    "MOST_ROWS",
    "PairNumbers",
    "bound_contributions",
    "bound_users",
    "count_contributions",
    "count_user_rows",
    "sample_key",
]


MOST_ROWS = 2**32 - 2  # of a call

_DENSE = 2**20  # a range of partitions this small is taken whole
_BLOCK_ROWS = 2**15


@explain_arguments
def bound_contributions(
    users: Column,
    partitions: Column,
    *,
    max_partitions: Integer,
    max_rows_per_partition: Integer = 1,
    rng: Generator | None = None,
) -> NDArray[np.bool_]:
    """Choose the rows that stay, so that each user is in few partitions with few rows. NOT private.

    For each user, `max_partitions` of the user's distinct partitions stay, chosen uniformly at
    random, and in each of them `max_rows_per_partition` of the user's rows. An answer from the rows
    that stay then changes in at most `max_partitions` partitions if one user comes or goes, so that
    it can be released with privacy for users instead of rows.

    Parameters
    ----------
    users, partitions : array_like, shape (n,)
        The user that each row belongs to, and the partition that it counts for: numbers, text,
        bytes, dates, times, or tuples of these. They are compared by value, never by a hash alone.
        Rows with a missing user or partition, masked, None, NA or NaN, do not stay.
    max_partitions : int >= 1
        The largest number of partitions of a user.
    max_rows_per_partition : int >= 1, default 1
        The largest number of rows of a user in each partition.
    rng : Generator, optional
        The source of the secret key of the sample. Default: the calling thread's own generator.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the rows that stay. Which of a user's rows stay depends on the key, on the user's
        rows and on their order, but not on other users or on the places of the rows.

    Raises
    ------
    TypeError, ValueError
        If a column has another type, more than one dimension or another length than the other, or
        if a parameter is not allowed.

    Notes
    -----
    Privacy cost: none by itself, because the result is not private. The sample is drawn with
    SipHash-1-3 under a fresh key [1]_.

    References
    ----------
    .. [1] Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012.

    Examples
    --------
    >>> stays = bound_contributions(["ann", "ann", "bob"], ["x", "y", "x"], max_partitions=1)
    >>> int(stays[:2].sum()), bool(stays[2])
    (1, True)

    """
    limits = _read_limits(max_partitions, max_rows_per_partition)
    generator = generator_or_default(rng)
    declared = Labels(users, "users"), Labels(partitions, "partitions")
    columns = [identify_labels(each, refuses=True) for each in declared]
    if len(columns[0][0]) != len(columns[1][0]):
        raise ValueError("users and partitions must have the same length: one entry for each row")
    key = _draw_key(generator)
    partitions = _code(*identify(*columns[1], key), columns[1][1])
    return _choose(identify_users(*columns[0], key), *partitions, columns[0][1], *limits, key)


class PairNumbers:
    """Numbers of users beside partitions.

    Parameters
    ----------
    n : int
        How many rows there are.

    Attributes
    ----------
    numbers : ndarray of uint32, shape (n,)
        For each row in a partition that stays for its user, a number that all rows of the user
        there have, and no others, whether the row stays or not; 2**32 - 1 for other rows.
    count : int
        The numbers are below it.

    """

    __slots__ = ("count", "numbers")

    def __init__(self, n: int) -> None:
        self.numbers, self.count = np.empty(n, np.uint32), 0


def bound_users(
    users: Labels,
    codes: NDArray[np.uint32],
    keys: int | LabelSets,
    key: Words,
    *,
    max_partitions: Integer | None,
    max_rows_per_partition: Integer = 1,
    contents: Words | None = None,
    pairs: PairNumbers | None = None,
) -> NDArray[np.bool_]:
    """Choose the rows that stay, as `bound_contributions` does, for users of any kind. NOT private.

    Parameters
    ----------
    users : Labels
        The user that each row belongs to; the column is read here.
    codes : ndarray of uint32, shape (n,)
        The partition of each row, as `match_labels` or `find_labels` returns it.
    keys : int or LabelSets
        How many given keys there are; or the labels that were found in the rows: the sample is
        drawn by their values. Rows of another code do not stay, and do not count.
    key : ndarray of uint64, shape (2,)
        The secret key that `sample_key` returned, one for all pieces of the rows.
    max_partitions, max_rows_per_partition
        As in `bound_contributions`. Without `max_partitions` (None) the rows of a user in all
        partitions together are bounded.
    contents : ndarray of uint64, shape (n,), optional
        A word for what each row holds beside user and partition. With it the rows that stay of
        a user and a partition do not depend on the order of rows.
    pairs : PairNumbers, optional
        Receives the number of each row's user and partition.

    Returns
    -------
    ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        If there are not as many users as codes.

    Examples
    --------
    >>> users = Labels([("ann", 1), ("ann", 1), None, 7.5])
    >>> codes = np.array([0, 1, 0, 1], np.uint32)
    >>> bound_users(users, codes, 1, np.zeros(2, np.uint64), max_partitions=1).tolist()
    [True, False, False, False]

    """
    limits = _read_limits(1 if max_partitions is None else max_partitions, max_rows_per_partition)
    values, present = identify_labels(users)
    if len(values) != len(codes):
        raise ValueError("user must have an entry for each row")
    hashes = np.arange(keys, dtype=np.uint64) if isinstance(keys, int) else hash_labels(keys, key)
    if max_partitions is None and len(hashes) > 1:
        words = np.append(hashes, np.uint64(0))[np.minimum(codes, len(hashes))]
        contents = words if contents is None else mix_words([words, contents])
        codes, hashes = (codes >= len(hashes)).astype(np.uint32), np.zeros(1, np.uint64)
    identified = identify_users(values, present, key)
    return _choose(identified, codes, hashes, present, *limits, key, contents, pairs)


def count_user_rows(users: Labels, inside: Mask, key: Words) -> NDArray[np.uint32]:
    """Count the rows of each user. NOT private.

    Parameters
    ----------
    users : Labels
        The user that each row belongs to; the column is read here.
    inside : ndarray of bool, shape (n,), or None
        Which rows count; None: all of them.
    key : ndarray of uint64, shape (2,)
        By it labels are hashed, and users are put in an order.

    Returns
    -------
    ndarray of uint32, shape (n,)
        A count for each user; all other entries are 0.

    Raises
    ------
    ValueError
        If `inside` has another length.

    Examples
    --------
    >>> users, key = Labels(["ann", "bob", None, "ann", "cy"]), np.zeros(2, np.uint64)
    >>> sorted(count_user_rows(users, None, key).tolist())
    [0, 0, 1, 1, 2]

    """
    values, present = identify_labels(users)
    if inside is not None and len(values) != len(inside):
        raise ValueError("user must have an entry for each row")
    return _count_rows(identify_users(values, present, key), both_present(present, inside), key)


def count_contributions(
    users: Labels, inside: Mask, most: int, key: Words, partitions: LabelSets | None = None
) -> NDArray[np.int64]:
    """Count users by how many rows, or how many partitions, they have. NOT private.

    Parameters
    ----------
    users : Labels
        The user that each row belongs to; the column is read here.
    inside : ndarray of bool, shape (n,), or None
        Which rows count; None: all of them.
    most : int
        Users with more are counted as users with `most`.
    key : ndarray of uint64, shape (2,)
        By it labels are hashed. The counts do not depend on it.
    partitions : LabelSets, optional
        The partitions of the rows, of which each counts once for a user. Rows without one do not
        count. Default: rows are counted.

    Returns
    -------
    ndarray of int64, shape (most,)
        How many users have 1, 2, ... of them; the last place: `most` or more.

    Raises
    ------
    ValueError
        If there are not as many users as partitions.

    Examples
    --------
    >>> key = np.zeros(2, np.uint64)
    >>> count_contributions(Labels(["ann", "bob", None, "ann", "cy"]), None, 3, key)
    array([2, 1, 0])

    """
    values, present = identify_labels(users)
    identified = identify_users(values, present, key)
    rows = len(identified.ids)
    if inside is not None and rows != len(inside):
        raise ValueError("user must have an entry for each row")
    present = both_present(present, inside)
    if partitions is not None:
        codes, names = partitions.codes, np.arange(len(partitions), dtype=np.uint64)
        if len(codes) != rows:
            raise ValueError("user must have an entry for each row")
        # One row stays for each partition of a user, whichever.
        present = _choose(identified, codes, names, present, MOST, 1, key)
    each = np.minimum(_count_rows(identified, present, key), min(most, rows))
    counts: NDArray[np.int64] = np.bincount(each, minlength=most + 1)[1:]
    return counts


def sample_key(users: Labels | None, generator: Generator) -> Words | None:
    """Return a secret key for `bound_users`, the same for all pieces of the rows of users.

    None if there are no users: nothing is drawn.
    """
    return None if users is None else _draw_key(generator)


def _draw_key(generator: Generator) -> Words:
    return np.frombuffer(generator.bytes(16), np.uint64)


def _choose(
    users: Users,
    codes: NDArray[np.uint32],
    hashes: Words,
    present: Mask,
    most_partitions: int,
    most_rows: int,
    key: Words,
    contents: Words | None = None,
    pairs: PairNumbers | None = None,
) -> NDArray[np.bool_]:
    """Return the rows that stay."""
    n = len(codes)
    stays = np.zeros(n, np.bool_)
    valid = None if present is None else present.view(np.uint8)
    threads, mask = _threads.threads_for(n), stays.view(np.uint8)
    limits = most_partitions, most_rows
    numbers = None if pairs is None else pairs.numbers
    count = _core.bound_contributions(
        *users, codes, hashes, contents, valid, *limits, key, threads, mask, numbers
    )
    if pairs is not None:
        pairs.count = count
    return stays


def _code(ids: Words, hashes: Words, present: Mask) -> tuple[NDArray[np.uint32], Words]:
    """Return a code for each row, from 0 on, and the hash of each; missing ones have no hash."""
    integers = ids.view(np.int64)
    known = integers if present is None else integers[present]
    least, most = (int(known.min()), int(known.max())) if len(known) else (0, 0)
    # Another thread may write between: the least may be above the most.
    if hashes is ids and 0 <= most - least < _DENSE:
        return _offsets(ids, present, least, most + 1 - least)
    labels, codes = find_integers(integers.copy(), present)  # it is read twice
    if hashes is ids:
        return codes, labels.view(np.uint64)
    rows = np.empty(len(labels) + 1, np.intp)
    rows[codes] = np.arange(len(codes))
    return codes, hashes[rows[:-1]]


def _offsets(ids: Words, present: Mask, least: int, count: int) -> tuple[NDArray[np.uint32], Words]:
    """Return what each integer is above the least, and what they are; `count` is a missing one."""
    codes = np.empty(len(ids), np.uint32)
    words = np.arange(least, least + count).view(np.uint64)
    for first in range(0, len(ids), _BLOCK_ROWS):
        rows = slice(first, first + _BLOCK_ROWS)
        codes[rows] = np.minimum(ids[rows] - words[0], count)
    if present is not None:
        codes[~present] = count
    return codes, words


def _count_rows(users: Users, present: Mask, key: Words) -> NDArray[np.uint32]:
    rows = np.empty(len(users.ids), np.uint32)
    valid = None if present is None else present.view(np.uint8)
    threads = _threads.threads_for(len(rows))
    _core.count_user_rows(users.ids, users.strings, valid, key, threads, rows)
    return rows


def _read_limits(max_partitions: Integer, max_rows_per_partition: Integer) -> tuple[int, int]:
    return (
        _read_positive(max_partitions, "max_partitions"),
        _read_positive(max_rows_per_partition, "max_rows_per_partition"),
    )


def _read_positive(value: Integer, name: str) -> int:
    number = read_integer(value, name)
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return min(number, MOST)
