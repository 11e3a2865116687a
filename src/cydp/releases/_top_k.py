# SPDX-License-Identifier: MIT
"""The most frequent of public keys, selected privately."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from cydp._arguments import Column, Integer, Number
from cydp._generator import Generator
from cydp.mechanisms._run import Budget
from cydp.releases._histogram_release import TopCountsRelease
from cydp.releases._run import release, run
from cydp.releases._top_query import TopQuery
from cydp.releases._top_release import TopRelease
from cydp.releases._unit import UnitName

__all__ = ["top_k"]


@release(TopQuery)
def top_k(
    x: Column,
    k: Integer,
    keys: Any = None,
    *,
    column: Hashable = None,
    selection: str | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> TopRelease | TopCountsRelease:
    """Select the k most frequent keys: of public ones without their counts, else with them.

    Parameters
    ----------
    x : array_like of labels, shape (n,), or table
        A label of any kind for each record. Missing labels are left out. A table, with `column`,
        is one of those that `group_by` takes.
    k : int >= 1
        How many keys to select; without public keys at most so many are found.
    keys : list of labels, Keys, or None
        Public keys; records with others are left out. None: the keys that occur are selected
        privately, which takes epsilon and delta. Which keys occur would reveal who has them.
    column : name, optional
        The column to read, if x is a table.
    selection : {"peeling", "one-shot"}, or {"threshold", "optimal"}, optional
        How public keys are selected: one after the other, or all by noise that is added to the
        counts once. And keys that are not public: by a threshold on their noisy counts, or by an
        optimal selection before them, which takes a share of the privacy. Default: the way with
        less error.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP. Keys that are not public need it, also with `rho`:
        approximate zCDP.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_partitions : int >= 1, optional
        With `user`: the most keys in which records of one user count, chosen at random. Required
        if keys are not public.
    max_rows_per_partition : int >= 1, default 1
        With `user`: the most records of one user that count in each bin, key or cell.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    TopRelease or TopCountsRelease
        With public keys the keys alone, the first one selected first. Else a table of at most k
        keys with noisy counts, the largest first.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Public keys are selected one after the other, by permute-and-flip [1]_ under epsilon alone, else
    by the exponential mechanism. A selection depends only on how far a single count can change, so
    a user may count in any number of keys. Each of k selections costs epsilon / k, or rho / k; if
    all keys are selected, the last one costs nothing. Or all counts get noise once, which depends
    on how far one unit changes all of them together, and not on k. That is better for more keys
    than a unit is in, such as for rows if k is above 1.

    Without public keys the counts are those of `value_counts`; the k largest of them are taken,
    which costs nothing more.

    References
    ----------
    .. [1] McKenna, Sheldon, "Permute-and-flip: a new mechanism for differentially private
       selection", 2020.

    Examples
    --------
    >>> words = ["the"] * 1000 + ["of"] * 500 + ["cat"]
    >>> top_k(words, 2, ["cat", "of", "the"], epsilon=1).keys
    array(['the', 'of'], dtype=object)
    >>> found = top_k(words, 10, epsilon=1, delta=1e-9)
    >>> found.keys, found.counts.shape
    (array(['the', 'of'], dtype=object), (2,))

    """
    made: TopRelease | TopCountsRelease = run(TopQuery, locals())
    return made
