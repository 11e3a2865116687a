# SPDX-License-Identifier: MIT
"""Contribution bounding: a random sample of each user's partitions and rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column, Integer
from cydp._call_errors import explain_arguments
from cydp._columns.identifiers import read_identifiers
from cydp._columns.masks import Mask
from cydp._columns.strings import Strings, fixed_width
from cydp._generator import Generator, generator_or_default
from cydp._numbers.rational import read_integer

__all__ = ["bound_contributions"]

Words: TypeAlias = NDArray[np.uint64]

_MOST = 2**63 - 1
_SIGN_BIT = np.uint64(63)


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
    random, and in each of them `max_rows_per_partition` of the user's rows. What is computed from
    the rows that stay then changes in at most `max_partitions` partitions if one user comes or
    goes, so that it can be released with privacy for users instead of rows.

    Parameters
    ----------
    users, partitions : array_like of integers or strings, shape (n,)
        The user that each row belongs to, and the partition that it counts for. They are compared
        by value, never by a hash alone. Rows with a missing user or partition do not stay: masked,
        None, NA, or a float in a list of integers or strings.
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
    SipHash-2-4 under a fresh key [1]_: docs/exact/contributions.md.

    References
    ----------
    .. [1] Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012.

    Examples
    --------
    >>> stays = bound_contributions(["ann", "ann", "bob"], ["x", "y", "x"], max_partitions=1)
    >>> int(stays[:2].sum()), bool(stays[2])
    (1, True)

    """
    most_partitions = _read_positive(max_partitions, "max_partitions")
    most_rows = _read_positive(max_rows_per_partition, "max_rows_per_partition")
    generator = generator_or_default(rng)
    columns = read_identifiers(users, "users"), read_identifiers(partitions, "partitions")
    n = len(columns[0][0])
    if len(columns[1][0]) != n:
        raise ValueError("users and partitions must have the same length: one entry for each row")
    present = [valid for _, valid in columns if valid is not None]
    valid = np.logical_and.reduce(present).view(np.uint8) if present else None
    key = np.frombuffer(generator.bytes(16), np.uint64)
    stays = np.zeros(n, np.bool_)
    (user_ids, user_hashes), (partition_ids, partition_hashes) = (
        _identify(*column, key) for column in columns
    )
    threads = _threads.threads_for(n)
    _core.bound_contributions(
        user_ids, user_hashes, partition_ids, partition_hashes, valid, most_partitions, most_rows,
        key, threads, stays.view(np.uint8),
    )  # fmt: skip
    return stays


def _read_positive(value: Integer, name: str) -> int:
    number = read_integer(value, name)
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return min(number, _MOST)


def _identify(values: NDArray[Any] | Strings, present: Mask, key: Words) -> tuple[Words, Words]:
    """Return ids, which are equal only for equal entries, and keyed hashes of the entries."""
    if isinstance(values, Strings):
        ids, hashes = np.empty(values.count, np.uint64), np.empty(values.count, np.uint64)
        strings = values.blank(present)
        _core.factorize(strings.kernel(), key, ids, hashes)
        if values.integers is not None:
            hashes = _hash_by_value(values.integers, hashes, key)
        return (ids, hashes) if values.rows is None else (ids[values.rows], hashes[values.rows])
    if values.dtype.kind in "US":
        ids, hashes = np.empty(len(values), np.uint64), np.empty(len(values), np.uint64)
        _core.factorize(fixed_width(values), key, ids, hashes)
        return ids, hashes
    if values.dtype.kind == "u":
        words = np.ascontiguousarray(values, np.uint64)
        if (words >> _SIGN_BIT).any():
            words = _mark_large(words, words >> _SIGN_BIT, key)
    else:
        words = np.ascontiguousarray(values, np.int64).view(np.uint64)
    return words, words  # the kernel hashes integers itself


def _mark_large(words: Words, is_large: Words, key: Words) -> Words:
    """Return integers modulo 2**64 so that those from 2**63 on differ from negative ones.

    All bits but the highest of the large ones, for which `is_large` is 1, are changed by a secret
    that depends on the key. They stay distinct.
    """
    ids, secret = np.empty(1, np.uint64), np.empty(1, np.uint64)
    text = np.frombuffer(b"from 2**63 on", np.uint8)
    _core.factorize(_core.Strings(1, text, width=len(text)), key, ids, secret)
    marked: Words = words ^ (is_large * (secret & np.uint64(2**63 - 1)))
    return marked


def _hash_by_value(integers: tuple[int, ...], hashes: Words, key: Words) -> Words:
    """Return what is hashed of integers of any size; `hashes` are those of their digits.

    Integers beyond 64 bits keep that hash. The others get the word that they have in a column of
    integers of 64 bits, so that the sample of one user does not depend on another user's number.
    """
    n = len(integers)
    fits = np.fromiter((-(2**63) <= number < 2**64 for number in integers), np.bool_, n)
    words = np.fromiter((number % 2**64 for number in integers), np.uint64, n)
    is_large = np.fromiter((number >= 2**63 for number in integers), np.uint64, n)
    return np.where(fits, _mark_large(words, is_large, key), hashes)
