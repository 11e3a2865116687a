# SPDX-License-Identifier: MIT
"""The most frequent keys, selected privately."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column, Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import float_of, read_integer
from cydp._sensitivity import sensitivity_of
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._noisy_max import ExponentialMechanism
from cydp.mechanisms._run import Budget
from cydp.releases._answers import Answer, SelectedAnswer
from cydp.releases._format import counted
from cydp.releases._group_rows import GroupRows
from cydp.releases._histogram_release import TopCountsRelease
from cydp.releases._noise_split import Aggregate
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import count_keys, digest_keys
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import epsilon_of_each
from cydp.releases._top_found import FoundTopQuery
from cydp.releases._unit import Unit, UnitName
from cydp.releases._value_counts import ValuesQuery
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["TopQuery", "TopRelease", "top_k"]


@recorded
@dataclass(frozen=True, repr=False)
class TopQuery(DataQuery):
    """The k most frequent of some public keys.

    Attributes
    ----------
    k : int
        How many keys are selected, one after the other.
    n_keys : int
        How many keys there are.

    """

    function: ClassVar[str] = "top_k"
    bounded: ClassVar[str] = "rows in each partition"

    k: int
    n_keys: int

    @classmethod
    def of(cls, given: Given, source: GroupRows | None) -> DataQuery:
        """Return the query of a call: another one for keys that are not public."""
        if given["keys"] is None:
            return FoundTopQuery.of(given, source)
        keys = None if source is None else source.keys
        n_keys = count_keys(given["keys"], None) if keys is None else len(keys)
        return cls.kept(given, given["k"], n_keys).reading(keys=keys)

    @property
    def left_out_may(self) -> str:
        """The order is that of the rows that count."""
        return "the most frequent keys may be others"

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of how many keys are wanted, and how many there are."""
        k, n_keys = own
        number = read_integer(k, "k")
        if not 1 <= number <= n_keys:
            raise ValueError(f"k must be from 1 to the number of keys, {n_keys}, not {number}")
        query = cls(privacy, unit, number, n_keys)
        assert query.selection  # raises errors of parameters
        return query

    @classmethod
    def declare(cls, given: Given) -> GroupRows:
        """Return the columns of labels and of users, and the keys, as `value_counts` does."""
        return ValuesQuery.declare(given)

    @property
    def nbytes(self) -> int:
        """How many bytes the places of the keys have."""
        return 8 * self.k

    def answers(self) -> list[Answer]:
        """Return the keys."""
        return [SelectedAnswer("keys", self.k, counted(self.unit)[1], self.selection, self.n_keys)]

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanism that selects each key."""
        return {"keys": self.selection}

    def read(self, source: GroupRows, key: Key) -> Tally:
        """Count the rows of each key."""
        return Tally(self, {"n": source.count(self.unit, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the places of the selected keys."""
        counts, left = tally.parts["n"], np.arange(self.n_keys)
        chosen = np.empty(self.k, np.int64)
        for i in range(self.k):
            place = self.selection.release(counts, rng=generator)
            chosen[i] = left[place]
            counts, left = np.delete(counts, place), np.delete(left, place)
        return chosen

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> TopRelease:
        """Return the release."""
        assert self.reads.keys is not None
        selected = tuple(each[drawn] for each in self.reads.keys.arrays)
        name = self.reads.columns["column"]
        names = ("" if name is None else str(name),)
        return TopRelease(query=self, key_columns=selected, key_names=names, payment=payment)

    def _other_before(self) -> Any:
        return digest_keys(self.reads.keys)

    def aggregates(self) -> list[Aggregate]:
        """Return nothing: no number is released."""
        return []

    @cached_property
    def selection(self) -> ExponentialMechanism:
        """The mechanism that selects each key, by its count."""
        unit = self.unit
        grows = unit.relation == "add-remove" and not unit.contains
        most = sensitivity_of(Fraction(unit.max_rows), unit.relation)  # of the change of one count
        choices = max(min(self.k, self.n_keys - 1), 1)  # the last key of all is no choice
        return ExponentialMechanism(
            epsilon=epsilon_of_each(self.privacy, choices), sensitivity=most, monotonic=grows
        )

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanism."""
        return type(self.selection).__name__


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopRelease(Release):
    """The most frequent keys, as `top_k` returns them.

    Attributes
    ----------
    query : TopQuery
        The query: how many keys, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    key_columns : tuple of ndarrays, shape (k,) each
        The keys, the first one selected first.
    key_names : tuple of str
        The name of the column of the keys, "" where it is not known; empty if none is known.

    """

    query: Any
    key_columns: tuple[NDArray[Any], ...]
    key_names: tuple[str, ...] = ()

    @property
    def keys(self) -> Any:
        """The keys: an array, or for several columns a tuple of arrays."""
        return self.key_columns[0] if len(self.key_columns) == 1 else self.key_columns

    @property
    def mechanism(self) -> ExponentialMechanism:
        """The mechanism of each selection."""
        found: ExponentialMechanism = self.query.selection
        return found

    @property
    def variance(self) -> None:
        """None: no number is released."""

    def __len__(self) -> int:
        return len(self.key_columns[0])

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        best, (one, several) = "of the highest count among the keys then left", self._counted
        rank = Numbers(
            name="rank",
            unit="rank",
            values=np.arange(1, len(self) + 1),
            bound=self.error_bound(confidence, count=len(self) if simultaneous else 1),
            bound_unit=f"{several} {best}",
            singular=f"{one} {best}",
        )
        axis = keys_of(self.key_columns, self.key_names)
        return self._make_sheet([axis], [rank], confidence, simultaneous)

    @property
    def _noise_words(self) -> str:
        name, scale = type(self.mechanism).__name__, f"{float_of(self.mechanism.scale):,.6g}"
        return f"{name}, scale {scale} {self._counted[scale != '1']}"

    @property
    def _counted(self) -> tuple[str, str]:
        return counted(self.query.unit)


@release(TopQuery)
def top_k(
    x: Column,
    k: Integer,
    keys: Any = None,
    *,
    column: Hashable = None,
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
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, or with `delta` approximate DP. Either
        epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP. Keys that are not public need it.
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
    Of public keys a user may count in any number, because a selection depends only on how far a
    single count can change. The exponential mechanism selects a key, and again among those that are
    left. The noise of k selections is what adding Gumbel noise once to each count, and taking the k
    largest, gives [1]_. Each selection costs epsilon / k, or rho / k; if all keys are selected, the
    last one costs nothing.

    Without public keys, half of epsilon selects keys [2]_, and half is for noise on their counts,
    as in `value_counts`; of these the k largest are taken, which costs nothing more.
    docs/releases/top_k.md has the proof, and says what else could be done.

    References
    ----------
    .. [1] Durfee, Rogers, "Practical differentially private top-k selection with pay-what-you-get
       composition", 2019.
    .. [2] Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.

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
