# SPDX-License-Identifier: MIT
"""Contribution bounding: a random sample of each user's partitions and rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column, Integer
from cydp._call_errors import explain_arguments
from cydp._columns.arrow import Mask, Strings
from cydp._columns.identities import fixed_width, identities
from cydp._generator import Generator, generator_or_default
from cydp._numbers.rational import read_integer

__all__ = ["bound_contributions"]

Words: TypeAlias = NDArray[np.uint64]
_MOST = 2**63 - 1


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

    Of each user's distinct partitions `max_partitions` stay, chosen uniformly at random, and in
    each of these `max_rows_per_partition` of the user's rows. So one user changes at most that many
    partitions of what is computed from the rows that stay, and privacy for rows becomes privacy for
    users.

    Parameters
    ----------
    users, partitions : array_like of integers or text, shape (n,)
        Who each row belongs to, and which partition it counts for. They are compared by value,
        never by a hash alone. Rows with a missing user or partition (masked, None, NA, or a float
        in a list of others) do not stay.
    max_partitions : int, at least 1
        How many partitions a user may be in.
    max_rows_per_partition : int, at least 1, default 1
        How many rows a user may have in each.
    rng : Generator, optional
        Where the secret key of the sample comes from; default: this thread's generator.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the rows that stay. Which of a user's rows stay depends on the key, on the user's
        own rows and on their order, but not on other users or on where the rows stand.

    Raises
    ------
    TypeError, ValueError
        For columns of other types, of more dimensions or different lengths, or a bad parameter.

    Notes
    -----
    Privacy cost: none by itself; the rows that stay are the data's own. The sample is drawn with
    SipHash-2-4 under a fresh key (Aumasson, Bernstein 2012); see docs/exact.md.

    Examples
    --------
    >>> stays = bound_contributions(["ann", "ann", "bob"], ["x", "y", "x"], max_partitions=1)
    >>> int(stays[:2].sum()), bool(stays[2])
    (1, True)

    """
    most_partitions = _at_least_one(max_partitions, "max_partitions")
    most_rows = _at_least_one(max_rows_per_partition, "max_rows_per_partition")
    generator = generator_or_default(rng)
    columns = identities(users, "users"), identities(partitions, "partitions")
    n = len(columns[0][0])
    if len(columns[1][0]) != n:
        raise ValueError("users and partitions must have the same length: one entry for each row")
    present = [valid for _, valid in columns if valid is not None]
    valid = np.logical_and.reduce(present).view(np.uint8) if present else None
    key = np.frombuffer(generator.bytes(16), np.uint64)
    stays = np.zeros(n, np.bool_)
    (user, user_name), (partition, partition_name) = (_words(*column, key) for column in columns)
    number = _threads.threads_for(n)
    _core.bound_contributions(
        user, user_name, partition, partition_name, valid, most_partitions, most_rows, key,
        number, stays.view(np.uint8),
    )  # fmt: skip
    return stays


def _at_least_one(value: Integer, name: str) -> int:
    number = read_integer(value, name)
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return min(number, _MOST)


def _words(values: NDArray[Any] | Strings, present: Mask, key: Words) -> tuple[Words, Words]:
    """Return what tells the entries apart, and what is hashed of them."""
    if isinstance(values, Strings):
        code, name = np.empty(values.count, np.uint64), np.empty(values.count, np.uint64)
        strings = values.without(present)
        _core.factorize(strings.kernel(), key, code, name)
        if values.integers is not None:
            name = _named_by_value(values.integers, name, key)
        return (code, name) if values.rows is None else (code[values.rows], name[values.rows])
    if values.dtype.kind in "US":
        code, name = np.empty(len(values), np.uint64), np.empty(len(values), np.uint64)
        _core.factorize(fixed_width(values), key, code, name)
        return code, name
    if values.dtype.kind == "u":
        numbers = np.ascontiguousarray(values, np.uint64)
        named = _named(numbers, numbers >> _SIGN, key) if (numbers >> _SIGN).any() else numbers
    else:
        named = np.ascontiguousarray(values, np.int64).view(np.uint64)
    return named, named


_SIGN = np.uint64(63)


def _named(words: Words, unsigned: Words, key: Words) -> Words:
    """Return what is hashed of integers, given modulo 2**64: of one value always the same.

    Those from 2**63 on, for which `unsigned` is 1, have all bits but the highest changed by a
    secret of the key, or they would share names with negative ones. They stay distinct.
    """
    place, secret = np.empty(1, np.uint64), np.empty(1, np.uint64)
    text = np.frombuffer(b"from 2**63 on", np.uint8)
    _core.factorize(_core.Strings(1, text, width=len(text)), key, place, secret)
    named: Words = words ^ (unsigned * (secret & np.uint64(2**63 - 1)))
    return named


def _named_by_value(integers: tuple[int, ...], names: Words, key: Words) -> Words:
    """Return names of integers of any size; `names` are those of their decimal digits.

    What is no integer of 64 bits keeps that. The others have the names that they have in a
    column of such integers, so that no user's sample depends on another user's number.
    """
    fit = np.array([-(2**63) <= number < 2**64 for number in integers], np.bool_)
    words = np.array([number % 2**64 for number in integers], np.uint64)
    unsigned = np.array([number >= 2**63 for number in integers], np.uint64)
    return np.where(fit, _named(words, unsigned, key), names)
